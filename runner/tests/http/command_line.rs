//! `--url` on the command line, and the example host that listens.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::binary::{Said, proofmark, run};
use super::host::{Host, behave, ok, write};
use super::{assert_all_pass, cases, options};

#[test]
fn a_host_behind_a_url_is_asked_whatever_proxy_the_environment_names() {
    let host = Host::taking(8, behave);
    let mut command = proofmark(["run", "activation.read", "--format", "json", "--url", &host.url()]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"] {
        // Nobody listens there.
        command.env(name, "http://127.0.0.1:9");
    }
    let said = Said::new(command.env_remove("NO_PROXY").output().unwrap()).ends_with(0);
    let report = said.json();
    assert_eq!((&report["url"], &report["command"]), (&host.url().into(), &serde_json::json!([])));
    assert_eq!(report["implementation"]["name"], "proofmark-reference");
    assert!(host.asked().1 > 0);
}

#[test]
fn a_failure_names_the_command_that_asks_the_same_host_again() {
    // It shows nothing, whatever the payload says.
    let host = Host::start(|post, stream| {
        write(stream, ok(&post.good.replace("\"shown\":[\"", "\"shown\":[\"not-")));
        true
    });
    let said = run(["run", "activation.read", "--timeout", "20s", "--url", &host.url()]).ends_with(1);
    let rerun = said.out.lines().find_map(|line| line.trim().strip_prefix("rerun: proofmark ")).expect("a failure").to_owned();
    assert!(rerun.ends_with(&format!(" --url {} --timeout 20000ms", host.url())), "{rerun}");
    run(rerun.split(' ')).ends_with(1);
}

#[test]
fn a_url_that_is_not_asked_is_a_usage_error() {
    for (url, words) in [
        ("http://example.org/rpc", "\"example.org\" is not this machine"),
        ("http://10.0.0.1/", "--any-host"),
        ("http://user:hunter2@127.0.0.1/", "a user name or a password"),
        ("ftp://127.0.0.1/", "another scheme"),
        ("127.0.0.1:8080", "no URL"),
    ] {
        let said = run(["run", "--url", url]).refuses(2, &["--url", words]);
        assert!(!said.contains("hunter2"), "{said}");
    }
    for more in [&["--env", "A=B"][..], &["--directory", "."], &["--max-memory", "1MiB"], &["--rendering", "page-1"], &["--", "./host"]] {
        let words = [&["run", "--url", "http://127.0.0.1:9/"], more].concat();
        run(words).refuses(2, &["cannot be used with"]);
    }
    run(["run", "--any-host"]).refuses(2, &["--url"]);
    // It may be another machine, and the flag is no obstacle for this one.
    let host = Host::start(behave);
    run(["run", "activation.read", "--any-host", "--url", &host.url()]).ends_with(0);
}

/// Ends with its scope.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_python_adapter_passes_over_http() {
    let probe = Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        eprintln!("skipped: `python3` is not here, or is older than Python 3.9");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/adapters/python/skill_host.py");
    let mut python = Command::new("python3");
    python.arg(script).args(["--http", "0"]).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut python = Running(python.spawn().unwrap());
    let mut url = String::new();
    BufReader::new(python.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let cases = cases(&["run.session", "registry.merge", "activation.read"]);
    for jobs in [1, 2] {
        assert_all_pass(&super::run(options(url.trim()), &cases, jobs, true), cases.len());
    }
}
