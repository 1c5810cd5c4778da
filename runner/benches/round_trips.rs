//! Round trips a second through the client, against what is possible at all.
//!
//! `cargo bench -p runner --bench round_trips`, and once more under `taskset -c 0`: on one core the work of both sides adds up, on
//! two it overlaps, and a client that wakes threads looks good on one of them only. With `--test` it makes one small round.
//!
//! The yardstick is a bare client: requests that were encoded beforehand, no clock, no bookkeeping, no limits; answers are read as
//! strictly as a session reads them. Both talk to the same child, this program itself, which parses each request and sends its
//! params back. Encoding alone, which the bare client is spared, costs about a tenth of a round trip; the goal is 0.85 of the bare
//! rate with 64 requests in flight.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use proofmark::adapter::{Declaration, Hello, Operation, Received, RunnerInfo, Session, SuiteInfo};
use proofmark_runner::client::{Client, ClientOptions, Event};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

const ECHO: &str = "--echo";

fn main() {
    if env::args().any(|argument| argument == ECHO) {
        return echo().expect("the pipes last as long as the child");
    }
    let quick = env::args().any(|argument| argument == "--test");
    // Short rounds in turn, so that whatever else the machine does falls on both.
    let (rounds, duration) = if quick { (1, Duration::from_millis(5)) } else { (61, Duration::from_millis(60)) };
    let params = params();
    println!("one request: {} bytes", line(1, &params).len());
    println!("in-process encode and decode: {:.0} a second", in_process(&params, duration));
    for window in [64, 1] {
        let mut bare = Bare::start(&params);
        let mut ours = start_ours();
        let mut rates = Vec::new();
        for _ in 0..rounds {
            let bare_rate = bare.rate(window, duration);
            rates.push((bare_rate, rate(&mut ours, &params, window, duration)));
        }
        let bare_median = median(rates.iter().map(|(bare, _)| *bare));
        let ours_median = median(rates.iter().map(|(_, ours)| *ours));
        let ratio = median(rates.iter().map(|(bare, ours)| ours / bare));
        println!(
            "window {window:>2}: bare {bare_median:.0}, ours {ours_median:.0} a second; ours/bare {ratio:.3} (median of {rounds} pairs)"
        );
        assert!(ours.shutdown().is_clean(), "the echo child leaves when asked");
        bare.end();
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A registry of four skills, as most cases have one.
fn params() -> Value {
    let skills: Vec<Value> = (0..4)
        .map(|number| {
            json!({
                "name": format!("skill-{number}"),
                "description": "Reads the changelog of a package and says which of its changes break callers.",
                "when_to_use": "Before a dependency is raised.",
            })
        })
        .collect();
    json!({
        "registry": {"_type": "skill_registry", "skills": skills},
        "options": {"budget": 2000, "strict": false},
        "profile": {
            "unit": "characters", "header": 48, "separator": 1, "footer": 0, "suffix": {"base": 51, "plus_digits": true},
            "card": {"id": 4, "description": 2, "when_to_use": 15}, "order": "id", "fit": "prefix", "below_floor": "raise", "empty": "header",
        },
    })
}

/// A request as the bare client keeps it.
fn line(id: u64, params: &Value) -> Vec<u8> {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": Operation::ActivationEvidence.name(), "params": params});
    format!("{request}\n").into_bytes()
}

#[derive(Serialize)]
struct Reply<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: &'a Value,
}

/// The child: answers each request with its params, and flushes when nothing more has come.
fn echo() -> io::Result<()> {
    let mut stdin = BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let mut stdout = io::BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    let mut declaration = Declaration::new("echo", "1.0.0", "Rust").operations([Operation::ActivationEvidence]);
    declaration.max_in_flight = 64;
    let mut line = Vec::new();
    while stdin.read_until(b'\n', &mut line)? > 0 {
        let request: Value = serde_json::from_slice(&line)?;
        let result = match request["method"].as_str() {
            Some("initialize") => &json!(declaration),
            Some("shutdown") => &Value::Null,
            _ => &request["params"],
        };
        serde_json::to_writer(&mut stdout, &Reply { jsonrpc: "2.0", id: &request["id"], result })?;
        stdout.write_all(b"\n")?;
        line.clear();
        if stdin.buffer().is_empty() {
            stdout.flush()?;
        }
    }
    Ok(())
}

fn command() -> [OsString; 2] {
    [env::current_exe().expect("this program has a path").into(), ECHO.into()]
}

fn start_ours() -> Client {
    let hello = Hello {
        protocol: vec![1],
        runner: RunnerInfo { name: "round_trips".to_owned(), version: "1.0.0".to_owned() },
        suite: SuiteInfo { version: "1.0.0".to_owned(), digest: "sha256:0".to_owned() },
        nonce: "0".to_owned(),
    };
    Client::start(&ClientOptions::new(command()), &hello).expect("this program is an adapter")
}

/// Round trips a second with our client.
fn rate(client: &mut Client, params: &Value, window: usize, duration: Duration) -> f64 {
    let start = Instant::now();
    let (mut answers, mut running) = (0_u32, true);
    loop {
        running &= answers % 64 != 0 || start.elapsed() < duration;
        while running && client.open() < window {
            client.send(Operation::ActivationEvidence, params).expect("the window is no larger than declared");
        }
        match client.poll() {
            Event::Answer(..) => answers += 1,
            Event::Idle => return f64::from(answers) / start.elapsed().as_secs_f64(),
            event => panic!("an echo is no {event:?}"),
        }
    }
}

/// Requests that the bare client writes at once.
const PORTION: usize = 16;

/// The bare client.
struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    buffer: Vec<u8>,
    line: Vec<u8>,
}

