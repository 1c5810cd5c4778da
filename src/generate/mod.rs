//! Cases that nobody has seen: generated from a seed at the moment when a host is certified, so that canned answers can't pass.
//!
//! What is expected is what the reference says at that moment, and of it only what the contract's own words settle, or what the host itself
//! declared: a generated case stays clear of every point that was measured or decided. No IO, no clock, no randomness but the seed: the same
//! seed and declaration give the same bytes everywhere.

mod dice;
mod documents;
mod evidence;
mod forms;
mod ground;
mod load;
mod merge;
mod packets;
mod plan;
mod read;
mod receipts;
mod registries;
mod runs;
mod scenes;
mod traces;
mod views;
mod words;
mod worlds;
mod write;

use serde_json::{Value, json};

use crate::adapter::{Declaration, Operation};
use crate::contract::{activation, lifecycle, packet};
use crate::embedded;
use dice::Dice;
use ground::Ground;
use write::Asked;

/// The folder of generated case files, beside those of the contracts.
pub const FOLDER: &str = "spec-cases/generated";

/// How often a case is thrown again where what came up is settled by nothing.
const ATTEMPTS: usize = 64;

/// In the place of a case's number: what is thrown once for all cases of an operation.
const ALL: usize = 0xffff_ffff;

type Make = fn(&mut Dice, &mut Ground, usize) -> Option<Asked>;

/// Each operation with the contract of its case files, as the suite names those.
const OPERATIONS: [(Operation, &str, Make); 12] = [
    (Operation::ActivationEvidence, activation::NAME, evidence::evidence),
    (Operation::ActivationCatalog, activation::NAME, evidence::catalog),
    (Operation::ActivationLoad, activation::NAME, load::load),
    (Operation::ActivationRead, activation::NAME, read::read),
    (Operation::RegistryMerge, activation::NAME, merge::merge),
    (Operation::LifecycleValidateReceipt, lifecycle::RECEIPT, receipts::receipt),
    (Operation::LifecycleValidateTrace, lifecycle::TRACE, traces::trace),
    (Operation::LifecycleOpen, lifecycle::TRACE, runs::run),
    (Operation::LifecyclePlan, lifecycle::TRACE, plan::plan),
    (Operation::PacketValidate, packet::NAME, documents::validate),
    (Operation::PacketRender, packet::NAME, views::render),
    (Operation::PacketProject, packet::NAME, views::project),
];

/// Case files generated from a seed, for what a host declared: one for each operation that it supports, with so many cases, as a path below
/// [`FOLDER`] and the text in the case language. Their ids are `generated.<operation>.<number>`, their level is `must`, and a suite reads them
/// as any other ([`crate::case::Suite::extended`]).
///
/// Budgets are plain numbers, worked out under the declared rendering profile, so that the files are for that host alone. A host that
/// declares none is asked nothing that depends on a layout.
///
/// ```
/// use proofmark::adapter::{Declaration, Operation};
/// use proofmark::case::Suite;
///
/// let declaration = Declaration::new("host", "1", "Rust").operations([Operation::ActivationRead]);
/// let files = proofmark::generate::case_files(7, &declaration, 3);
/// assert_eq!(files[0].0, "spec-cases/generated/activation-read.yaml");
/// let suite = Suite::embedded().expect("a released suite is sound").extended(files).expect("sound cases");
/// assert!(suite.case("generated.activation-read.3").is_some());
/// ```
#[must_use]
pub fn case_files(seed: u64, declaration: &Declaration, per_operation: usize) -> Vec<(String, Vec<u8>)> {
    let mut ground = Ground::new(declaration.rendering);
    let mut files = Vec::new();
    for (operation, contract, make) in OPERATIONS.into_iter().filter(|(operation, ..)| declaration.supports(*operation)) {
        let name = operation.declared_name();
        let cases: Vec<Asked> = (0..per_operation).filter_map(|number| asked(seed, name, number, make, &mut ground)).collect();
        if !cases.is_empty() {
            let text = write::file(contract, &version(contract), embedded::suite_version(), name, &cases);
            files.push((format!("{FOLDER}/{}.yaml", write::id_part(name)), text));
        }
    }
    files
}

/// The case of a number: thrown again until it is settled what is right. Themes come one after the other, and begin anywhere.
fn asked(seed: u64, operation: &str, number: usize, make: Make, ground: &mut Ground) -> Option<Asked> {
    let theme = number + Dice::of(seed, operation, ALL, 0).below(1_000);
    (0..ATTEMPTS).find_map(|attempt| make(&mut Dice::of(seed, operation, number, attempt), ground, theme))
}

/// Every third document has no fault.
fn is_faultless(theme: usize) -> bool {
    theme.is_multiple_of(3)
}

/// The number of a document with a fault among those that have one, so that each kind of fault has its turn.
fn fault_of(theme: usize) -> usize {
    theme - theme / 3
}

fn version(contract: &str) -> Value {
    if contract == packet::NAME { json!(packet::VERSION) } else { json!(1) }
}
