//! The protocol over HTTP: the reference behind a URL passes, and each fault of a host is found out, put down to its request, and ends
//! the run as it should.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::sync::LazyLock;
use std::time::Duration;

use proofmark::case::{Case, Suite};
use proofmark::judge::Outcome;
use proofmark::verdict::Level;
use proofmark_runner::client::{Endpoint, HttpHost, HttpOptions};
use proofmark_runner::exit::Exit;
use proofmark_runner::filter::Filter;
use proofmark_runner::run::{OverProtocol, Plan, RunReport, RunSettings, Summary, run_over_protocol};

#[path = "support/binary.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod binary;
#[path = "http/command_line.rs"]
mod command_line;
#[path = "http/faults.rs"]
mod faults;
#[path = "http/host.rs"]
mod host;
use host::{Host, behave, ok, response, write};

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::embedded().unwrap());

/// Sessions, registries, budgets and loads: every way of asking that there is.
const PART: &[&str] = &["run.session", "run.loop", "registry.merge", "activation.budget", "activation.load"];

fn cases(patterns: &[&str]) -> Vec<&'static Case> {
    let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    Filter::new(&patterns, None).unwrap().select(&SUITE).unwrap()
}

/// With time for everything, on a machine that is busy with other tests.
fn options(url: &str) -> HttpOptions {
    let patient = Duration::from_secs(60);
    HttpOptions { request_timeout: patient, start_timeout: patient, ..HttpOptions::new(url) }
}

fn run(options: HttpOptions, cases: &[&Case], jobs: usize, laws: bool) -> (RunReport, Exit) {
    let endpoint = Endpoint::Url(HttpHost::new(options).unwrap());
    let options = OverProtocol { endpoint, window: 64, jobs, max_restarts: 20 };
    let settings = RunSettings { laws, ..RunSettings::new(&SUITE, cases.len()) };
    let report = run_over_protocol(&SUITE, Plan::new(cases), settings, &options, &mut ());
    let exit = Summary::of(&report).exit(Level::Must, false);
    (report, exit)
}

/// Every case passed, or is about another rendering profile.
#[track_caller]
fn assert_all_pass((report, exit): &(RunReport, Exit), selected: usize) {
    assert_eq!(report.faults, Vec::<String>::new());
    let not_passed: Vec<_> =
        report.results.iter().filter(|result| !matches!(result.outcome, Outcome::Passed | Outcome::NotApplicable)).collect();
    assert!(not_passed.is_empty(), "{not_passed:#?}");
    let passed = report.results.iter().filter(|result| result.outcome == Outcome::Passed).count();
    assert!(report.results.len() == selected && passed * 10 > selected * 9, "{passed} of {selected}");
    assert_eq!(*exit, Exit::Conformant);
}

#[test]
fn the_reference_passes_over_http_asked_by_one_and_by_two() {
    let cases = cases(PART);
    assert!(cases.len() > 200, "{}", cases.len());
    for jobs in [1, 2] {
        let host = Host::taking(64, behave);
        assert_all_pass(&run(options(&host.url()), &cases, jobs, true), cases.len());
        let (initialized, operations, shut_down) = host.asked();
        assert_eq!((initialized, shut_down), (jobs, jobs));
        assert!(operations > cases.len(), "{operations}");
        // Connections are kept: many requests, and few connections.
        assert!(host.connections() < operations / 4, "{} connections for {operations} requests", host.connections());
    }
}

#[test]
fn a_host_never_gets_more_at_once_than_it_declared() {
    let cases = cases(&["registry.merge"]);
    for jobs in [1, 3] {
        let host = Host::taking(4, behave);
        assert_all_pass(&run(options(&host.url()), &cases, jobs, true), cases.len());
        // And as many as that: else nothing was tried.
        assert_eq!(host.most_at_once(), 4, "{jobs} jobs");
    }
}

#[test]
fn each_honest_way_of_http_is_accepted() {
    type Way = fn(&host::Post, &mut std::net::TcpStream) -> bool;
    let ways: [(&str, Way); 6] = [
        ("it closes each connection and says so", |post, stream| {
            let headers = ["content-type: application/json", "connection: close"];
            write(stream, response("200 OK", &headers, post.good.as_bytes()));
            false
        }),
        ("it closes each connection and does not say so", |post, stream| {
            write(stream, ok(&post.good));
            false
        }),
        ("it closes a connection a while after an answer", |post, stream| {
            write(stream, ok(&post.good));
            let shut = stream.try_clone().unwrap();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(3));
                shut.shutdown(std::net::Shutdown::Both)
            });
            true
        }),
        ("its answers are chunked", |post, stream| {
            let mut text = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
            for chunk in post.good.as_bytes().chunks(7) {
                // A chunk may split a character.
                text.push_str(&format!("{:x}\r\n", chunk.len()));
                write(stream, &text);
                write(stream, chunk);
                text = "\r\n".to_owned();
            }
            write(stream, format!("{text}0\r\n\r\n"));
            true
        }),
        ("the end of the connection is the end of the body", |post, stream| {
            write(stream, format!("HTTP/1.0 200 OK\r\nContent-Type: APPLICATION/JSON; charset=utf-8\r\n\r\n\n {}\n", post.good));
            false
        }),
        ("it greets with an interim response", |post, stream| {
            write(stream, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
            behave(post, stream)
        }),
    ];
    let cases = cases(&["registry.merge"]);
    for (name, way) in ways {
        eprintln!("{name}");
        let host = Host::taking(8, way);
        assert_all_pass(&run(options(&host.url()), &cases, 1, false), cases.len());
        assert_eq!(host.asked().0, 1, "{name}: the conversation did not begin anew");
    }
}

#[test]
fn a_request_says_nothing_but_the_protocol() {
    let host = Host::start(|post, stream| {
        let names: Vec<&str> = post.headers[1..].iter().map(|header| header.split(':').next().unwrap()).collect();
        let known = ["host", "user-agent", "accept", "content-type", "content-length", "connection"];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
        assert!(post.headers.contains(&"content-type: application/json".to_owned()));
        write(stream, response("200 OK", &["content-type: application/json", "set-cookie: session=1"], post.good.as_bytes()));
        true
    });
    let cases = cases(&["activation.read"]);
    assert_all_pass(&run(options(&host.url()), &cases, 1, false), cases.len());
}
