//! A small HTTP host over the reference, with a place for one thing that it does wrong.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use proofmark::adapter::Server;
use proofmark::reference::Reference;
use serde_json::{Value, json};

/// A POST as it came.
pub(crate) struct Post {
    pub(crate) method: String,
    pub(crate) id: u64,
    /// Which of the requests that are neither `initialize` nor `shutdown` it is, from 0.
    pub(crate) operation: Option<usize>,
    /// Its headers, in lower case.
    pub(crate) headers: Vec<String>,
    /// The body of a good answer.
    pub(crate) good: String,
}

/// What is to be written, and whether the connection is left open.
pub(crate) type Behaviour = dyn Fn(&Post, &mut TcpStream) -> bool + Send + Sync;

/// A good response with this body.
pub(crate) fn ok(body: &str) -> Vec<u8> {
    response("200 OK", &["content-type: application/json"], body.as_bytes())
}

pub(crate) fn response(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    [format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// Writes as much as somebody reads.
pub(crate) fn write(stream: &mut TcpStream, bytes: impl AsRef<[u8]>) {
    let _ = stream.write_all(bytes.as_ref());
}

/// Answers as it should be.
pub(crate) fn behave(post: &Post, stream: &mut TcpStream) -> bool {
    write(stream, ok(&post.good));
    true
}

pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    behaviour: Box<Behaviour>,
    reference: Mutex<Server<Reference>>,
    declared: Value,
    operations: AtomicUsize,
    initialized: AtomicUsize,
    shut_down: AtomicUsize,
    connections: AtomicUsize,
    inside: AtomicU64,
    most: AtomicU64,
    is_gone: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Host {
    /// One that takes one request at a time.
    pub(crate) fn start(behaviour: impl Fn(&Post, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        Self::taking(1, behaviour)
    }

    pub(crate) fn taking(max_in_flight: u64, behaviour: impl Fn(&Post, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        let mut reference = Server::new(Reference::default());
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocol": [1]}});
        let mut reply: Value = serde_json::from_str(&reference.handle(hello.to_string().as_bytes()).line).unwrap();
        reply["result"]["max_in_flight"] = json!(max_in_flight);
        let state = Arc::new(State {
            behaviour: Box::new(behaviour),
            reference: Mutex::new(reference),
            declared: reply["result"].take(),
            operations: AtomicUsize::default(),
            initialized: AtomicUsize::default(),
            shut_down: AtomicUsize::default(),
            connections: AtomicUsize::default(),
            inside: AtomicU64::default(),
            most: AtomicU64::default(),
            is_gone: AtomicBool::default(),
            streams: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_gone.load(Ordering::SeqCst) {
                    return;
                }
                let (state, stream) = (Arc::clone(&shared), stream.unwrap());
                state.connections.fetch_add(1, Ordering::SeqCst);
                state.streams.lock().unwrap().push(stream.try_clone().unwrap());
                thread::spawn(move || state.converse(stream));
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/rpc", self.address)
    }

    /// How often `initialize`, an operation and `shutdown` came.
    pub(crate) fn asked(&self) -> (usize, usize, usize) {
        let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
        (count(&self.state.initialized), count(&self.state.operations), count(&self.state.shut_down))
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// The most requests that were in its hands at once.
    pub(crate) fn most_at_once(&self) -> u64 {
        self.state.most.load(Ordering::SeqCst)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.state.leave(self.address);
    }
}

impl State {
    /// Listens no more, and closes every connection.
    fn leave(&self, address: SocketAddr) {
        if !self.is_gone.swap(true, Ordering::SeqCst) {
            // Wakes the listener, which then looks at the flag.
            let _ = TcpStream::connect(address);
        }
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn converse(&self, stream: TcpStream) {
        stream.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        while let Some((headers, body)) = read(&mut reader) {
            let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(inside, Ordering::SeqCst);
            let post = self.post(headers, &body);
            let stays = match post.method.as_str() {
                // A host that is slow where it answers is at work until then, and not while it writes.
                _ if self.is_gone.load(Ordering::SeqCst) => false,
                _ => {
                    self.inside.fetch_sub(1, Ordering::SeqCst);
                    (self.behaviour)(&post, &mut writer)
                }
            };
            if !stays {
                break;
            }
        }
        let _ = writer.shutdown(Shutdown::Both);
    }

    fn post(&self, headers: Vec<String>, body: &[u8]) -> Post {
        let request: Value = serde_json::from_slice(body).unwrap();
        let method = request["method"].as_str().unwrap().to_owned();
        let whole = |result: &Value| json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string();
        let mut operation = None;
        let good = match method.as_str() {
            "initialize" => {
                self.initialized.fetch_add(1, Ordering::SeqCst);
                whole(&self.declared)
            }
            "shutdown" => {
                self.shut_down.fetch_add(1, Ordering::SeqCst);
                whole(&Value::Null)
            }
            _ => {
                operation = Some(self.operations.fetch_add(1, Ordering::SeqCst));
                if self.declared["max_in_flight"] != 1 {
                    // So that several have the chance to be here at once.
                    thread::sleep(std::time::Duration::from_millis(2));
                }
                self.reference.lock().unwrap().handle(body).line
            }
        };
        Post { method, id: request["id"].as_u64().unwrap(), operation, headers, good }
    }
}

/// The next request of a connection.
fn read(reader: &mut BufReader<TcpStream>) -> Option<(Vec<String>, Vec<u8>)> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        match line.trim_end() {
            "" => break,
            line => headers.push(line.to_ascii_lowercase()),
        }
    }
    assert!(headers[0].starts_with("post /rpc http/1.1"), "{headers:?}");
    let length = headers.iter().find_map(|header| header.strip_prefix("content-length: ")).expect("a length");
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    Some((headers, body))
}
