//! Reports: every form is rendered from one [`crate::run::RunReport`], one file a form.

mod json;
mod terminal;

pub use json::json;
pub use terminal::{Terminal, rerun_command};
