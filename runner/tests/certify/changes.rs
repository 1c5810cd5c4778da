//! What a certificate rests on, and what becomes of it when that changes.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark::case::Profile;
use proofmark::dice::Dice;
use serde_json::Value;

use crate::binary::{PROGRAM, Said, run};
use crate::files::{copy_tree, repository, scratch};

/// A certificate of the reference, with its journal.
struct Certified {
    folder: PathBuf,
}

impl Certified {
    fn new(name: &str, profile: &str, further: &[&str]) -> Self {
        let folder = scratch(name);
        let certified = Self { folder };
        let path = certified.path("certificate.json");
        let said = run(["certify", "--profile", profile, "--out", &path].into_iter().chain(further.iter().copied())).ends_with(0);
        assert!(said.out.contains(&format!("certificate: {path}")), "{}", said.out);
        certified
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn verify(&self, further: &[&str]) -> Said {
        run(["verify", &self.path("certificate.json")].into_iter().chain(further.iter().copied()))
    }

    fn holds(&self) {
        let said = self.verify(&[]).ends_with(0);
        assert!(said.out.contains(": holds\n"), "{}", said.out);
    }

    fn doubted(&self, further: &[&str], word: &str) {
        let said = self.verify(further).ends_with(1);
        assert!(said.out.contains(word), "{word:?} is not in: {}", said.out);
        assert_eq!(said.out.lines().count(), 1, "one doubt: {}", said.out);
    }

    fn certificate(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path("certificate.json")).unwrap()).unwrap()
    }
}

pub(crate) fn every_profile_is_certified_for_the_reference() {
    for name in Profile::shipped().keys() {
        let certified = Certified::new(&format!("profile-{name}"), name, &[]);
        certified.holds();
        let certificate = certified.certificate();
        assert_eq!(certificate["_type"], "https://in-toto.io/Statement/v1");
        assert_eq!(certificate["predicateType"], "https://in-toto.io/attestation/test-result/v0.1");
        let said = &certificate["predicate"]["proofmark"];
        assert_eq!((&said["profile"], &said["result"]), (&Value::from(name.as_str()), &Value::from("success")));
        assert!(said["generated"].as_u64() > Some(30), "{name}: {}", said["generated"]);
        assert_eq!(said["counts"]["claimed"], said["counts"]["in_set"], "{name}");
        assert_eq!(certificate["predicate"]["failedTests"], Value::Array(Vec::new()));
    }
}

/// Every byte of the certificate that is tried, and some of everything else, in one certificate: each by its own message.
pub(crate) fn one_changed_byte_is_detected_wherever_it_is() {
    let certified = Certified::new("bytes", "observatory", &[]);
    let mut dice = Dice::new(std::process::id().into());
    let mut flip = |path: &str, at: Option<usize>| {
        let good = fs::read(path).unwrap();
        let mut bad = good.clone();
        let at = at.unwrap_or_else(|| dice.below(bad.len()));
        bad[at] ^= 1 << dice.below(7);
        fs::write(path, &bad).unwrap();
        (good, at)
    };
    let file = certified.path("certificate.json");
    let length = fs::read(&file).unwrap().len();
    for at in (0..length).step_by(length / 40) {
        let (good, at) = flip(&file, Some(at));
        let said = certified.verify(&[]).ends_with(1);
        let is_told = said.out.contains("the file is no certificate") || said.out.contains("the certificate was changed");
        assert!(is_told, "byte {at}: {}", said.out);
        fs::write(&file, good).unwrap();
    }
    let report = certified.path("certificate.jsonl");
    for _ in 0..15 {
        let (good, _) = flip(&report, None);
        certified.doubted(&[], "the report is not the one that was certified, or was changed since");
        fs::write(&report, good).unwrap();
    }
    let checkout = certified.folder.join("checkout");
    copy_tree(&repository("spec-cases"), &checkout.join("spec-cases"), &[]);
    copy_tree(&repository("schemas"), &checkout.join("schemas"), &[]);
    let schemas = checkout.join("schemas");
    let others = ["--suite", checkout.to_str().unwrap(), "--schemas", schemas.to_str().unwrap()];
    assert!(certified.verify(&others).ends_with(0).out.contains(": holds\n"));
    let inside = |name: &str| checkout.join(name).to_str().unwrap().to_owned();
    // A letter of a comment in each, so that it stays a suite and a set.
    for (name, comment, word) in [
        ("spec-cases/suite.yaml", "The suite", "the suite is not the one that the certificate is about"),
        ("spec-cases/evidence_return_packet/project-missing.yaml", "", "the suite is not the one that the certificate is about"),
        ("schemas/profiles.yaml", "Profiles", "the profiles are not those that the certificate is about"),
        ("schemas/requirement-sets/0.3.0.yaml", "Which", "the requirement set is not the one that the certificate is about"),
    ] {
        let path = inside(name);
        let good = fs::read_to_string(&path).unwrap();
        let bad = if comment.is_empty() { format!("{good}\n") } else { good.replacen(comment, &comment.to_lowercase(), 1) };
        assert_ne!(good, bad, "{name}");
        fs::write(&path, bad).unwrap();
        certified.doubted(&others, word);
        fs::write(&path, good).unwrap();
    }
    certified.holds();
}

