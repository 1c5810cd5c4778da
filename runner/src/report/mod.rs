//! Reports: every form is rendered from one [`crate::run::RunReport`], one file a form.

mod json;
mod junit;
mod markdown;
mod terminal;

pub use json::json;
pub use junit::junit;
pub use markdown::markdown;
pub use terminal::{Terminal, rerun_command};
