//! An adapter that drives harn-vm, the published implementation of skill activation evidence, for `proofmark run`.
//!
//! It translates shapes and nothing else: what Harn answers is handed on as it came, its mistakes included.

mod catalog;
mod host;
mod layers;
mod load;
mod profile;

use std::io::{self, BufRead as _, BufReader, Write as _};

use proofmark::adapter::Server;

use crate::host::Harn;

fn main() -> io::Result<()> {
    // Harn wants a deeper stack than the main thread's wherever its virtual machine runs.
    harn_vm::on_vm_stack(serve)
}

fn serve() -> io::Result<()> {
    let mut server = Server::new(Harn::start()?);
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let reply = server.handle(line.trim_ascii_end());
        writeln!(output, "{}", reply.line)?;
        output.flush()?;
        if reply.finished {
            return Ok(());
        }
    }
}
