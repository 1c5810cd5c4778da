//! Hosts with one fault each, and what a run concludes.

use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proofmark::case::Case;
use proofmark::judge::Outcome;
use proofmark_runner::exit::Exit;

use super::host::{Host, Post, behave, ok, response, write};
use super::{cases, options, run};

const JSON: &str = "content-type: application/json";

/// Three cases of a request each.
fn three() -> Vec<&'static Case> {
    cases(&["activation.read"])[..3].to_vec()
}

/// A host whose first answer is this, and everything else as it should be.
fn first(answer: impl Fn(&Post) -> Vec<u8> + Send + Sync + 'static) -> Host {
    Host::start(move |post, stream| {
        if post.operation == Some(0) {
            write(stream, answer(post));
            true
        } else {
            behave(post, stream)
        }
    })
}

/// What the three cases came to, the first with its reason; and how often the conversation began.
#[track_caller]
fn concluded(name: &str, host: &Host, limit: Option<usize>) -> (Vec<Outcome>, String, usize) {
    let mut options = options(&host.url());
    options.max_line_bytes = limit.unwrap_or(options.max_line_bytes);
    let (report, exit) = run(options, &three(), 1, false);
    assert_eq!(exit, Exit::Adapter, "{name}: {report:#?}");
    assert_eq!(report.faults, Vec::<String>::new(), "{name}");
    let outcomes = report.results.iter().map(|result| result.outcome).collect();
    (outcomes, report.results[0].reason.clone().unwrap_or_default(), host.asked().0)
}

