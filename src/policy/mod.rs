//! Rule packs: what is judged about every document and every answer, as data with native checks behind it.

mod checks;
mod exchange;
mod pack;
mod packet;
mod private;
mod receipt;
mod trace;
mod views;

pub use exchange::{Companion, Exchange};
pub use pack::{Check, Example, ExampleFault, PackError, Rule, RulePack};
pub use packet::{Surface, authority_claim};
pub use private::{masked, private_data};
pub use receipt::{Actionability, actionability, names_file, names_some_file};
pub use trace::{Capabilities, Monitor, RunFiles};
