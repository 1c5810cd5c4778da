//! Checking a certificate: every digest, and then the whole of it made again.

use std::fmt;
use std::path::Path;

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

/// Reads a certificate and the journal of its run, each as it was written.
///
/// # Errors
/// The first [`Doubt`], in the order of that type, about the two.
pub fn open(text: &str, report: &Path) -> Result<(Statement, Journal), Doubt> {
    let value = json::parse(text).map_err(|error| Doubt::NotACertificate(error.to_string()))?;
    let statement: Statement = serde_json::from_value(value).map_err(|error| Doubt::NotACertificate(error.to_string()))?;
    if statement.own_digest() != statement.predicate.proofmark.digest || statement.text() != text {
        return Err(Doubt::CertificateChanged);
    }
    let journal = Journal::read(report).map_err(|error| Doubt::ReportChanged(error.to_string()))?;
    if DigestSet::of(&journal.digest) != *digest_of(&statement, "report")? {
        return Err(Doubt::ReportChanged(format!("its digest is {}", journal.digest)));
    }
    Ok((statement, journal))
}

fn digest_of<'s>(statement: &'s Statement, name: &str) -> Result<&'s DigestSet, Doubt> {
    let found = statement.predicate.configuration.iter().find(|it| it.name == name || it.name.starts_with(&format!("{name} ")));
    found.map(|it| &it.digest).ok_or_else(|| Doubt::NotACertificate(format!("it names no {name}")))
}

/// Checks a certificate and its journal against a suite, its profiles and its requirement set.
///
/// # Errors
/// The first [`Doubt`], in the order of that type.
pub fn verify(statement: &Statement, journal: &Journal, conditions: &Conditions<'_>) -> Result<(), Doubt> {
    let suite = conditions.suite.info();
    if DigestSet::of(&suite.digest) != *digest_of(statement, "suite")? {
        return Err(Doubt::SuiteDiffers(format!("here is suite {} {}", suite.version, suite.digest)));
    }
    if DigestSet::of(&conditions.profiles_digest) != *digest_of(statement, "profiles")? {
        return Err(Doubt::ProfilesDiffer);
    }
    let set = conditions.set;
    if DigestSet::of(&set.digest) != *digest_of(statement, "requirement set")? {
        return Err(Doubt::RequirementSetDiffers(format!("here is the set of suite {} {}", set.suite, set.digest)));
    }
    let version = &statement.predicate.proofmark.version;
    if version != env!("CARGO_PKG_VERSION") {
        return Err(Doubt::OtherVersion(version.clone()));
    }
    let again = issue(journal, conditions);
    match again {
        Ok(again) if again == *statement => Ok(()),
        Ok(_) => Err(Doubt::DoesNotFollow("another one does".to_owned())),
        Err(why) => Err(Doubt::DoesNotFollow(why)),
    }
}
