//! The protocol over HTTP: each message one POST to a host that runs already.
//!
//! What holds, whatever the host does:
//!
//! - One request is one POST, and what comes back for it stands for no other request.
//! - At most as many POSTs are under way as the host declared, over all conversations of one [`HttpHost`].
//! - A redirect is never followed, no proxy is asked, no cookie is kept, and a certificate is verified.
//! - Memory is bounded: an answer is cut off where it goes over the limit, while it is read.
//! - Ending a conversation closes its connections, those in use included. The host is not ours to end.

mod connection;
mod fault;
mod pool;
mod post;
mod url;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proofmark::adapter::DEFAULT_MAX_LINE_BYTES;

pub use connection::HttpConnection;
pub use fault::HttpStartFault;
use pool::Gate;
use url::HostUrl;
pub use url::UrlFault;

/// Where a host is, and how long and how much is borne from it.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// `http://` or `https://`, a host, and perhaps a port, a path and a query.
    pub url: String,
    /// How long one request may take, from its POST to the last byte of its answer.
    pub request_timeout: Duration,
    /// How long `initialize` may take.
    pub start_timeout: Duration,
    /// The longest answer that is read.
    pub max_line_bytes: usize,
    /// Whether the host may be another than this machine.
    pub any_host: bool,
}

impl HttpOptions {
    /// The defaults for a URL.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            request_timeout: Duration::from_secs(10),
            start_timeout: Duration::from_secs(10),
            max_line_bytes: DEFAULT_MAX_LINE_BYTES,
            any_host: false,
        }
    }
}

/// A host behind a URL that may be asked. Its clones are the same host: together they ask no more at once than it takes.
#[derive(Debug, Clone)]
pub struct HttpHost {
    options: HttpOptions,
    url: HostUrl,
    gate: Arc<Gate>,
    /// Whether it leaves connections open that it did not announce to close.
    keeps_open: Arc<AtomicBool>,
}

impl HttpHost {
    /// Looks at the URL; asks nobody.
    ///
    /// # Errors
    /// A [`UrlFault`] where this URL is not asked.
    pub fn new(options: HttpOptions) -> Result<Self, UrlFault> {
        let url = HostUrl::read(&options.url, options.any_host)?;
        Ok(Self { options, url, gate: Arc::default(), keeps_open: Arc::new(AtomicBool::new(true)) })
    }

    /// The URL, as it was given.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.options.url
    }

    /// How long one request may take.
    #[must_use]
    pub fn request_timeout(&self) -> Duration {
        self.options.request_timeout
    }
}
