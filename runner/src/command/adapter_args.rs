//! How an adapter is asked, as every subcommand that runs cases takes it.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use proofmark::adapter::DEFAULT_MAX_LINE_BYTES;

use super::client_args::ClientArgs;
use super::size;
use crate::client::Endpoint;
use crate::run::OverProtocol;

/// Flags about the adapter.
#[derive(Debug, Clone, Args)]
pub(super) struct AdapterArgs {
    #[command(flatten)]
    pub(super) client: ClientArgs,
    /// Children that are asked at the same time
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: u16,
    /// Requests in flight at most with one child, whatever the adapter declares
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(super) window: u16,
    /// The longest answer that is read, such as 16MiB
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = line_bytes)]
    pub(super) max_line_bytes: usize,
    /// Memory that a child may have in use, such as 512MiB; one that takes more is killed (on Linux)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) max_memory: Option<u64>,
    /// How often children that crashed are started again
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) max_restarts: usize,
}

fn line_bytes(text: &str) -> Result<usize, String> {
    match size(text)? {
        bytes @ 256..=1_073_741_824 => usize::try_from(bytes).map_err(|error| error.to_string()),
        _ => Err(format!("{text:?} is out of bounds; from 256 bytes to 1GiB")),
    }
}

impl AdapterArgs {
    /// How a run asks this command.
    pub(super) fn over_protocol(&self, command: &[OsString]) -> OverProtocol {
        let mut client = self.client.options(command);
        client.max_line_bytes = self.max_line_bytes;
        client.max_memory_bytes = self.max_memory;
        self.over(Endpoint::Command(client))
    }

    /// How a run asks this endpoint.
    pub(super) fn over(&self, endpoint: Endpoint) -> OverProtocol {
        OverProtocol { endpoint, window: self.window.into(), jobs: self.jobs.into(), max_restarts: self.max_restarts }
    }

    /// The words that say the same again, for a rerun of one case.
    pub(super) fn flags(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if self.client.start_timeout != Duration::from_secs(10) {
            flag("--start-timeout", format!("{}ms", self.client.start_timeout.as_millis()));
        }
        if self.client.grace != Duration::from_secs(2) {
            flag("--grace", format!("{}ms", self.client.grace.as_millis()));
        }
        if self.window != 64 {
            flag("--window", self.window.to_string());
        }
        if self.max_line_bytes != DEFAULT_MAX_LINE_BYTES {
            flag("--max-line-bytes", self.max_line_bytes.to_string());
        }
        if let Some(bytes) = self.max_memory {
            flag("--max-memory", bytes.to_string());
        }
        if self.client.timeout != Duration::from_secs(10) {
            flag("--timeout", format!("{}ms", self.client.timeout.as_millis()));
        }
        for env in &self.client.env {
            flag("--env", env.clone());
        }
        if let Some(directory) = &self.client.directory {
            flag("--directory", directory.display().to_string());
        }
        words
    }
}
