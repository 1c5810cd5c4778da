//! Cases that a run makes from its seed.

use proofmark::adapter::Declaration;
use proofmark::case::{Profile, Suite, SuiteFault};
use proofmark::generate;

/// The suite with cases that are generated for what was declared, as far as a profile is about it.
///
/// # Errors
/// A fault of a generated case, which is a fault of the generator.
pub fn with_generated(
    suite: &Suite,
    profile: &Profile,
    declaration: &Declaration,
    seed: u64,
    per_operation: usize,
) -> Result<Suite, SuiteFault> {
    let mut declaration = declaration.clone();
    declaration.operations.retain(|name| profile.required.contains(name) || profile.optional.contains(name));
    let files = generate::case_files(seed, &declaration, per_operation);
    suite.clone().extended(files).map_err(|mut faults| faults.remove(0))
}
