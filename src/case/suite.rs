//! The suite: every case file together, its requirements and its wrong hosts, and what must hold of them as a whole.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use serde_json::json;

use super::expand;
use super::file::{self, Case};
use crate::policy::RulePack;
use crate::verdict::Level;
use crate::yaml::{self, Place};
use crate::{adapter, digest, embedded};

/// The files of a suite: paths from its root, with slashes, and bytes. The library reads none itself.
#[derive(Debug, Clone, Default)]
pub struct SuiteFiles {
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

impl FromIterator<(String, Vec<u8>)> for SuiteFiles {
    fn from_iter<T: IntoIterator<Item = (String, Vec<u8>)>>(files: T) -> Self {
        Self { files: files.into_iter().map(|(name, bytes)| (name, Cow::Owned(bytes))).collect() }
    }
}

impl SuiteFiles {
    /// The folder that holds the suite in this repository.
    pub const ROOT: &'static str = "spec-cases";

    /// The suite of this version.
    #[must_use]
    pub fn embedded() -> Self {
        let files = embedded::FILES.iter().filter(|(name, _)| name.starts_with("spec-cases/"));
        Self { files: files.map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes))).collect() }
    }

    /// The bytes of one file.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(|bytes| &**bytes)
    }

    /// The files whose path begins so, in order.
    pub fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let files = self.files.range(prefix.to_owned()..);
        files.take_while(move |(name, _)| name.starts_with(prefix)).map(|(name, bytes)| (name.as_str(), &**bytes))
    }

    /// The case files, in order.
    pub fn case_files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).filter(|(name, _)| {
            let other = ["requirements/", "fixtures/"].iter().any(|folder| name.contains(&format!("{}/{folder}", Self::ROOT)));
            let yaml = name.ends_with(".yaml") || name.ends_with(".yml");
            yaml && !other && name.matches('/').count() >= 2
        })
    }

    /// `sha256:` over the name and digest of every file.
    #[must_use]
    pub fn digest(&self) -> String {
        let list: Vec<_> = self.files.iter().map(|(name, bytes)| json!([name, digest::hex(bytes)])).collect();
        digest::of_value(&list.into()).unwrap_or_default()
    }
}

/// A fault of a suite, with where it is. A suite with one does not run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SuiteFault {
    /// The file, from the suite's root.
    pub file: String,
    /// Where.
    pub place: Place,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for SuiteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.place.line, self.place.column, self.message)
    }
}

impl std::error::Error for SuiteFault {}

/// A statement of a source document.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Such as `activation#budget`.
    pub id: String,
    /// How binding the document makes it.
    pub level: Level,
    /// The heading that it stands under.
    pub section: String,
    /// What it says, in this kit's words.
    pub text: String,
    /// Why nothing can test it, where nothing can.
    pub untestable: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequirementsFile {
    #[serde(rename = "contract")]
    _contract: String,
    #[serde(rename = "version")]
    _version: serde_json::Value,
    #[serde(rename = "source")]
    _source: String,
    requirements: Vec<Requirement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrongHostsFile {
    wrong_hosts: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    version: String,
}

/// How much of a suite to load.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadOptions<'a> {
    /// Only the case with this id: other files are not parsed, and what holds of the suite as a whole is not checked.
    pub only: Option<&'a str>,
}

/// A suite without a fault.
#[derive(Debug, Clone)]
pub struct Suite {
    /// Its version.
    pub version: String,
    /// Its requirements, in their files' order.
    pub requirements: Vec<Requirement>,
    /// Wrong hosts by name, with what is wrong with each.
    pub wrong_hosts: BTreeMap<String, String>,
    files: SuiteFiles,
    cases: Vec<Case>,
}

impl Suite {
    /// The suite of this version.
    ///
    /// # Errors
    /// Every fault; none in a released version, which a test holds.
    pub fn embedded() -> Result<Self, Vec<SuiteFault>> {
        Self::load(SuiteFiles::embedded(), LoadOptions::default())
    }

    /// Loads a suite from its files.
    ///
    /// # Errors
    /// Every fault that was found, in order of file and line. Nothing of a suite with a fault is to be run.
    pub fn load(files: SuiteFiles, options: LoadOptions<'_>) -> Result<Self, Vec<SuiteFault>> {
        let mut faults = Vec::new();
        let requirements_folder = format!("{}/requirements/", SuiteFiles::ROOT);
        let mut requirements = Vec::new();
        for (name, _) in files.below(&requirements_folder) {
            let file: Option<RequirementsFile> = read_data(&files, name, &mut faults);
            requirements.extend(file.into_iter().flat_map(|file| file.requirements));
        }
        let wrong_hosts: Option<WrongHostsFile> = read_data(&files, &format!("{}/wrong-hosts.yaml", SuiteFiles::ROOT), &mut faults);
        let wrong_hosts = wrong_hosts.map(|file| file.wrong_hosts).unwrap_or_default();
        let suite: Option<SuiteFile> = read_data(&files, &format!("{}/suite.yaml", SuiteFiles::ROOT), &mut faults);
        let version = suite.map(|file| file.version).unwrap_or_default();

        let mut cases: Vec<Case> = Vec::new();
        for (name, bytes) in files.case_files() {
            if options.only.is_some_and(|id| !mentions(bytes, id)) {
                continue;
            }
            cases.extend(file::read(name, bytes, &mut faults));
        }
        let mut suite = Self { version, requirements, wrong_hosts, files, cases };
        suite.check(0, &mut faults);
        if options.only.is_none() && suite.cases.is_empty() && faults.is_empty() {
            let place = Place { line: 1, column: 1 };
            faults.push(SuiteFault { file: SuiteFiles::ROOT.to_owned(), place, message: "the suite has no case".to_owned() });
        }
        if let Some(id) = options.only {
            suite.cases.retain(|case| case.id == id);
        }
        faults.sort();
        if faults.is_empty() { Ok(suite) } else { Err(faults) }
    }

