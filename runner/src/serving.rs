//! A host as an adapter: the protocol on stdin and stdout, around anything that implements the trait.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};

use proofmark::adapter::{DEFAULT_MAX_LINE_BYTES, Implementation, Server};

/// The longest request that is read; requests are longer than answers.
const MAX_REQUEST_BYTES: usize = 4 * DEFAULT_MAX_LINE_BYTES;

/// Answers requests until `shutdown`, or until nobody asks or reads any more. The whole adapter of a Rust host:
///
/// ```no_run
/// # use proofmark::reference::Reference as MyHost;
/// fn main() -> std::io::Result<()> {
///     # let host = MyHost::new(proofmark::embedded::page_1());
///     proofmark_runner::serving::serve(host)
/// }
/// ```
///
/// # Errors
/// Where stdin or stdout can't be used, and for a request of more than 64 MiB.
pub fn serve(host: impl Implementation) -> io::Result<()> {
    let mut server = Server::new(host);
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut answers: Vec<u8> = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(MAX_REQUEST_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.len() > MAX_REQUEST_BYTES && !line.ends_with(b"\n") {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a request of more than {MAX_REQUEST_BYTES} bytes")));
        }
        let reply = server.handle(line.trim_ascii_end());
        answers.extend_from_slice(reply.line.as_bytes());
        answers.push(b'\n');
        // Answers to requests that came together leave together; whoever waits for one gets it at once.
        let another = memchr::memchr(b'\n', input.buffer()).is_some();
        if reply.finished || !another || answers.len() > 1 << 18 {
            let is_gone = is_gone(output.write_all(&answers).and_then(|()| output.flush()))?;
            answers.clear();
            if is_gone || reply.finished {
                return Ok(());
            }
        }
    }
    is_gone(output.write_all(&answers).and_then(|()| output.flush())).map(|_| ())
}

/// Whether nobody reads the answers any more: the conversation is over then.
fn is_gone(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        written => written.map(|()| false),
    }
}
