//! Certificates: earned by a whole profile and cases that nobody has seen, and undone by one changed byte of anything they rest on.
//!
//! The hosts are this program itself, started again with `--host NAME`.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "certify/changes.rs"]
mod changes;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;
#[path = "certify/memoriser.rs"]
mod memoriser;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Starts this program as a host.
pub(crate) const HOST: &str = "--host";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, table] = &words[..]
        && flag == HOST
    {
        memoriser::serve(table);
        return ExitCode::SUCCESS;
    }
    let tests: [(&str, fn()); 8] = [
        ("every_profile_is_certified_for_the_reference", changes::every_profile_is_certified_for_the_reference),
        ("one_changed_byte_is_detected_wherever_it_is", changes::one_changed_byte_is_detected_wherever_it_is),
        ("a_certificate_follows_from_its_journal_or_does_not_hold", changes::a_certificate_follows_from_its_journal_or_does_not_hold),
        ("a_part_of_a_profile_earns_nothing", changes::a_part_of_a_profile_earns_nothing),
        ("no_older_certificate_stands_for_a_run_that_failed", changes::no_older_certificate_stands_for_a_run_that_failed),
        ("a_replay_asks_the_same_and_notices_another_host", changes::a_replay_asks_the_same_and_notices_another_host),
        ("a_given_nonce_makes_the_run", changes::a_given_nonce_makes_the_run),
        ("a_host_that_knows_the_suite_by_heart_is_not_certified", memoriser::a_host_that_knows_the_suite_by_heart_is_not_certified),
    ];
    let trials: Vec<Trial> = tests
        .into_iter()
        .map(|(name, test)| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