/// Somebody who changes the certificate and puts its digest right has still not changed what the journal says.
pub(crate) fn a_certificate_follows_from_its_journal_or_does_not_hold() {
    use proofmark_runner::certificate::Statement;
    let certified = Certified::new("forged", "packet-renderer", &[]);
    let good = fs::read_to_string(certified.path("certificate.json")).unwrap();
    let forge = |change: fn(&mut Statement)| {
        let mut statement: Statement = serde_json::from_str(&good).unwrap();
        change(&mut statement);
        statement.predicate.proofmark.digest = statement.own_digest();
        fs::write(certified.path("certificate.json"), statement.text()).unwrap();
    };
    for change in [
        (|statement| statement.subject[0].name = "somebody-else@1".to_owned()) as fn(&mut Statement),
        |statement| statement.predicate.proofmark.profile = "lifecycle-host".to_owned(),
        |statement| statement.predicate.proofmark.started = "2020-01-01T00:00:00Z".to_owned(),
        |statement| statement.predicate.proofmark.generated += 1,
        |statement| statement.predicate.proofmark.scope.clear(),
        |statement| statement.predicate.warned_tests.push("render.some.case".to_owned()),
        |statement| statement.predicate.result = "passed".to_owned(),
    ] {
        forge(change);
        certified.doubted(&[], "does not follow from the report");
    }
    // A journal that says what counts in its own way, its digest and the certificate's put right.
    let journal = fs::read_to_string(certified.path("certificate.jsonl")).unwrap();
    let (body, end) = journal.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n").replacen("\"added_since\":[]", "\"added_since\":[\"render.engineer.whole\"]", 1);
    let mut end: Value = serde_json::from_str(end).unwrap();
    end["end"]["digest"] = proofmark::digest::of_bytes(body.as_bytes()).into();
    let forged = format!("{body}{end}\n");
    assert_ne!(forged, journal);
    fs::write(certified.path("certificate.jsonl"), &forged).unwrap();
    let mut statement: Statement = serde_json::from_str(&good).unwrap();
    let digest = proofmark::digest::hex(forged.as_bytes());
    statement.predicate.configuration.last_mut().unwrap().digest.sha256 = digest;
    statement.predicate.proofmark.digest = statement.own_digest();
    fs::write(certified.path("certificate.json"), statement.text()).unwrap();
    certified.doubted(&[], "is not what the requirement set says");
    fs::write(certified.path("certificate.jsonl"), journal).unwrap();
    forge(|statement| statement.predicate.proofmark.version = "9.9.9".to_owned());
    certified.doubted(&[], "made by proofmark 9.9.9");
    forge(|statement| statement.predicate.configuration[0].digest.sha256 = "0".repeat(64));
    certified.doubted(&[], "the suite is not the one");
    // And a journal whose digests were put right, with a failure made a pass, is not the one that the certificate names.
    forge(|_| ());
    certified.holds();
    fs::write(certified.path("certificate.json"), "[]").unwrap();
    certified.doubted(&[], "no certificate");
    fs::write(certified.path("certificate.json"), [0xff, 0xfe]).unwrap();
    certified.doubted(&[], "no certificate");
}

