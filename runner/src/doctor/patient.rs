//! The adapter under examination: asked one thing at a time or many, started anew whenever it was lost.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use proofmark::adapter::{Answer, Hello, ProtocolFault};
use proofmark::json;
use serde_json::{Value, json};

use super::check::Complaint;
use crate::client::{Client, ClientOptions, Event, Farewell, StartFault};

/// Characters of a message that are shown.
const SHOWN_CHARS: usize = 400;

/// A line that came where none was to come.
#[derive(Debug, Clone)]
pub(super) struct Stray {
    pub(super) fault: ProtocolFault,
    /// How it begins.
    pub(super) line: String,
    /// What had been asked last.
    pub(super) asked: String,
}

impl Stray {
    /// Whether it is another answer to a request that was answered.
    pub(super) fn is_second_answer(&self) -> bool {
        matches!(self.fault, ProtocolFault::AnsweredBefore(_))
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It could not be started again. That is a finding of its own, and of no other check.
    NotStarted,
    /// Something wrong came, or nothing.
    Wrong(String),
}

impl Trouble {
    /// The complaint that this is, unless it is not the asker's.
    pub(super) fn complaint(self, sent: String, expected: impl Into<String>) -> Option<Complaint> {
        match self {
            Self::NotStarted => None,
            Self::Wrong(came) => Some(Complaint::new(sent, came, expected)),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str("it could not be started again"),
            Self::Wrong(came) => f.write_str(came),
        }
    }
}

/// The adapter.
pub(super) struct Patient<'a> {
    pub(super) options: &'a ClientOptions,
    pub(super) hello: &'a Hello,
    client: Option<Client>,
    /// Lines out of place that spoiled no answer.
    pub(super) strays: Vec<Stray>,
    /// Why it could not be started again, the first time.
    pub(super) start_fault: Option<String>,
    /// Lines that it said on stderr, as far as its processes have ended.
    pub(super) said_lines: usize,
    /// Where it is lost, and nobody may start it again.
    pub(super) is_given_up: bool,
}

impl<'a> Patient<'a> {
    /// An adapter that shook hands, in its first process.
    pub(super) fn new(options: &'a ClientOptions, hello: &'a Hello, client: Client) -> Self {
        let (strays, start_fault) = (Vec::new(), None);
        Self { options, hello, client: Some(client), strays, start_fault, said_lines: 0, is_given_up: false }
    }

    /// Starts it where it does not run.
    pub(super) fn client(&mut self) -> Result<&mut Client, Trouble> {
        if self.client.is_none() {
            if self.is_given_up {
                return Err(Trouble::NotStarted);
            }
            match Client::start(self.options, self.hello) {
                Ok(client) => self.client = Some(client),
                Err(fault) => {
                    // An adapter that does not come back once would cost its start time-out in every check that is left.
                    self.is_given_up = true;
                    self.start_fault = Some(fault.to_string());
                }
            }
        }
        self.client.as_mut().ok_or(Trouble::NotStarted)
    }

    /// Starts another process beside this one.
    pub(super) fn another(&self, options: &ClientOptions) -> Result<Self, Box<StartFault>> {
        let client = Client::start(options, self.hello).map_err(Box::new)?;
        Ok(Self { is_given_up: true, ..Self::new(self.options, self.hello, client) })
    }

    /// Ends its process without a word.
    pub(super) fn kill(&mut self) {
        if let Some(client) = self.client.take() {
            self.said_lines += client.kill().stderr.lines().count();
        }
    }

    /// Ends its process politely, whatever it says to that: so that the next one is alone.
    pub(super) fn end(&mut self) {
        drop(self.shutdown());
    }

    /// Ends its process as the protocol has it.
    pub(super) fn shutdown(&mut self) -> Option<Farewell> {
        let farewell = self.client.take()?.shutdown();
        self.said_lines += farewell.stderr.lines().count();
        Some(farewell)
    }

    /// Closes its stdin, and no more.
    pub(super) fn hang_up(&mut self) -> Option<Farewell> {
        let farewell = self.client.take()?.hang_up();
        self.said_lines += farewell.stderr.lines().count();
        Some(farewell)
    }