#[test]
fn an_unfit_answer_is_the_fault_of_its_request_alone() {
    type Answer = fn(&Post) -> Vec<u8>;
    let faults: [(&str, Answer, &str); 21] = [
        ("404", |_| response("404 Not Found", &["content-type: text/html"], b"<h1>no</h1>"), "status 404"),
        ("500 with a good body", |post| response("500 Oops", &[JSON], post.good.as_bytes()), "status 500"),
        ("201 with a good body", |post| response("201 Created", &[JSON], post.good.as_bytes()), "status 201"),
        ("204", |_| b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), "status 204"),
        ("no content-type", |post| response("200 OK", &[], post.good.as_bytes()), "without a content-type"),
        ("text/plain", |post| response("200 OK", &["content-type: text/plain"], post.good.as_bytes()), "content-type text/plain"),
        ("gzip", |post| response("200 OK", &[JSON, "content-encoding: gzip"], post.good.as_bytes()), "content-encoding gzip"),
        ("an id too high", |post| ok(&post.good.replacen(&format!("\"id\":{}", post.id), "\"id\":99", 1)), "another id"),
        ("the id of initialize", |post| ok(&post.good.replacen(&format!("\"id\":{}", post.id), "\"id\":1", 1)), "another id"),
        ("no id", |_| ok(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#), "another id, or none"),
        ("an empty body", |_| ok(""), "not JSON"),
        ("HTML", |_| ok("<html>"), "not JSON"),
        ("two messages", |post| ok(&format!("{}\n{}", post.good, post.good)), "not JSON"),
        ("a batch", |post| ok(&format!("[{}]", post.good)), "of type array"),
        ("an event stream", |post| ok(&format!("data: {}\n\n", post.good)), "not JSON"),
        ("duplicate keys", |post| ok(&post.good.replacen('{', r#"{"jsonrpc":"2.0","#, 1)), "duplicate"),
        ("Latin-1", |post| response("200 OK", &[JSON], &[post.good.as_bytes(), b"\xe4"].concat()), "not UTF-8"),
        ("the request again", |post| ok(&format!(r#"{{"jsonrpc":"2.0","id":{},"method":"m","params":{{}}}}"#, post.id)), "has a method"),
        (
            "a shorter length than the body's",
            |post| {
                let length = post.good.len() - 1;
                format!("HTTP/1.1 200 OK\r\n{JSON}\r\ncontent-length: {length}\r\n\r\n{}", post.good).into_bytes()
            },
            "not JSON",
        ),
        ("no HTTP", |_| b"{\"jsonrpc\":\"2.0\"}\r\n\r\n".to_vec(), "no HTTP"),
        (
            "a chunk without a length",
            |post| {
                format!("HTTP/1.1 200 OK\r\n{JSON}\r\ntransfer-encoding: chunked\r\n\r\nlong\r\n{}\r\n0\r\n\r\n", post.good).into_bytes()
            },
            "no HTTP",
        ),
    ];
    for (name, answer, words) in faults {
        let (outcomes, reason, began) = concluded(name, &first(answer), None);
        assert_eq!(outcomes, [Outcome::Errored, Outcome::Passed, Outcome::Passed], "{name}: {reason}");
        assert!(reason.contains(words), "{name}: {reason}");
        assert_eq!(began, 1, "{name}: the conversation goes on");
    }
}

#[test]
fn a_redirect_is_never_followed() {
    for status in ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let other = Host::start(behave);
        let location = format!("location: {}", other.url());
        let host = first(move |post| response(status, &[JSON, &location], post.good.as_bytes()));
        let (outcomes, reason, _) = concluded(status, &host, None);
        assert_eq!(outcomes, [Outcome::Errored, Outcome::Passed, Outcome::Passed], "{status}");
        assert!(reason.contains(&format!("redirect to {}", other.url())), "{reason}");
        assert_eq!((other.asked(), other.connections()), ((0, 0, 0), 0), "{status}");
    }
}

#[test]
fn an_answer_over_the_limit_is_cut_off_while_it_is_read() {
    const LIMIT: usize = 100_000;
    let written = Arc::new(AtomicUsize::new(0));
    for (name, head) in
        [("a length that it declares", "content-length: 999999999999\r\n"), ("no length", ""), ("chunks", "transfer-encoding: chunked\r\n")]
    {
        let counter = Arc::clone(&written);
        let host = Host::start(move |post, stream: &mut TcpStream| {
            if post.operation != Some(0) {
                return behave(post, stream);
            }
            write(stream, format!("HTTP/1.1 200 OK\r\n{JSON}\r\n{head}\r\n"));
            let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
            counter.store(0, Ordering::SeqCst);
            // Ends when nobody reads any more; a client that reads on is stopped by the number that is asserted below.
            while counter.load(Ordering::SeqCst) < 200_000_000 && std::io::Write::write_all(stream, chunk.as_bytes()).is_ok() {
                counter.fetch_add(chunk.len(), Ordering::SeqCst);
            }
            false
        });
        let (outcomes, reason, began) = concluded(name, &host, Some(LIMIT));
        assert_eq!((outcomes, began), (vec![Outcome::Errored, Outcome::Passed, Outcome::Passed], 1), "{name}: {reason}");
        assert!(reason.contains("more than 100000 bytes"), "{reason}");
        // What the system itself holds between the two is a few megabytes at most.
        assert!(written.load(Ordering::SeqCst) < 50_000_000, "{name}");
    }
    // To the byte: an answer of the limit passes, and one byte more does not.
    let padded = |more: usize| move |post: &Post| ok(&[&post.good[..], &" ".repeat(LIMIT + more - post.good.len())].concat());
    let (outcomes, reason, _) = concluded("one more", &first(padded(1)), Some(LIMIT));
    assert_eq!(outcomes[0], Outcome::Errored, "{reason}");
    let host = first(padded(0));
    let (report, exit) = run(proofmark_runner::client::HttpOptions { max_line_bytes: LIMIT, ..options(&host.url()) }, &three(), 1, false);
    assert_eq!(exit, Exit::Conformant, "{report:#?}");
}

#[test]
fn a_connection_that_breaks_off_is_a_crash_of_its_case_alone() {
    type Answer = fn(&Post) -> Vec<u8>;
    let breaks: [(&str, Answer); 5] = [
        ("before a byte", |_| Vec::new()),
        ("within the head", |_| b"HTTP/1.1 200 OK\r\ncontent-".to_vec()),
        ("before the body", |post| format!("HTTP/1.1 200 OK\r\n{JSON}\r\ncontent-length: {}\r\n\r\n", post.good.len()).into_bytes()),
        ("within the body", |post| {
            let good = ok(&post.good);
            good[..good.len() - 1].to_vec()
        }),
        ("within the chunks", |post| {
            let length = post.good.len();
            format!("HTTP/1.1 200 OK\r\n{JSON}\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n{}\r\n", post.good).into_bytes()
        }),
    ];
    for (name, answer) in breaks {
        // It does so whenever it is asked this, so that nothing is gained by asking twice.
        let asked = Arc::new(std::sync::Mutex::new(None::<String>));
        let host = Host::start(move |post, stream: &mut TcpStream| {
            let question = post.good.split_once("\"result\"").map(|(_, result)| result.to_owned());
            let mut asked = asked.lock().unwrap();
            if post.operation == Some(0) {
                asked.clone_from(&question);
            }
            if post.operation.is_some() && question == *asked {
                write(stream, answer(post));
                return false;
            }
            behave(post, stream)
        });
        let (outcomes, reason, began) = concluded(name, &host, None);
        assert_eq!(outcomes[0], Outcome::Crashed, "{name}: {reason}");
        assert!(outcomes[1..].iter().all(|outcome| matches!(outcome, Outcome::Passed | Outcome::Crashed)), "{name}: {outcomes:?}");
        assert!(reason.contains("broke the connection off"), "{name}: {reason}");
        assert!(began >= 2, "{name}: it begins anew with `initialize`");
    }
}

#[test]
fn a_host_that_answers_nothing_is_given_up() {
    let host = Host::start(|post, stream| post.operation.is_none() && behave(post, stream));
    let (report, exit) = run(options(&host.url()), &cases(&["activation.read"]), 1, false);
    assert_eq!(exit, Exit::Adapter);
    assert!(report.results.iter().all(|result| matches!(result.outcome, Outcome::Crashed | Outcome::Skipped)), "{report:#?}");
    assert!(report.faults.iter().any(|fault| fault.contains("given up after 20 restarts")), "{:?}", report.faults);
    assert!(host.asked().0 <= 21, "{:?}", host.asked());
}

#[test]
fn a_host_that_is_gone_is_not_asked_for_ever() {
    let gone = Arc::new(std::sync::Mutex::new(None::<Host>));
    let (slot, left) = (Arc::clone(&gone), AtomicUsize::new(5));
    let host = Host::start(move |post, stream: &mut TcpStream| {
        if post.operation.is_some() && left.fetch_sub(1, Ordering::SeqCst) == 1 {
            drop(slot.lock().unwrap().take());
            return false;
        }
        behave(post, stream)
    });
    let url = host.url();
    *gone.lock().unwrap() = Some(host);
    let cases = cases(&["activation.read"]);
    let (report, exit) = run(options(&url), &cases, 1, false);
    let count = |outcome: Outcome| report.results.iter().filter(|result| result.outcome == outcome).count();
    assert_eq!(exit, Exit::Adapter);
    assert_eq!((count(Outcome::Passed), count(Outcome::Crashed)), (4, 1), "{report:#?}");
    assert_eq!(count(Outcome::Skipped), cases.len() - 5);
    assert_eq!(report.faults.len(), 1, "{:?}", report.faults);
    assert!(report.faults[0].contains("could not be started again") && report.faults[0].contains(&url), "{:?}", report.faults);
}

#[test]
fn an_answer_that_trickles_in_past_the_timeout_is_too_late() {
    let host = Host::start(|post, stream: &mut TcpStream| {
        if post.operation != Some(0) {
            return behave(post, stream);
        }
        let answer = ok(&post.good);
        let (last, rest) = answer.split_last().unwrap();
        // A byte now and then, each of them soon after the one before it.
        let end = Instant::now() + Duration::from_secs(4);
        for byte in rest {
            write(stream, [*byte]);
            thread::sleep(Duration::from_millis(20).min(end.saturating_duration_since(Instant::now())));
        }
        thread::sleep(end.saturating_duration_since(Instant::now()));
        write(stream, [*last]);
        true
    });
    let mut options = options(&host.url());
    options.request_timeout = Duration::from_secs(3);
    let (report, exit) = run(options, &three(), 1, false);
    let outcomes: Vec<Outcome> = report.results.iter().map(|result| result.outcome).collect();
    assert_eq!((outcomes, exit), (vec![Outcome::TimedOut, Outcome::Passed, Outcome::Passed], Exit::Adapter), "{report:#?}");
    assert!(report.results[0].reason.as_deref().unwrap().contains("no answer within 3s"));
    assert_eq!(host.asked().0, 2);
}

#[test]
fn a_hang_up_is_excused_once_and_only_on_a_connection_that_was_used() {
    // It answers every second request, and hangs up on the others: a client that always asks again would never notice.
    let host = Host::start(|post, stream| post.operation.is_none_or(|number| number % 2 == 0) && behave(post, stream));
    let (report, exit) = run(options(&host.url()), &cases(&["activation.read"]), 1, false);
    assert_eq!(exit, Exit::Adapter, "{report:#?}");
    assert!(report.results.iter().filter(|result| result.outcome == Outcome::Crashed).count() > 5, "{report:#?}");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("http-certificate");
    std::fs::create_dir_all(&folder).unwrap();
    let openssl = |words: &str| {
        let mut command = Command::new("openssl");
        command.args(words.split(' ')).current_dir(&folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let request = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
    if !openssl(request).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: `openssl` is not here, or makes no certificate");
        return;
    }
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut server = openssl(&format!("s_server -accept {free} -cert certificate.pem -key key.pem -quiet -www")).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(free).is_err() && Instant::now() < end {
        thread::sleep(Duration::from_millis(50));
    }
    let said = std::panic::catch_unwind(|| not_begun(&format!("https://localhost:{}/", free.port())));
    server.kill().unwrap();
    server.wait().unwrap();
    let said = said.unwrap();
    assert!(said.contains("UnknownIssuer") && said.contains("a public authority vouches for"), "{said}");
}

/// The words of a run that never began.
fn not_begun(url: &str) -> String {
    let mut options = options(url);
    options.start_timeout = Duration::from_secs(5);
    let (report, exit) = run(options, &three(), 1, false);
    assert_eq!((exit, report.results.len(), report.faults.len()), (Exit::Adapter, 0, 1), "{report:#?}");
    assert!(report.faults[0].starts_with(&format!("the host at {url}: ")), "{}", report.faults[0]);
    report.faults[0].clone()
}

#[test]
fn a_conversation_that_does_not_begin_says_why() {
    type Answer = fn(&Post) -> Vec<u8>;
    let answers: [(Answer, &str); 7] = [
        (|_| response("404 Not Found", &["content-type: text/html"], b"<h1>no</h1>"), "Check the path of the URL"),
        (|post| ok(&format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32001,"message":"2 only"}}}}"#, post.id)), "Update the older"),
        (
            |post| ok(&format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32600,"message":"once"}}}}"#, post.id)),
            "whenever `initialize` comes",
        ),
        (|post| ok(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocol":1}}}}"#, post.id)), "The least that is one"),
        (|post| ok(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":null}}"#, post.id)), "is no declaration"),
        (|_| Vec::new(), "can't be asked"),
        (|_| response("401 Unauthorized", &["www-authenticate: Basic"], b""), "status 401"),
    ];
    for (answer, words) in answers {
        let host = Host::start(move |post, stream| {
            write(stream, answer(post));
            false
        });
        let said = not_begun(&host.url());
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let said = not_begun(&url);
    assert!(said.contains("did not answer `initialize` within 5s"), "{said}");
    drop(listener);
    assert!(not_begun(&url).contains("refused"));
    // Plain HTTP is no TLS.
    let host = Host::start(behave);
    let said = not_begun(&host.url().replace("http:", "https:"));
    assert!(said.contains("can't be asked"), "{said}");
    assert_eq!(host.asked(), (0, 0, 0));
}

#[test]
fn the_answer_to_shutdown_is_judged() {
    let error = r#""error":{"code":-32600,"message":"I serve many"}"#;
    for (member, words) in [(error, "something else than the result null"), (r#""result":{}"#, "something else"), ("", "is broken")] {
        let host = Host::start(move |post, stream: &mut TcpStream| {
            if post.method != "shutdown" {
                return behave(post, stream);
            }
            write(stream, ok(&format!(r#"{{"jsonrpc":"2.0","id":{},{member}}}"#, post.id)));
            true
        });
        let (report, exit) = run(options(&host.url()), &three(), 1, false);
        assert_eq!((exit, report.faults.len()), (Exit::Adapter, 1), "{:?}", report.faults);
        assert!(report.faults[0].contains(words), "{:?}", report.faults);
    }
}
