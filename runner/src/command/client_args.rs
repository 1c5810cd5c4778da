//! How a child is started and how long it is waited for, as every subcommand that starts one takes it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use proofmark::adapter::DEFAULT_MAX_LINE_BYTES;

use super::duration;
use crate::client::ClientOptions;

/// Flags about the child.
#[derive(Debug, Clone, Args)]
pub(super) struct ClientArgs {
    /// How long one request may take
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(super) timeout: Duration,
    /// How long the adapter may take to start
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(super) start_timeout: Duration,
    /// How long the adapter may take over each step of its end
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s")]
    pub(super) grace: Duration,
    /// A variable for the adapter's environment: NAME to hand ours down, which is the way for secrets, or NAME=VALUE, which reports show
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(super) env: Vec<String>,
    /// The directory that the adapter runs in
    #[arg(long, value_name = "DIR")]
    pub(super) directory: Option<PathBuf>,
}

impl ClientArgs {
    /// Options for a client of this command.
    pub(super) fn options(&self, command: &[OsString]) -> ClientOptions {
        let mut client = ClientOptions::new(command);
        client.directory.clone_from(&self.directory);
        for text in &self.env {
            match text.split_once('=') {
                Some((name, value)) => client.environment.push((name.into(), value.into())),
                None => client.pass_environment.push(text.into()),
            }
        }
        client.request_timeout = self.timeout;
        client.start_timeout = self.start_timeout;
        client.grace = self.grace;
        client.max_line_bytes = DEFAULT_MAX_LINE_BYTES;
        client
    }
}
