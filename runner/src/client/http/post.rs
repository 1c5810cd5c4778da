//! One POST and what came back for it.

use std::io::{self, ErrorKind, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proofmark::adapter::ProtocolFault;
use ureq::http::{HeaderMap, Response, Uri, header};
use ureq::{Agent, Body};

/// How long a connection may be idle and be used again. Hosts close theirs after a few seconds, and a POST that meets its close is lost.
const MAX_IDLE: Duration = Duration::from_secs(1);
/// Bytes of an answer that is none which are kept for a message.
const EXCERPT_BYTES: u64 = 800;

/// What became of a POST.
#[derive(Debug)]
pub(super) enum Posted {
    /// A whole answer of the right kind; what it says is not looked into.
    Answered(Vec<u8>),
    /// An answer that can't be one of the protocol, and its beginning.
    Unfit(ProtocolFault, Vec<u8>),
    /// It took too long.
    TimedOut,
    /// There was no connection, or it ended before the answer did.
    Cut(Cut),
}

/// Why a connection could not be used.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) kind: ErrorKind,
    pub(super) words: String,
}

/// Sends POSTs to one URL, from any thread.
#[derive(Debug)]
pub(super) struct Poster {
    uri: Uri,
    max_body_bytes: usize,
    /// Uses connections again.
    keeping: Agent,
    /// Opens a connection for every POST.
    fresh: Agent,
    /// Whether the host leaves connections open that it did not announce to close, as far as any conversation with it knows.
    keeps_open: Arc<AtomicBool>,
    /// Whether a connection may have been used before.
    has_answered: AtomicBool,
}

impl Poster {
    pub(super) fn new(uri: Uri, max_body_bytes: usize, keeps_open: Arc<AtomicBool>) -> Self {
        let agent = |idle: usize| -> Agent {
            Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .proxy(None)
                .accept("application/json")
                .max_idle_connections(idle)
                .max_idle_connections_per_host(idle)
                .max_idle_age(MAX_IDLE)
                .build()
                .into()
        };
        Self { uri, max_body_bytes, keeping: agent(usize::MAX), fresh: agent(0), keeps_open, has_answered: AtomicBool::new(false) }
    }

    /// Sends one, and waits for all of its answer.
    pub(super) fn post(&self, body: &[u8], timeout: Duration) -> Posted {
        let until = Instant::now() + timeout;
        if self.keeps_open.load(Ordering::Relaxed) {
            let was_used = self.has_answered.load(Ordering::Relaxed);
            match self.exchange(&self.keeping, body, timeout) {
                // The host closed a connection that it had left open, just as it was used again: most likely it never saw this
                // request. From now on none is used again, so that this excuses no host that crashes over its requests.
                Err(error) if was_used && is_hang_up(&error) => self.keeps_open.store(false, Ordering::Relaxed),
                outcome => return self.judge(outcome),
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Posted::TimedOut } else { self.judge(self.exchange(&self.fresh, body, left)) }
    }

    /// Closes all connections, those in use included.
    pub(super) fn close(&self) {
        self.keeping.clone().shutdown();
        self.fresh.clone().shutdown();
    }

    fn exchange(&self, agent: &Agent, body: &[u8], timeout: Duration) -> Result<Response<Body>, ureq::Error> {
        let request = agent.post(&self.uri).config().timeout_global(Some(timeout)).build();
        request.header(header::CONTENT_TYPE, "application/json").send(body)
    }

    fn judge(&self, outcome: Result<Response<Body>, ureq::Error>) -> Posted {
        let mut response = match outcome {
            Ok(response) => response,
            Err(error) => return failed(error),
        };
        if let Some(what) = unfit(&response) {
            let mut beginning = Vec::new();
            // What can be had of it; there is a fault already, and how this ends adds nothing.
            let _ = response.body_mut().as_reader().take(EXCERPT_BYTES).read_to_end(&mut beginning);
            return Posted::Unfit(ProtocolFault::Transport(what), beginning);
        }
        let limit = self.max_body_bytes as u64;
        let mut body = Vec::new();
        if response.body().content_length().is_none_or(|length| length <= limit)
            && let Err(error) = response.body_mut().as_reader().take(limit.saturating_add(1)).read_to_end(&mut body)
        {
            return failed(error.into());
        } else if response.body().content_length().is_some_and(|length| length > limit) || body.len() as u64 > limit {
            let what = format!("an answer of more than {limit} bytes (--max-line-bytes)");
            body.truncate(EXCERPT_BYTES as usize);
            return Posted::Unfit(ProtocolFault::Transport(what), body);
        }
        self.has_answered.store(true, Ordering::Relaxed);
        Posted::Answered(body)
    }
}

/// Why a response can't be an answer, whatever its body says.
fn unfit<B>(response: &Response<B>) -> Option<String> {
    let (status, headers) = (response.status(), response.headers());
    if status.is_redirection() {
        let to = text(headers, &header::LOCATION).unwrap_or_else(|| "nowhere".to_owned());
        return Some(format!("HTTP status {status}, a redirect to {to}; redirects are never followed: name the host's own URL"));
    }
    if status.as_u16() != 200 {
        return Some(format!("HTTP status {status}; every answer has 200, a JSON-RPC error too"));
    }
    let is_plain = |coding: &String| coding.trim().eq_ignore_ascii_case("identity");
    if let Some(coding) = text(headers, &header::CONTENT_ENCODING).filter(|coding| !is_plain(coding)) {
        return Some(format!("an answer in the content-encoding {coding}, though none was asked for"));
    }
    let kind = text(headers, &header::CONTENT_TYPE);
    let essence = kind.as_deref().and_then(|kind| kind.split(';').next()).unwrap_or_default();
    if !essence.trim().eq_ignore_ascii_case("application/json") {
        let kind = kind.map_or_else(|| "without a content-type".to_owned(), |kind| format!("of the content-type {kind}"));
        return Some(format!("an answer {kind}; expected application/json"));
    }
    None
}

/// A header's text, fit for a message.
fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(super::super::ending::plain(&String::from_utf8_lossy(value.as_bytes()), 200))
}