#[derive(Deserialize)]
struct BareReply<'a> {
    #[serde(borrow)]
    jsonrpc: &'a RawValue,
    id: u64,
    #[serde(borrow)]
    result: &'a RawValue,
}

impl Bare {
    fn start(params: &Value) -> Self {
        let [program, argument] = command();
        let mut child =
            Command::new(program).arg(argument).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("this program starts");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Self { child, stdin, stdout, buffer: vec![0; 128 * 1024], line: line(1, params) }
    }

    fn rate(&mut self, window: usize, duration: Duration) -> f64 {
        let lines = self.line.repeat(window);
        let start = Instant::now();
        let (mut answers, mut open, mut end, mut running) = (0_u32, 0, 0, true);
        loop {
            running = running && start.elapsed() < duration;
            self.fill(&mut open, window, &lines, running);
            if open == 0 {
                return f64::from(answers) / start.elapsed().as_secs_f64();
            }
            let count = self.stdout.read(&mut self.buffer[end..]).expect("the child writes");
            assert!(count > 0, "the child lives");
            end += count;
            let mut begin = 0;
            while let Some(length) = memchr::memchr(b'\n', &self.buffer[begin..end]) {
                let text = std::str::from_utf8(&self.buffer[begin..begin + length]).expect("UTF-8");
                let reply: BareReply<'_> = serde_json::from_str(text).expect("a response");
                let result = proofmark::json::parse(reply.result.get()).expect("a result");
                assert!(reply.jsonrpc.get() == "\"2.0\"" && reply.id == 1 && result.is_object());
                begin += length + 1;
                answers += 1;
                open -= 1;
                // In portions, so that the child works while answers are read.
                if window - open >= PORTION {
                    self.fill(&mut open, window, &lines, running);
                }
            }
            self.buffer.copy_within(begin..end, 0);
            end -= begin;
        }
    }

    fn fill(&mut self, open: &mut usize, window: usize, lines: &[u8], running: bool) {
        if running {
            self.stdin.write_all(&lines[..(window - *open) * self.line.len()]).expect("the child reads");
            *open = window;
        }
    }

    fn end(mut self) {
        drop(self.stdin);
        self.child.wait().expect("the child ends with its stdin");
    }
}

/// Requests encoded and answers decoded a second, without a pipe.
fn in_process(params: &Value, duration: Duration) -> f64 {
    let mut session = Session::new();
    let mut buffer = Vec::new();
    let (mut count, mut spent) = (0_u32, Duration::ZERO);
    while spent < duration {
        buffer.clear();
        let start = Instant::now();
        let id = session.request(Operation::ActivationEvidence.name(), params, &mut buffer).expect("a value is JSON");
        spent += start.elapsed();
        let reply = json!({"jsonrpc": "2.0", "id": id, "result": params}).to_string();
        let start = Instant::now();
        let received = session.receive(reply.as_bytes());
        spent += start.elapsed();
        assert!(matches!(received, Received::Answer(..)));
        count += 1;
    }
    f64::from(count) / spent.as_secs_f64()
}