    /// Asks one thing.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Answer, Trouble> {
        self.ask_all(&[(method, params)], 1).map(|mut answers| answers.pop().unwrap_or(Answer::Unsupported)).map_err(|(_, trouble)| trouble)
    }

    /// Asks all of it, at most `window` at once, and returns the answers in the order of the requests; or the first request that was
    /// not answered, and why. Whatever was asked after that is dropped, with the process.
    pub(super) fn ask_all(&mut self, requests: &[(&str, &Value)], window: usize) -> Result<Vec<Answer>, (usize, Trouble)> {
        let timeout = self.options.request_timeout;
        let mut client = match self.client() {
            Ok(_) => self.client.take().ok_or((0, Trouble::NotStarted))?,
            Err(trouble) => return Err((0, trouble)),
        };
        let mut answers: Vec<Option<Answer>> = requests.iter().map(|_| None).collect();
        let mut open: HashMap<u64, usize> = HashMap::new();
        let mut strays: Vec<Stray> = Vec::new();
        let mut next = 0;
        let mut fault: Option<(usize, String)> = None;
        while fault.is_none() && (next < requests.len() || !open.is_empty()) {
            while next < requests.len() && open.len() < window {
                let (method, params) = requests[next];
                match client.request(method, params) {
                    Ok(id) => _ = open.insert(id, next),
                    Err(refused) => {
                        fault = Some((next, refused.to_string()));
                        break;
                    }
                }
                next += 1;
            }
            let oldest = |open: &HashMap<u64, usize>| open.values().min().copied().unwrap_or(0);
            match client.poll() {
                Event::Answer(id, answer) => {
                    if let Some(at) = open.remove(&id) {
                        answers[at] = Some(answer);
                    }
                }
                Event::RequestFault(id, broken) => {
                    let at = open.remove(&id).unwrap_or(0);
                    fault = Some((at, format!("an answer that is broken: {broken}; the line begins: {}", client.offending_line())));
                }
                Event::Stray(broken) => {
                    let asked = requests.get(oldest(&open)).map_or("", |(method, _)| method).to_owned();
                    strays.push(Stray { fault: broken, line: client.offending_line().to_owned(), asked });
                }
                Event::TimedOut(id) => {
                    let at = open.remove(&id).unwrap_or(0);
                    fault = Some((at, nothing(timeout, &strays)));
                    strays.retain(Stray::is_second_answer);
                }
                Event::Lost(death) => {
                    fault = Some((oldest(&open), format!("{death}{}", last_words(&strays))));
                    strays.retain(Stray::is_second_answer);
                }
                Event::Idle => {
                    if !open.is_empty() {
                        fault = Some((oldest(&open), "nothing".to_owned()));
                    }
                }
            }
        }
        self.strays.append(&mut strays);
        match fault {
            Some((at, came)) => {
                self.said_lines += client.kill().stderr.lines().count();
                Err((at, Trouble::Wrong(came)))
            }
            None => {
                self.client = Some(client);
                Ok(answers.into_iter().flatten().collect())
            }
        }
    }

    /// Leaves it alone for a while, then looks what came meanwhile.
    pub(super) fn be_silent(&mut self, time: Duration) -> Result<(), Trouble> {
        self.client()?;
        let end = Instant::now() + time;
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        self.listen()
    }

    /// Reads what came without having been asked for.
    pub(super) fn listen(&mut self) -> Result<(), Trouble> {
        let Some(client) = &mut self.client else { return Ok(()) };
        loop {
            match client.poll() {
                Event::Stray(fault) => {
                    let line = client.offending_line().to_owned();
                    self.strays.push(Stray { fault, line, asked: "nothing".to_owned() });
                }
                Event::Lost(death) => {
                    self.said_lines += death.stderr.lines().count();
                    self.client = None;
                    return Err(Trouble::Wrong(death.to_string()));
                }
                _ => return Ok(()),
            }
        }
    }
}

/// That no answer came, with what came in its place.
fn nothing(timeout: Duration, strays: &[Stray]) -> String {
    format!("no answer within {timeout:?}{}", last_words(strays))
}

/// The line that came in place of an answer: most likely it is the answer, spoiled.
fn last_words(strays: &[Stray]) -> String {
    let spoiled = strays.iter().find(|stray| !stray.is_second_answer());
    spoiled.map_or_else(String::new, |stray| format!(", but before that a line that is none: {}; it begins: {}", stray.fault, stray.line))
}

/// A request as it is shown: shortened in the middle of long values, for a reader.
pub(super) fn shown(method: &str, params: &Value) -> String {
    let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    json::excerpt(&message, SHOWN_CHARS)
}

/// An answer as it is shown.
pub(super) fn described(answer: &Answer) -> String {
    match answer {
        Answer::Result(value) => format!("the result {}", json::excerpt(value, SHOWN_CHARS)),
        Answer::Refusal(refusal) => format!("a refusal, {}", refusal.category),
        Answer::Unsupported => "the error -32601, which says that the method is not supported".to_owned(),
        Answer::Error(error) => format!("the error {}: {}", error.code, error.message.chars().take(SHOWN_CHARS).collect::<String>()),
    }
}