pub(crate) fn a_part_of_a_profile_earns_nothing() {
    let folder = scratch("part");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    // The journal of a run that was no certification does not make a certificate, whatever name it has.
    let certified = Certified::new("part-of", "observatory", &[]);
    let journal = path("run.jsonl");
    run(["run", "--profile", "observatory", "--journal", &journal]).ends_with(0);
    certified.doubted(&["--journal", &journal], "the report is not the one");
    // Nobody who leaves a required operation out, or the rendering profile, is certified.
    let said = run(["certify", "--profile", "nobody"]).refuses(2, &["no such profile", "observatory"]);
    assert!(!said.is_empty());
    let missing = run(["certify", "--profile", "observatory", "--out", &path("c.json"), "--", "/no/such/host"]);
    missing.refuses(4, &["/no/such/host"]);
    assert!(!Path::new(&path("c.json")).exists());
}

pub(crate) fn no_older_certificate_stands_for_a_run_that_failed() {
    let certified = Certified::new("older", "observatory", &[]);
    let path = certified.path("certificate.json");
    run(["certify", "--profile", "observatory", "--out", &path, "--", "false"]).ends_with(4);
    assert!(!Path::new(&path).exists() && !Path::new(&certified.path("certificate.jsonl")).exists());
    // What was there is not lost.
    run(["verify", &certified.path("certificate.old.json")]).ends_with(0);
    run(["certify", "--profile", "observatory", "--baseline", "known.yaml"]).refuses(2, &["no list of known failures"]);
    run(["verify", &certified.path("certificate.old.json"), "--journal", "/no/such"]).refuses(2, &["no such file"]);
}

pub(crate) fn a_replay_asks_the_same_and_notices_another_host() {
    let serve = ["--", PROGRAM, "serve"];
    let certified = Certified::new("replay", "packet-renderer", &serve);
    let said = certified.verify(&[&["--replay"][..], &serve].concat()).ends_with(0);
    assert!(said.out.contains("every outcome is the same"), "{}", said.out);
    let other = certified.verify(&["--replay", "--", "false"]).ends_with(1);
    assert!(other.out.contains("replay: "), "{}", other.out);
    // A program that the certificate names, and one that it does not.
    let certified = Certified::new("subject", "observatory", &["--subject", PROGRAM]);
    certified.verify(&["--subject", PROGRAM]).ends_with(0);
    certified.doubted(&["--subject", &certified.path("certificate.jsonl")], "none of the certificate's subjects");
}

pub(crate) fn a_given_nonce_makes_the_run() {
    let [one, two, three] = ["nonce-of-2026", "nonce-of-2026", "nonce-of-2027"].map(|nonce| {
        let certified = Certified::new(&format!("nonce-{nonce}"), "receipt-validator", &["--nonce", nonce]);
        let journal = fs::read_to_string(certified.path("certificate.jsonl")).unwrap();
        let ids = journal.lines().filter(|line| line.contains("\"generated.")).count();
        (
            certified.certificate()["predicate"]["proofmark"]["seed"].clone(),
            ids,
            certified.certificate()["predicate"]["proofmark"]["nonce"].clone(),
        )
    });
    assert_eq!(one, two);
    assert_ne!(one.0, three.0);
    assert_eq!(one.2, "nonce-of-2026");
    run(["certify", "--profile", "observatory", "--nonce", "short"]).ends_with(2);
}
