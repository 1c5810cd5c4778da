//! The adapter's side of an exhibit: the reference, into whose words the exhibit may put its own.

use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{self, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, fs, thread};

use proofmark::adapter::Server;
use proofmark::reference::Reference;
use serde_json::{Value, json};

/// The variable that names a file with a byte for each time that this adapter was started.
pub(crate) const LIVES: &str = "PROOFMARK_LIVES";

/// A request, as it came.
pub(crate) struct Request {
    line: String,
    message: Value,
}

impl Request {
    pub(crate) fn id(&self) -> u64 {
        self.message["id"].as_u64().unwrap()
    }

    pub(crate) fn method(&self) -> &str {
        self.message["method"].as_str().unwrap()
    }

    /// The same request with another value for one of its params.
    pub(crate) fn with(mut self, param: &str, value: Value) -> Self {
        self.message["params"][param] = value;
        self.line = self.message.to_string();
        self
    }

    /// The whole line, without its end.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }
}

pub(crate) struct Host {
    requests: Receiver<Request>,
    server: Server<Reference>,
    /// How often this adapter was started in its run, this time included.
    pub(crate) life: u64,
}

impl Host {
    pub(crate) fn new() -> Self {
        let lives = PathBuf::from(env::var_os(LIVES).unwrap());
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&lives).unwrap();
        file.write_all(b".").unwrap();
        let (sender, requests) = channel();
        // Read ahead, so that an adapter can see how many requests wait for it.
        thread::spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                let message = serde_json::from_str(&line).unwrap();
                if sender.send(Request { line, message }).is_err() {
                    return;
                }
            }
        });
        Self { requests, server: Server::new(Reference::default()), life: fs::metadata(&lives).unwrap().len() }
    }

    /// The next request. At the end of stdin the process exits, as it should.
    pub(crate) fn request(&mut self) -> Request {
        self.requests.recv().unwrap_or_else(|_| process::exit(0))
    }

    /// The next request, or none where none comes for so long.
    pub(crate) fn request_within(&mut self, wait: Duration) -> Option<Request> {
        match self.requests.recv_timeout(wait) {
            Ok(request) => Some(request),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => process::exit(0),
        }
    }

    pub(crate) fn say(&mut self, bytes: impl AsRef<[u8]>) {
        let mut stdout = io::stdout().lock();
        // Nobody listens any more: that is the runner's business, and this process is about to be killed.
        let _ = stdout.write_all(bytes.as_ref()).and_then(|()| stdout.flush());
    }

    /// What the reference answers: the whole message.
    pub(crate) fn right(&mut self, request: &Request) -> Value {
        serde_json::from_str(&self.server.handle(request.line.as_bytes()).line).unwrap()
    }

    /// The result that the reference answers with, as text.
    pub(crate) fn right_result(&mut self, request: &Request) -> String {
        self.right(request)["result"].to_string()
    }

    /// Answers as the reference does.
    pub(crate) fn answer(&mut self, request: &Request) {
        let right = self.right(request);
        self.say(format!("{right}\n"));
    }

    pub(crate) fn reply(&mut self, request: &Request, result: &Value) {
        self.say(format!("{}\n", json!({ "jsonrpc": "2.0", "id": request.id(), "result": result })));
    }

    pub(crate) fn reply_error(&mut self, request: &Request, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.say(format!("{}\n", json!({ "jsonrpc": "2.0", "id": request.id(), "error": error })));
    }

    /// Answers `initialize`.
    pub(crate) fn greet(&mut self) {
        self.greet_as(|_| ());
    }

    /// Answers `initialize` with a declaration that is not quite the reference's.
    pub(crate) fn greet_as(&mut self, change: impl FnOnce(&mut Value)) {
        let request = self.request();
        let mut right = self.right(&request);
        change(&mut right["result"]);
        self.say(format!("{right}\n"));
    }

    /// Answers everything from here on as it should be, `shutdown` included.
    pub(crate) fn behave(&mut self) {
        self.behave_but("", |_, _| ());
    }

    /// [`Host::behave`], but for the requests of one method.
    pub(crate) fn behave_but(&mut self, method: &str, mut fault: impl FnMut(&mut Self, &Request)) {
        loop {
            let request = self.request();
            if request.method() == method {
                fault(self, &request);
                continue;
            }
            self.answer(&request);
            if request.method() == "shutdown" {
                return;
            }
        }
    }

    /// A whole conversation as it should be.
    pub(crate) fn serve(&mut self) {
        self.serve_as(|_| ());
    }

    /// A whole conversation as it should be, but for what is declared.
    pub(crate) fn serve_as(&mut self, change: impl FnOnce(&mut Value)) {
        self.greet_as(change);
        self.behave();
    }

    /// A whole conversation as it should be, but for the requests of one method.
    pub(crate) fn serve_but(&mut self, method: &str, fault: impl FnMut(&mut Self, &Request)) {
        self.greet();
        self.behave_but(method, fault);
    }

    /// A whole conversation in which every answer but those to `initialize` and `shutdown` is another than it should be.
    pub(crate) fn serve_all(&mut self, mut fault: impl FnMut(&mut Self, &Request)) {
        self.greet();
        loop {
            let request = self.request();
            if request.method() == "shutdown" {
                return self.answer(&request);
            }
            fault(self, &request);
        }
    }

    /// Becomes a shell with this script: the same process, the same pipes.
    pub(crate) fn become_shell(&mut self, script: &str) {
        panic!("{}", Command::new("sh").args(["-c", script]).exec());
    }

    /// Lives on and does nothing.
    pub(crate) fn linger(&mut self) {
        self.become_shell("exec sleep 600");
    }
}
