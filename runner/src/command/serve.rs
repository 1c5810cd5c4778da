//! `proofmark serve`.

use clap::Args;
use proofmark::reference::Reference;

use super::{Failure, shipped_profile};
use crate::exit::Exit;
use crate::serving::serve;

/// Arguments of `serve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  proofmark run -- proofmark serve\n  proofmark run -- proofmark serve --rendering wide")]
pub(super) struct ServeArgs {
    /// The rendering profile to declare
    #[arg(long, value_name = "NAME", default_value = "page-1")]
    rendering: String,
}

pub(super) fn main(args: &ServeArgs) -> Result<Exit, Failure> {
    let profile = shipped_profile(&args.rendering)?;
    match serve(Reference::new(profile)) {
        Ok(()) => Ok(Exit::Conformant),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(Failure::adapter(error.to_string())),
        Err(error) => Err(error.into()),
    }
}
