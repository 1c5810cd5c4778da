//! What a run needs of a conversation, whatever carries it.

use proofmark::adapter::{Declaration, Hello, Operation, RequestId};
use serde_json::Value;

use super::{Client, ClientOptions, Death, Event, Farewell, SendFault, StartFault};
#[cfg(feature = "http")]
use super::{HttpConnection, HttpHost};

/// A conversation with one adapter that was initialised. What the methods promise stands at [`Client`].
pub trait Connection: Send {
    /// What the adapter declared.
    fn declaration(&self) -> &Declaration;
    /// Takes a request; the next [`Connection::poll`] sends it.
    ///
    /// # Errors
    /// A [`SendFault`] where it can't be sent; it has no id then.
    fn send(&mut self, operation: Operation, params: &Value) -> Result<RequestId, SendFault>;
    /// Waits until something happens.
    fn poll(&mut self) -> Event;
    /// What the adapter has said on stderr, where it has one.
    fn stderr(&self) -> String;
    /// The beginning of the latest faulty line, fit for a terminal.
    fn offending_line(&self) -> &str;
    /// Asks the adapter to shut down, and ends the conversation.
    fn shutdown(self: Box<Self>) -> Farewell;
    /// Ends the conversation at once.
    fn kill(self: Box<Self>) -> Death;
}

impl Connection for Client {
    fn declaration(&self) -> &Declaration {
        self.declaration()
    }

    fn send(&mut self, operation: Operation, params: &Value) -> Result<RequestId, SendFault> {
        self.send(operation, params)
    }

    fn poll(&mut self) -> Event {
        self.poll()
    }

    fn stderr(&self) -> String {
        self.stderr()
    }

    fn offending_line(&self) -> &str {
        self.offending_line()
    }

    fn shutdown(self: Box<Self>) -> Farewell {
        (*self).shutdown()
    }

    fn kill(self: Box<Self>) -> Death {
        (*self).kill()
    }
}

/// Where an adapter is, and how it is reached.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// A command, each conversation with a process of its own.
    Command(ClientOptions),
    /// A host that runs already, all conversations with the same one.
    #[cfg(feature = "http")]
    Url(HttpHost),
}

impl Endpoint {
    /// Begins a conversation.
    ///
    /// # Errors
    /// A [`StartFault`]; whatever was started is dead by then.
    pub fn connect(&self, hello: &Hello) -> Result<Box<dyn Connection>, StartFault> {
        match self {
            Self::Command(options) => Ok(Box::new(Client::start(options, hello)?)),
            #[cfg(feature = "http")]
            Self::Url(host) => Ok(Box::new(HttpConnection::start(host, hello)?)),
        }
    }

    /// How long one request may take.
    #[must_use]
    pub fn request_timeout(&self) -> std::time::Duration {
        match self {
            Self::Command(options) => options.request_timeout,
            #[cfg(feature = "http")]
            Self::Url(host) => host.request_timeout(),
        }
    }

    /// The adapter's command, or where it is.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        match self {
            Self::Command(options) => options.command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
            #[cfg(feature = "http")]
            Self::Url(host) => vec![host.url().to_owned()],
        }
    }
}
