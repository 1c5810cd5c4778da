//! The faults of hosts that run a lifecycle, by name.

macro_rules! faults {
    ($($fault:ident = $name:literal;)*) => {
        /// What a wrong host gets wrong. `spec-cases/wrong-hosts.yaml` says each in words.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($fault,)*
            /// Judges documents without this rule.
            Without(String),
        }

        impl Fault {
            /// The fault of this name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$fault),)*
                    _ => name.strip_prefix("without-").map(|rule| Self::Without(rule.to_owned())),
                }
            }

            /// The names of all but those that lack a rule.
            pub(crate) const NAMES: &[&str] = &[$($name),*];
        }
    };
}

faults! {
    ReleaseBeforeReceipt = "release-before-receipt";
    NoReceipt = "no-receipt";
    NeverReleases = "never-releases";
    NoReread = "no-reread";
    ReactivatesFromFragment = "reactivates-from-fragment";
    StaleHash = "stale-hash";
    ReceiptAsFact = "receipt-as-fact";
    BodyUnderListingOnly = "body-under-listing-only";
    LoadsBeforeProfile = "loads-before-profile";
    WrongProfile = "wrong-profile";
    LoadsSupportNotNeeded = "loads-support-not-needed";
    ClaimsReleaseWithoutCollection = "claims-release-without-collection";
    VagueReceipts = "vague-receipts";
    NoReceiptWithoutInfluence = "no-receipt-without-influence";
    IgnoresResumeEntry = "ignores-resume-entry";
    ReleasesInLoop = "releases-in-loop";
    ReleasesContinuingPhase = "releases-continuing-phase";
    ReleasesCurrentUnderPressure = "releases-current-under-pressure";
    KeepsAfterDiscussion = "keeps-after-discussion";
    KeepsAfterLoop = "keeps-after-loop";
    AnswersWithWorldEvents = "answers-with-world-events";
    SessionsMixed = "sessions-mixed";
    PlanReleasesInLoop = "plan-releases-in-loop";
    PlanResumesWithoutReceipt = "plan-resumes-without-receipt";
    PlanIgnoresPressure = "plan-ignores-pressure";
    PlanKeepsAfterShift = "plan-keeps-after-shift";
    PlanListsForWork = "plan-lists-for-work";
    PlanAcceptsBadWords = "plan-accepts-bad-words";
    PlanWrongTtl = "plan-wrong-ttl";
}
