//! Which URLs are asked.

use std::error::Error;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

/// A URL that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostUrl(pub(super) Uri);

/// Why a URL is not asked. The URL itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlFault {
    /// It can't be read as a URL.
    NotAUrl {
        /// What the reader said.
        reason: String,
    },
    /// Its scheme is neither http nor https.
    Scheme,
    /// It holds a user name or a password.
    UserInfo,
    /// It holds a fragment, which is never sent.
    Fragment,
    /// It leads to another machine, and nobody said that it may.
    NotLoopback {
        /// The host.
        host: String,
    },
}

impl Error for UrlFault {}

impl fmt::Display for UrlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXPECTED: &str = "expected one like http://127.0.0.1:8080/rpc";
        match self {
            Self::NotAUrl { reason } => write!(f, "this is no URL: {reason}; {EXPECTED}"),
            Self::Scheme => write!(f, "the URL has another scheme than http and https; {EXPECTED}"),
            Self::UserInfo => write!(
                f,
                "the URL holds a user name or a password, which would stand in every report; {EXPECTED}, from a host that lets this machine ask"
            ),
            Self::Fragment => write!(f, "the URL has a fragment (`#`), which is never sent; leave it out"),
            Self::NotLoopback { host } => write!(
                f,
                "{host:?} is not this machine; expected 127.0.0.1, [::1] or localhost. If that host may be sent the requests of the suite, say so \
                 with --any-host"
            ),
        }
    }
}

impl HostUrl {
    pub(super) fn read(text: &str, any_host: bool) -> Result<Self, UrlFault> {
        let (before, rest) = text.split_once("://").unwrap_or(("", text));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // First of all, so that no other message quotes what stands there.
        if authority.contains('@') {
            return Err(UrlFault::UserInfo);
        }
        if text.contains('#') {
            return Err(UrlFault::Fragment);
        }
        let uri: Uri = text.parse().map_err(|error: ureq::http::uri::InvalidUri| UrlFault::NotAUrl { reason: error.to_string() })?;
        let missing = |what: &str| UrlFault::NotAUrl { reason: format!("it has no {what}") };
        if before.is_empty() {
            return Err(missing("scheme"));
        }
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(UrlFault::Scheme);
        }
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| missing("host"))?;
        // The reader takes a port that is none for no port, and the scheme's own would be asked.
        if authority.len() > host.len() && uri.port_u16().is_none_or(|port| port == 0) {
            return Err(UrlFault::NotAUrl { reason: "its port is no number from 1 to 65535".to_owned() });
        }
        if !any_host && !is_loopback(host) {
            return Err(UrlFault::NotLoopback { host: host.to_owned() });
        }
        Ok(Self(uri))
    }
}

/// Whether a host is this machine by its name alone: nobody is asked what a name stands for.
fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bare {
        Some(bare) => bare.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
        None => host.eq_ignore_ascii_case("localhost") || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(), UrlFault> {
        HostUrl::read(text, false).map(|_| ())
    }

    #[test]
    fn this_machine_may_be_asked_under_each_of_its_names() {
        for url in [
            "http://127.0.0.1",
            "http://127.0.0.1:8080/rpc?session=1",
            "http://127.9.9.9:1/",
            "http://[::1]:8080",
            "https://localhost:8443/a@b",
            "HTTP://LOCALHOST/",
        ] {
            assert_eq!(read(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn another_machine_is_asked_only_where_somebody_says_so() {
        for (url, host) in [
            ("http://example.org", "example.org"),
            ("http://128.0.0.1", "128.0.0.1"),
            ("http://0.0.0.0:80", "0.0.0.0"),
            ("http://localhost.example.org", "localhost.example.org"),
            ("http://127.0.0.1.example.org", "127.0.0.1.example.org"),
            // What a resolver may make of it is not looked into.
            ("http://127.1", "127.1"),
            ("http://[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]"),
            ("http://[::2]", "[::2]"),
        ] {
            assert_eq!(read(url), Err(UrlFault::NotLoopback { host: host.to_owned() }), "{url}");
            assert!(HostUrl::read(url, true).is_ok(), "{url}");
        }
    }

    #[test]
    fn what_is_no_plain_url_is_refused_whatever_host_is_allowed() {
        let not_a_url = |url: &str| matches!(HostUrl::read(url, true), Err(UrlFault::NotAUrl { .. }));
        for url in [
            "",
            "127.0.0.1:8080",
            "localhost",
            "/rpc",
            "http://",
            "http:///rpc",
            "http://127.0.0.1\\rpc",
            "http://127.0.0.1:port/",
            "http://127.0.0.1:65536/",
            "http://127.0.0.1:0/",
            "http://127.0.0.1:/",
            "http://[::1]x/",
            "http://a b/",
        ] {
            assert!(not_a_url(url), "{url}: {:?}", HostUrl::read(url, true));
        }
        for (url, fault) in [
            ("ftp://127.0.0.1/", UrlFault::Scheme),
            ("ws://127.0.0.1/", UrlFault::Scheme),
            ("http://user:pw@127.0.0.1/", UrlFault::UserInfo),
            ("http://127.0.0.1@example.org/", UrlFault::UserInfo),
            ("user@127.0.0.1", UrlFault::UserInfo),
            ("http://127.0.0.1/#part", UrlFault::Fragment),
        ] {
            assert_eq!(HostUrl::read(url, true), Err(fault), "{url}");
        }
    }

    #[test]
    fn no_message_repeats_a_password() {
        for url in ["http://user:hunter2@127.0.0.1/", "http://user:hunter2@", "user:hunter2@host", "ftp://user:hunter2@host/#x"] {
            let said = read(url).unwrap_err().to_string();
            assert!(!said.contains("hunter2") && said.contains("password"), "{said}");
        }
    }
}
