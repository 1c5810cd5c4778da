//! What we ask: case files, read strictly and with positions, and the suite that they form.

mod expand;
mod expectation;
mod file;
mod matcher;
mod profile;
mod requirement_set;
mod suite;

pub use expand::{BudgetFinder, BudgetRequest, EarlierAnswer, ExpandError, Expander, MAX_EXPANDED_NODES, MAX_EXPANDED_TEXT};
pub use expectation::{Expectation, VerdictExpectation, ViolationExpectation};
pub use file::{Case, Step};
pub use matcher::{Difference, Expected, MatchContext, Matcher};
pub use profile::Profile;
pub use requirement_set::{ProfileRequirements, RequirementSet};
pub use suite::{LoadOptions, Requirement, Suite, SuiteFault, SuiteFiles};
