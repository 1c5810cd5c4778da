//! A host that runs already, as a subcommand takes it beside a command.

use clap::Args;

use super::Failure;
use super::adapter_args::AdapterArgs;
use crate::run::OverProtocol;

/// Flags about a host behind a URL. They are there in every build, so that nobody looks for them in vain.
#[derive(Debug, Clone, Args)]
pub(super) struct UrlArgs {
    /// Ask a host that runs already: each message is a POST to this URL
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "env", "directory", "max_memory"])]
    pub(super) url: Option<String>,
    /// With --url: the host may be another machine than this one
    #[arg(long, requires = "url")]
    pub(super) any_host: bool,
}

impl UrlArgs {
    /// How a run asks the host, where there is a URL.
    pub(super) fn over_protocol(&self, adapter: &AdapterArgs) -> Result<Option<OverProtocol>, Failure> {
        self.url.as_deref().map(|url| self.host(url, adapter)).transpose()
    }

    #[cfg(feature = "http")]
    fn host(&self, url: &str, adapter: &AdapterArgs) -> Result<OverProtocol, Failure> {
        use crate::client::{Endpoint, HttpHost, HttpOptions};

        let options = HttpOptions {
            url: url.to_owned(),
            request_timeout: adapter.client.timeout,
            start_timeout: adapter.client.start_timeout,
            max_line_bytes: adapter.max_line_bytes,
            any_host: self.any_host,
        };
        let host = HttpHost::new(options).map_err(|fault| Failure::usage(format!("--url: {fault}")))?;
        Ok(adapter.over(Endpoint::Url(host)))
    }

    #[cfg(not(feature = "http"))]
    fn host(&self, _: &str, _: &AdapterArgs) -> Result<OverProtocol, Failure> {
        Err(Failure::usage(
            "--url: this proofmark was built without HTTP; build one with it: `cargo install --path runner --features http`, or from a \
             checkout `cargo run --release --features runner/http -- run --url URL`",
        ))
    }

    /// The words that say the same again, for a rerun of one case.
    pub(super) fn flags(&self) -> Vec<String> {
        let url = self.url.iter().flat_map(|url| ["--url".to_owned(), url.clone()]);
        url.chain(self.any_host.then(|| "--any-host".to_owned())).collect()
    }
}
