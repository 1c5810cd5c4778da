//! What a trace can break, by the names that the rule pack uses.

/// Declares the breaches: a variant and the name of its check in the pack.
macro_rules! breaches {
    ($($variant:ident = $word:literal),+ $(,)?) => {
        /// A breach of one rule about traces. One monitor finds them all; which rule each stands for, at which level, the pack says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(in crate::policy) enum Breach { $($variant),+ }

        impl Breach {
            #[cfg(test)]
            pub(in crate::policy) const ALL: &'static [Self] = &[$(Self::$variant),+];

            #[cfg(test)]
            pub(in crate::policy) fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub(in crate::policy) fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

breaches! {
    BodyUnderNone = "trace_body_under_none",
    MoreThanListing = "trace_more_than_listing",
    NotFromSource = "trace_not_from_source",
    BadReceipt = "trace_bad_receipt",
    NotReleased = "trace_not_released",
    ReleaseBeforeReceipt = "trace_release_before_receipt",
    ReactivationFromElsewhere = "trace_reactivation_from_elsewhere",
    ResumeEntryNotRead = "trace_resume_entry_not_read",
    AuthorityOfProfile = "trace_authority_of_profile",
    ReceiptAsEvidence = "trace_receipt_as_evidence",
    AuditDeleted = "trace_audit_deleted",
    PooledMemory = "trace_pooled_memory",
    IllFormed = "trace_ill_formed",
    BodyWithoutProfile = "trace_body_without_profile",
    InfluenceWithoutBody = "trace_influence_without_body",
    ReceiptDue = "trace_receipt_due",
    ReceiptDueUnderPressure = "trace_receipt_due_under_pressure",
    NeedNotAnswered = "trace_need_not_answered",
    StepWithoutBody = "trace_step_without_body",
    OneShotKept = "trace_one_shot_kept",
    ContinuingReleased = "trace_continuing_released",
    KeptInDiscussion = "trace_kept_in_discussion",
    CurrentReleasedFirst = "trace_current_released_first",
    LoopNotKept = "trace_loop_not_kept",
    ReleaseWithoutReceipt = "trace_release_without_receipt",
    MemoryUnmonitored = "trace_memory_unmonitored",
    SelfRewriting = "trace_self_rewriting",
    ReceiptWithRemarks = "trace_receipt_with_remarks",
    BodyNotCalledFor = "trace_body_not_called_for",
}
