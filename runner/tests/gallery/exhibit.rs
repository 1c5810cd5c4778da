//! What an exhibit is, and what its two sides need.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{self, Command};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, thread};

use libtest_mimic::Failed;
use proofmark::adapter::{Answer, Hello, Operation, RequestId, RunnerInfo, SuiteInfo};
use proofmark_runner::client::{Client, ClientOptions, Death, Event, StartFault};
use serde_json::{Value, json};

use crate::leftovers::{MARK, left};

pub(crate) const MISBEHAVE: &str = "--misbehave";
/// For what must happen. Only a client that hangs needs so long.
const HANG: Duration = Duration::from_secs(60);
/// For timeouts that must come.
pub(crate) const SOON: Duration = Duration::from_millis(300);

/// An adapter with one fault, and what must come of it.
pub(crate) struct Exhibit {
    pub(crate) name: &'static str,
    /// The adapter's side.
    pub(crate) child: fn(&mut Talk),
    /// The client's side.
    pub(crate) check: fn(&Stage),
}

impl Exhibit {
    pub(crate) fn run(&'static self) -> Result<(), Failed> {
        let stage = Stage { name: self.name, mark: format!("{MARK}={}-{}", self.name, process::id()) };
        let mark = stage.mark.clone();
        let (done, outcome) = channel();
        thread::spawn(move || done.send(catch_unwind(AssertUnwindSafe(|| (self.check)(&stage)))));
        match outcome.recv_timeout(HANG) {
            Ok(Ok(())) => {}
            Ok(Err(panic)) => {
                let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
                return Err(text.unwrap_or("it panicked").into());
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Err("the client hangs".into()),
        }
        match left(&mark) {
            processes if processes.is_empty() => Ok(()),
            processes => Err(format!("processes are left: {processes:?}").into()),
        }
    }
}

/// The client's side of an exhibit.
pub(crate) struct Stage {
    name: &'static str,
    mark: String,
}

impl Stage {
    /// Starts the exhibit's adapter, with time for everything.
    pub(crate) fn options(&self) -> ClientOptions {
        let program = env::current_exe().unwrap();
        let mut options = ClientOptions::new([program.into_os_string(), MISBEHAVE.into(), self.name.into()]);
        let (name, value) = self.mark.split_once('=').unwrap();
        options.environment = vec![(name.into(), OsString::from(value))];
        (options.request_timeout, options.start_timeout, options.grace) = (HANG, HANG, HANG);
        options
    }

    pub(crate) fn start(&self) -> Client {
        start(&self.options())
    }

    /// A client whose requests time out soon.
    pub(crate) fn start_impatient(&self) -> Client {
        start(&ClientOptions { request_timeout: SOON, ..self.options() })
    }

    /// A client whose child gets little time for its end.
    pub(crate) fn start_graceless(&self) -> Client {
        start(&ClientOptions { grace: 2 * SOON, ..self.options() })
    }

    pub(crate) fn start_fault(&self) -> StartFault {
        start_fault(&self.options())
    }
}

pub(crate) fn start(options: &ClientOptions) -> Client {
    Client::start(options, &hello()).unwrap_or_else(|fault| panic!("{fault}"))
}

pub(crate) fn start_fault(options: &ClientOptions) -> StartFault {
    Client::start(options, &hello()).map(|_| ()).expect_err("the adapter must not start")
}

fn hello() -> Hello {
    Hello {
        protocol: vec![1],
        runner: RunnerInfo { name: "gallery".to_owned(), version: "1.0.0".to_owned() },
        suite: SuiteInfo { version: "1.0.0".to_owned(), digest: "sha256:0".to_owned() },
        nonce: "0".to_owned(),
    }
}

/// Sends `count` requests.
pub(crate) fn ask(client: &mut Client, count: usize) -> Vec<RequestId> {
    (0..count).map(|number| client.send(Operation::ActivationRead, &json!({ "payload": number })).unwrap()).collect()
}

/// The answer that [`Talk::answer`] gives.
pub(crate) fn answered(id: RequestId) -> Event {
    Event::Answer(id, Answer::Result(json!({ "answer": id })))
}

/// What happens next, however long that takes.
pub(crate) fn next(client: &mut Client) -> Event {
    loop {
        match client.poll() {
            Event::Idle => thread::sleep(Duration::from_millis(5)),
            event => return event,
        }
    }
}

/// The end, which must be next.
pub(crate) fn lost(client: &mut Client) -> Death {
    match client.poll() {
        Event::Lost(death) => death,
        event => panic!("{event:?}"),
    }
}

/// The adapter's side of an exhibit.
pub(crate) struct Talk {
    stdin: io::StdinLock<'static>,
}

impl Talk {
    pub(crate) fn new() -> Self {
        Self { stdin: io::stdin().lock() }
    }

    /// The next request. At the end of stdin the process exits, as it should.
    pub(crate) fn request(&mut self) -> Value {
        let mut line = String::new();
        match self.stdin.read_line(&mut line) {
            Ok(1..) => serde_json::from_str(&line).unwrap(),
            _ => process::exit(0),
        }
    }

    /// The id of the next request.
    pub(crate) fn id(&mut self) -> u64 {
        self.request()["id"].as_u64().unwrap()
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let mut stdout = io::stdout().lock();
        // Nobody listens any more: that is the client's business, and this process is about to be killed.
        let _ = stdout.write_all(bytes.as_ref()).and_then(|()| stdout.flush());
    }

    pub(crate) fn reply(&mut self, id: u64, result: &Value) {
        self.write(format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "result": result })));
    }

    pub(crate) fn reply_error(&mut self, id: u64, code: i64) {
        self.write(format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } })));
    }

    pub(crate) fn answer(&mut self, id: u64) {
        self.reply(id, &json!({ "answer": id }));
    }

    /// Answers `initialize` as it should be.
    pub(crate) fn initialize(&mut self) {
        let id = self.id();
        self.reply(id, &declaration());
    }

    /// Answers everything from here on as it should be, `shutdown` included, until stdin ends.
    pub(crate) fn behave(&mut self) {
        loop {
            let request = self.request();
            let id = request["id"].as_u64().unwrap();
            if request["method"] == "shutdown" { self.reply(id, &Value::Null) } else { self.answer(id) }
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

pub(crate) fn declaration() -> Value {
    json!({
        "protocol": 1,
        "implementation": {"name": "exhibit", "version": "1.0.0", "language": "Rust"},
        "operations": ["activation.read"],
        "contracts": {"skill_activation_evidence": [1]},
        "diagnostics": "rules",
        "max_in_flight": 64,
    })
}
