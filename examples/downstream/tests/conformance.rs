fn main() -> std::process::ExitCode {
    proofmark_runner::harness::Harness::of("observatory").test(downstream::Observatory)
}