    /// The suite with further case files, paths and bytes, checked as its own are; these are not read again. What it says of itself
    /// ([`Suite::info`]) and its files stay those of the suite that was loaded: what is added belongs to one run.
    ///
    /// # Errors
    /// Every fault of the files that are added, in order of file and line.
    pub fn extended(mut self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Self, Vec<SuiteFault>> {
        let mut faults = Vec::new();
        let known = self.cases.len();
        for (name, bytes) in files {
            self.cases.extend(file::read(&name, &bytes, &mut faults));
        }
        self.check(known, &mut faults);
        faults.sort();
        if faults.is_empty() { Ok(self) } else { Err(faults) }
    }

    /// What a case can't know of itself, of the cases from a place on: that its id is its own, and that what it names is there.
    fn check(&self, from: usize, faults: &mut Vec<SuiteFault>) {
        let mut first: HashMap<&str, &Case> = self.cases[..from].iter().map(|case| (case.id.as_str(), case)).collect();
        for case in &self.cases[from..] {
            let mut fault = |message: String| {
                faults.push(SuiteFault { file: case.file.clone(), place: case.place, message: format!("case {}: {message}", case.id) });
            };
            if let Some(other) = first.insert(&case.id, case) {
                fault(format!("the id stands at {}:{} already", other.file, other.place.line));
            }
            if !self.requirements.iter().any(|requirement| requirement.id == case.clause) {
                fault(format!("there is no clause {:?} in {}/requirements/", case.clause, SuiteFiles::ROOT));
            }
            for name in case.catches.iter().filter(|name| !self.wrong_hosts.contains_key(*name)) {
                fault(format!("there is no wrong host {name:?} in {}/wrong-hosts.yaml", SuiteFiles::ROOT));
            }
            for rule in case.without.iter().filter(|rule| RulePack::shipped_rule(rule).is_none()) {
                fault(format!("there is no rule {rule}"));
            }
            if let Some(profile) = case.profile.as_ref().filter(|name| embedded::rendering_profile(name).is_none()) {
                let names: Vec<&str> = embedded::rendering_profiles().keys().map(String::as_str).collect();
                fault(format!("there is no rendering profile {profile:?}; there are {}", names.join(", ")));
            }
            if is_later(&case.since, &self.version) {
                fault(format!("since is {}, but the suite's version is {}", case.since, self.version));
            }
        }
    }

    /// The cases, in order of file and line.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The case of this id.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// The requirement of this id.
    #[must_use]
    pub fn requirement(&self, id: &str) -> Option<&Requirement> {
        self.requirements.iter().find(|requirement| requirement.id == id)
    }

    /// The digest of what a case asks and wants: `sha256:` over its contract, level, basis, clause, calls and expectations, and over the
    /// files that it takes in. Its title, its reason and its place are no part of that.
    ///
    /// # Errors
    /// Where the case holds an integer that has no canonical form.
    pub fn case_digest(&self, case: &Case) -> Result<String, String> {
        let mut meaning = case.meaning();
        let named = expand::files_named(case, &self.files);
        meaning["files"] = named.iter().map(|(name, bytes)| json!([name, digest::hex(bytes)])).collect();
        digest::of_value(&meaning)
    }

    /// The suite's files.
    #[must_use]
    pub fn files(&self) -> &SuiteFiles {
        &self.files
    }

    /// What the handshake says of the suite.
    #[must_use]
    pub fn info(&self) -> adapter::SuiteInfo {
        adapter::SuiteInfo { version: self.version.clone(), digest: self.files.digest() }
    }
}

fn mentions(bytes: &[u8], id: &str) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains(id))
}

fn is_later(version: &str, than: &str) -> bool {
    let parts = |text: &str| text.split('.').map(|part| part.parse::<u64>().unwrap_or(0)).collect::<Vec<_>>();
    parts(version) > parts(than)
}

fn read_data<T: serde::de::DeserializeOwned>(files: &SuiteFiles, name: &str, faults: &mut Vec<SuiteFault>) -> Option<T> {
    let mut fault = |place: Place, message: String| {
        faults.push(SuiteFault { file: name.to_owned(), place, message });
        None
    };
    let start = Place { line: 1, column: 1 };
    let Some(bytes) = files.get(name) else { return fault(start, "the suite lacks this file".to_owned()) };
    let Ok(text) = std::str::from_utf8(bytes) else { return fault(start, "the file is not UTF-8".to_owned()) };
    match yaml::parse(text) {
        Err(error) => fault(error.place, error.message),
        Ok(document) => match serde_json::from_value(document.value) {
            Ok(data) => Some(data),
            Err(error) => fault(start, error.to_string()),
        },
    }
}
