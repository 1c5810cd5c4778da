//! Checking a certificate: every digest, and then the whole of it made again.

use std::fmt;
use std::path::Path;

use proofmark::case::RequirementSet;
use proofmark::json;

use super::issue::{Conditions, issue};
use super::statement::{DigestSet, Statement};
use crate::journal::Journal;

/// What speaks against a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// The file is no certificate.
    NotACertificate(String),
    /// Its own digest, or its form, is not the one it was issued with.
    CertificateChanged,
    /// The report has another digest.
    ReportChanged(String),
    /// The suite has another digest.
    SuiteDiffers(String),
    /// The file of profiles has another digest.
    ProfilesDiffer,
    /// The requirement set has another digest.
    RequirementSetDiffers(String),
    /// It was made by another version of proofmark, which generates other cases.
    OtherVersion(String),
    /// From the report follows another certificate, or none.
    DoesNotFollow(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACertificate(why) => write!(f, "the file is no certificate: {why}"),
            Self::CertificateChanged => f.write_str("the certificate was changed after it was issued"),
            Self::ReportChanged(why) => write!(f, "the report is not the one that was certified, or was changed since: {why}"),
            Self::SuiteDiffers(why) => write!(f, "the suite is not the one that the certificate is about: {why}"),
            Self::ProfilesDiffer => f.write_str("the profiles are not those that the certificate is about (schemas/profiles.yaml)"),
            Self::RequirementSetDiffers(why) => write!(f, "the requirement set is not the one that the certificate is about: {why}"),
            Self::OtherVersion(version) => {
                write!(f, "the certificate was made by proofmark {version}, and only that version generates the same cases; this is {}", {
                    env!("CARGO_PKG_VERSION")
                })
            }
            Self::DoesNotFollow(why) => write!(f, "the certificate does not follow from the report: {why}"),
        }
    }
}

impl std::error::Error for Doubt {}

/// Checks a certificate's text against the journal of its run, a suite, the profiles and a requirement set; returns it with that journal.
///
/// # Errors
/// The first [`Doubt`], in the order of that type.
pub fn verify(text: &str, report: &Path, conditions: &Conditions<'_>, set: &RequirementSet) -> Result<(Statement, Journal), Doubt> {
    let value = json::parse(text).map_err(|error| Doubt::NotACertificate(error.to_string()))?;
    let statement: Statement = serde_json::from_value(value).map_err(|error| Doubt::NotACertificate(error.to_string()))?;
    if statement.own_digest() != statement.predicate.proofmark.digest || statement.text() != text {
        return Err(Doubt::CertificateChanged);
    }
    let digest_of = |name: &str| {
        let found = statement.predicate.configuration.iter().find(|it| it.name == name || it.name.starts_with(&format!("{name} ")));
        found.map(|it| &it.digest).ok_or_else(|| Doubt::NotACertificate(format!("it names no {name}")))
    };
    let journal = Journal::read(report).map_err(|error| Doubt::ReportChanged(error.to_string()))?;
    if DigestSet::of(&journal.digest) != *digest_of("report")? {
        return Err(Doubt::ReportChanged(format!("its digest is {}", journal.digest)));
    }
    let suite = conditions.suite.info();
    if DigestSet::of(&suite.digest) != *digest_of("suite")? {
        return Err(Doubt::SuiteDiffers(format!("here is suite {} {}", suite.version, suite.digest)));
    }
    if DigestSet::of(&conditions.profiles_digest) != *digest_of("profiles")? {
        return Err(Doubt::ProfilesDiffer);
    }
    if DigestSet::of(&set.digest) != *digest_of("requirement set")? {
        return Err(Doubt::RequirementSetDiffers(format!("here is the set of suite {} {}", set.suite, set.digest)));
    }
    let version = &statement.predicate.proofmark.version;
    if version != env!("CARGO_PKG_VERSION") {
        return Err(Doubt::OtherVersion(version.clone()));
    }
    // Files named as subjects are the certificate's own word: they have no trace in the report.
    let subjects = statement.subject.iter().skip(1).map(|it| (it.name.clone(), it.digest.sha256.clone())).collect();
    let again = issue(&journal, &Conditions { subjects, suite: conditions.suite, profiles_digest: conditions.profiles_digest.clone() });
    match again {
        Ok(again) if again == statement => Ok((statement, journal)),
        Ok(_) => Err(Doubt::DoesNotFollow("another one does".to_owned())),
        Err(why) => Err(Doubt::DoesNotFollow(why)),
    }
}
