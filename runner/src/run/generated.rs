//! Cases that a run makes from its seed.

use proofmark::adapter::Declaration;
use proofmark::case::{Profile, Suite, SuiteFault};
use proofmark::generate;

/// The case files that are generated for what was declared, as far as a profile is about it: paths from the suite's root, and bytes.
#[must_use]
pub fn generated_files(profile: &Profile, declaration: &Declaration, seed: u64, per_operation: usize) -> Vec<(String, Vec<u8>)> {
    let mut declaration = declaration.clone();
    declaration.operations.retain(|name| profile.required.contains(name) || profile.optional.contains(name));
    generate::case_files(seed, &declaration, per_operation)
}

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
    let files = generated_files(profile, declaration, seed, per_operation);
    suite.clone().extended(files).map_err(|mut faults| faults.remove(0))
}
