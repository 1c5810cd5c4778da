//! The faults by name, each with the level at which it is wrong.

use proofmark::verdict::Level;

macro_rules! faults {
    ($($fault:ident = $name:literal, $level:ident;)*) => {
        /// What a wrong host gets wrong. `spec-cases/wrong-hosts.yaml` says each in words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault { $($fault),* }

        impl Fault {
            pub(crate) const ALL: &[Self] = &[$(Self::$fault),*];

            /// The wrong host's name in the data file.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$fault => $name),* }
            }

            /// The level of what it breaks: no more and no less.
            pub(crate) fn level(self) -> Level {
                match self { $(Self::$fault => Level::$level),* }
            }
        }
    };
}

faults! {
    BytesForCharacters = "bytes-for-characters", Must;
    Utf16ForCharacters = "utf16-for-characters", Must;
    ComposesBeforeCounting = "composes-before-counting", Must;
    GraphemesForCharacters = "graphemes-for-characters", Must;
    BytesDeclared = "bytes-declared", Must;
    Utf16Declared = "utf16-declared", Must;
    FitContinuesPastMisfit = "fit-continues-past-misfit", Must;
    SkipFitDeclared = "skip-fit-declared", Should;
    FitTakesBestScores = "fit-takes-best-scores", Must;
    FitKeepsBundled = "fit-keeps-bundled", Must;
    BudgetExclusive = "budget-exclusive", Must;
    BudgetTakenAsTokens = "budget-taken-as-tokens", Must;
    BudgetDefault8000 = "budget-default-8000", Must;
    HeaderBelowFloorDeclared = "header-below-floor-declared", May;
    EmptyCatalogDeclared = "empty-catalog-declared", May;
    EmptyNoticeNotCounted = "empty-notice-not-counted", Must;
    SuffixNotCounted = "suffix-not-counted", Must;
    SuffixKeptThoughItDoesNotFit = "suffix-kept-though-it-does-not-fit", Must;
    CountLineDigitsFixed = "count-line-digits-fixed", Must;
    CountLineAlwaysReserved = "count-line-always-reserved", Must;
    CountLineCountsTrimmed = "count-line-counts-trimmed", Must;
    HeaderNotCounted = "header-not-counted", Must;
    SeparatorNotCounted = "separator-not-counted", Must;
    UsedCharsIsBudget = "used-chars-is-budget", Must;
    BodyCharged = "body-charged", Must;
    ShortensCardsButChargesThemWhole = "shortens-cards-but-charges-them-whole", Must;
    EscapesMarkupButChargesItRaw = "escapes-markup-but-charges-it-raw", Must;
    TrimsTexts = "trims-texts", May;
    CutsLongDescriptions = "cuts-long-descriptions", May;
    DropsLongDescriptions = "drops-long-descriptions", Must;
    NumbersTakenAsTexts = "numbers-taken-as-texts", May;
    DescriptionBeforeShort = "description-before-short", Should;
    DescriptionRequired = "description-required", Must;
    LimitBeforeSort = "limit-before-sort", Must;
    LimitAfterFit = "limit-after-fit", Must;
    LimitTakesBestScores = "limit-takes-best-scores", Must;
    LimitCountsDisabled = "limit-counts-disabled", Must;
    LimitIgnored = "limit-ignored", Must;
    LimitDefaultTwelve = "limit-default-twelve", Must;
    DisabledShown = "disabled-shown", Must;
    DisabledReportedAsBudget = "disabled-reported-as-budget", Must;
    DisabledLeftOut = "disabled-left-out", Must;
    FlagTextTakenAsFalse = "flag-text-taken-as-false", May;
    HyphenKeysIgnored = "hyphen-keys-ignored", Must;
    RegistryOrder = "registry-order", Must;
    RegistryOrderDeclared = "registry-order-declared", Should;
    OrderByFoldedCase = "order-by-folded-case", Must;
    OrderByUtf16 = "order-by-utf16", Must;
    OrderByName = "order-by-name", Must;
    OmittedByReason = "omitted-by-reason", Must;
    IdsAsObjectKeys = "ids-as-object-keys", Must;
    IdsNormalised = "ids-normalised", Must;
    IdsCaseFolded = "ids-case-folded", Must;
    IdsWithColons = "ids-with-colons", Must;
    NamespaceDropped = "namespace-dropped", Must;
    TwoCardsForOneId = "two-cards-for-one-id", Must;
    BrokenEntryRefusesRegistry = "broken-entry-refuses-registry", Should;
    LoadedIgnored = "loaded-ignored", Must;
    LoadedByBareName = "loaded-by-bare-name", Must;
    BuiltinNamesTakenAsLoaded = "builtin-names-taken-as-loaded", Must;
    LoadedPinned = "loaded-pinned", Must;
    LoadedNotListedAgain = "loaded-not-listed-again", Must;
    LoadedClearsReason = "loaded-clears-reason", Must;
    UsedIgnored = "used-ignored", Must;
    UsedNeedsListing = "used-needs-listing", Must;
    UnknownLoadedIdListed = "unknown-loaded-id-listed", Must;
    ListingLoggedAsLoaded = "listing-logged-as-loaded", Must;
    EligibleForShown = "eligible-for-shown", Must;
    CatalogRenderedIgnored = "catalog-rendered-ignored", May;
    ReasonInItsOwnWord = "reason-in-its-own-word", Must;
    MatchedDropped = "matched-dropped", Must;
    MatchedAlwaysThere = "matched-always-there", Must;
    ScoreZeroLost = "score-zero-lost", Must;
    SourceDropped = "source-dropped", Must;
    SourceGuessed = "source-guessed", Must;
    SourceEmptyForNone = "source-empty-for-none", Should;
    NullsLeftOut = "nulls-left-out", Should;
    TokensRoundedDown = "tokens-rounded-down", Must;
    TokenTotalsLeftOut = "token-totals-left-out", Must;
    VersionAsText = "version-as-text", Must;
    TypeOfTheRegistry = "type-of-the-registry", Must;
    EmptyRegistryRefused = "empty-registry-refused", Must;
    InvalidRegistryAccepted = "invalid-registry-accepted", Must;
    InvalidOptionsAccepted = "invalid-options-accepted", Should;
    UnknownEntryKeysRefused = "unknown-entry-keys-refused", Must;
    UnknownOptionsRefused = "unknown-options-refused", May;
    LoadsRemembered = "loads-remembered", Must;
    StateLeaks = "state-leaks", Must;
    CatalogDisagrees = "catalog-disagrees", Must;
    CatalogCachedByIds = "catalog-cached-by-ids", Must;
    CatalogInRegistryOrder = "catalog-in-registry-order", Must;
    CatalogOffersDisabled = "catalog-offers-disabled", Must;
    CatalogIdsFromText = "catalog-ids-from-text", Must;
    ListedOnlyLoadable = "listed-only-loadable", Must;
    DisabledNeverLoadable = "disabled-never-loadable", Must;
    ModelInvocationByDefault = "model-invocation-by-default", Must;
    DisabledLoadableByModel = "disabled-loadable-by-model", Must;
    SignatureIgnored = "signature-ignored", Must;
    HyphenatedDemandIgnored = "hyphenated-demand-ignored", May;
    SignedIsEnough = "signed-is-enough", Must;
    BlockedWithoutEvent = "blocked-without-event", Must;
    BlockedReturnsBody = "blocked-returns-body", Must;
    EventForged = "event-forged", Must;
    EventDropsSignature = "event-drops-signature", Must;
    EventDropsProvenance = "event-drops-provenance", May;
    EventDropsSource = "event-drops-source", Must;
    LoadByBareNameFirst = "load-by-bare-name-first", Must;
    LoadFoldsCase = "load-folds-case", Must;
    LoadReturnsPromptFirst = "load-returns-prompt-first", May;
    LoadEstimatesCard = "load-estimates-card", Must;
    LoadTrimsBody = "load-trims-body", May;
    NotFoundAsEmpty = "not-found-as-empty", Must;
    LastLayerWins = "last-layer-wins", Must;
    FirstListedLayerWins = "first-listed-layer-wins", Must;
    MergeFillsGaps = "merge-fills-gaps", Must;
    MergeDropsProvenance = "merge-drops-provenance", Must;
    MergeLosesHyphenatedKeys = "merge-loses-hyphenated-keys", Must;
    DisabledWinnerYields = "disabled-winner-yields", Must;
    SourceFromEntry = "source-from-entry", Must;
    ShadowedIncomplete = "shadowed-incomplete", Must;
    NamespacesCollide = "namespaces-collide", Must;
    UnknownLayerAccepted = "unknown-layer-accepted", Should;
    VersionIgnored = "version-ignored", Must;
    FutureVersionGuessed = "future-version-guessed", Must;
    UnknownKeysRefused = "unknown-keys-refused", Must;
    ReadSorts = "read-sorts", Must;
    ReadRecomputes = "read-recomputes", Should;
    DerivesFromText = "derives-from-text", May;
}