/// Whether a connection ended instead of answering.
fn is_hang_up(error: &ureq::Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error, ureq::Error::Io(error) if matches!(error.kind(), UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe))
}

/// Sorts what the transport says: broken HTTP is an unfit answer; everything else leaves no connection.
fn failed(error: ureq::Error) -> Posted {
    let words = error.to_string();
    let kind = match error {
        ureq::Error::Timeout(_) => return Posted::TimedOut,
        ureq::Error::Protocol(_) | ureq::Error::Http(_) | ureq::Error::LargeResponseHeader(..) | ureq::Error::BodyStalled => {
            return Posted::Unfit(ProtocolFault::Transport(format!("an answer that is no HTTP: {words}")), Vec::new());
        }
        ureq::Error::Io(error) if error.kind() == ErrorKind::TimedOut => return Posted::TimedOut,
        ureq::Error::Io(error) => error.kind(),
        ureq::Error::HostNotFound => ErrorKind::NotFound,
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::TlsRequired => ErrorKind::InvalidData,
        _ => ErrorKind::Other,
    };
    Posted::Cut(Cut { kind, words })
}

impl From<io::Error> for Cut {
    fn from(error: io::Error) -> Self {
        Self { kind: error.kind(), words: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: u16, headers: &[(&str, &str)]) -> Option<String> {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        unfit(&response.body(()).unwrap())
    }

    #[test]
    fn an_answer_is_a_200_of_json_and_nothing_else() {
        let json = ("content-type", "application/json");
        for headers in [
            &[json][..],
            &[("content-type", "Application/JSON ; charset=utf-8")],
            &[json, ("content-encoding", "identity")],
            &[json, ("set-cookie", "a=b")],
        ] {
            assert_eq!(said(200, headers), None, "{headers:?}");
        }
        for (status, headers, words) in [
            (404, &[json][..], "status 404 Not Found"),
            (500, &[json], "status 500"),
            (201, &[json], "status 201"),
            (204, &[json], "status 204"),
            (302, &[json, ("location", "http://example.org/\u{e4}")], "redirect to http://example.org/"),
            (304, &[json], "redirect to nowhere"),
            (200, &[], "without a content-type"),
            (200, &[("content-type", "text/html")], "content-type text/html"),
            (200, &[("content-type", "application/json5")], "content-type application/json5"),
            (200, &[("content-type", "application/problem+json")], "application/problem+json"),
            (200, &[json, ("content-encoding", "gzip")], "content-encoding gzip"),
        ] {
            let said = said(status, headers).unwrap_or_default();
            assert!(said.contains(words), "{status} {headers:?}: {said:?}");
        }
    }
}
