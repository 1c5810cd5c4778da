//! `proofmark serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use clap::Args;
use proofmark::adapter::{DEFAULT_MAX_LINE_BYTES, Server};
use proofmark::reference::Reference;

use super::{Failure, shipped_profile};
use crate::exit::Exit;

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
    let mut server = Server::new(Reference::new(profile));
    let mut input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let mut output = std::io::stdout().lock();
    let mut answers: Vec<u8> = Vec::new();
    let mut line = Vec::new();
    let limit = 4 * DEFAULT_MAX_LINE_BYTES;
    loop {
        line.clear();
        let read = input.by_ref().take(limit as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.len() > limit && !line.ends_with(b"\n") {
            return Err(Failure { exit: Exit::Adapter, message: format!("a request of more than {limit} bytes") });
        }
        let reply = server.handle(line.trim_ascii_end());
        answers.extend_from_slice(reply.line.as_bytes());
        answers.push(b'\n');
        // Answers to requests that came together leave together; whoever waits for one gets it at once.
        let another = memchr::memchr(b'\n', input.buffer()).is_some();
        if reply.finished || !another || answers.len() > 1 << 18 {
            if gone(output.write_all(&answers).and_then(|()| output.flush()))? {
                return Ok(Exit::Conformant);
            }
            answers.clear();
        }
        if reply.finished {
            return Ok(Exit::Conformant);
        }
    }
    gone(output.write_all(&answers).and_then(|()| output.flush()))?;
    Ok(Exit::Conformant)
}

/// Whether nobody reads the answers any more: the conversation is over then.
fn gone(written: std::io::Result<()>) -> std::io::Result<bool> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(true),
        written => written.map(|()| false),
    }
}
