//! Directories of skills: finds every SKILL.md below a directory and reads it.
//!
//! The tree is hostile until shown otherwise. A link to a directory is followed, for people install skills by linking them, yet each
//! real directory is entered once, so no arrangement of links makes the search long. What stands in the way of a complete listing is
//! reported, and the rest is listed all the same.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use proofmark::contract::activation::REGISTRY_TYPE;
use proofmark::contract::skill_file::{self, SkillFileError};
use serde_json::{Map, Value, json};
use walkdir::WalkDir;

const FILE_NAME: &str = "SKILL.md";

/// How much is looked at before the search gives up, and says so.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files, directories and links in the whole search.
    pub entries: usize,
    /// Bytes of one SKILL.md.
    pub file_bytes: u64,
    /// Bytes of all of them together; their bodies are kept in memory.
    pub total_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 1_000_000, file_bytes: 1 << 20, total_bytes: 512 << 20 }
    }
}

/// A SKILL.md that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// The file, below the root as it was given.
    pub path: PathBuf,
    /// Its registry entry.
    pub entry: Map<String, Value>,
    /// What is odd in it.
    pub warnings: Vec<SkillFileError>,
}

/// Something that keeps the listing from being complete: a SKILL.md that can't be read, a directory that can't be opened, a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The file, directory or link; the root for a limit.
    pub path: PathBuf,
    /// The line, from 1, where the file was opened and its text is at fault.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
    /// What is wrong and what to do about it, without the position.
    pub message: String,
}

impl Unreadable {
    fn new(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, column: None, message: message.into() }
    }
}

/// The skills of a directory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillDirectory {
    /// What was read, ascending by the bytes of the path.
    pub skills: Vec<Skill>,
    /// What was not, in the same order.
    pub unreadable: Vec<Unreadable>,
    /// Ids that more than one file claims, ascending, with the files. All of them are in `skills`: the registry is not merged.
    pub duplicates: Vec<(String, Vec<PathBuf>)>,
}

impl SkillDirectory {
    /// The skills as a registry, `{_type: skill_registry, skills: […]}`, in the order of their paths; not merged.
    #[must_use]
    pub fn registry(&self) -> Value {
        let skills: Vec<&Map<String, Value>> = self.skills.iter().map(|skill| &skill.entry).collect();
        json!({"_type": REGISTRY_TYPE, "skills": skills})
    }
}

/// Reads every SKILL.md in a directory and at any depth below it, hidden directories included, within the default [`Limits`].
///
/// `source` is the layer label of every entry. A skill without a name of its own has that of its directory.
///
/// # Errors
/// The root itself can't be read, or is no directory. All else is in [`SkillDirectory::unreadable`].
pub fn read(root: &Path, source: Option<&str>) -> io::Result<SkillDirectory> {
    read_within(root, source, Limits::default())
}

/// [`read`] with limits of one's own.
///
/// # Errors
/// As [`read`].
pub fn read_within(root: &Path, source: Option<&str>, limits: Limits) -> io::Result<SkillDirectory> {
    fs::read_dir(root)?;
    let mut search = Search::new(root, limits)?;
    search.run();
    let Search { mut files, mut unreadable, .. } = search;
    sort_by_path_bytes(&mut files, |path| path);

    let mut skills = Vec::new();
    let mut left = limits.total_bytes;
    for (done, path) in files.iter().enumerate() {
        let bytes = match file_bytes(path, limits.file_bytes) {
            Ok(bytes) => bytes,
            Err(message) => {
                unreadable.push(Unreadable::new(path, message));
                continue;
            }
        };
        let Some(rest) = left.checked_sub(bytes.len() as u64) else {
            let (limit, rest) = (limits.total_bytes, files.len() - done);
            let message =
                format!("more than {limit} bytes of {FILE_NAME}: the last {rest} files were not read; name a directory with fewer skills");
            unreadable.push(Unreadable::new(root, message));
            break;
        };
        left = rest;
        match skill_file::read(&bytes, &directory_name(path), source) {
            Ok(file) => skills.push(Skill { path: path.clone(), entry: file.entry, warnings: file.warnings }),
            Err(SkillFileError { line, column, message }) => {
                unreadable.push(Unreadable { path: path.clone(), line: Some(line), column: Some(column), message });
            }
        }
    }
    sort_by_path_bytes(&mut unreadable, |unreadable| &unreadable.path);
    let duplicates = duplicates(&skills);
    Ok(SkillDirectory { skills, unreadable, duplicates })
}

/// By bytes, not by components: an order that other languages' readers can repeat.
fn sort_by_path_bytes<T>(items: &mut [T], path: impl Fn(&T) -> &Path) {
    items.sort_by(|a, b| path(a).as_os_str().as_encoded_bytes().cmp(path(b).as_os_str().as_encoded_bytes()));
}

/// The name of the directory that a file stands in; empty where it has none, or none that is UTF-8.
fn directory_name(file: &Path) -> String {
    let directory = file.parent().unwrap_or(file);
    let text = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    // `.` and `..` have no name as they stand.
    text(directory).or_else(|| text(&fs::canonicalize(directory).ok()?)).unwrap_or_default()
}

/// The bytes of a regular file, or what is wrong with it. A pipe is never opened: that would wait for a writer.
fn file_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let cannot = |error: io::Error| match fs::read_link(path) {
        Ok(target) if error.kind() == ErrorKind::NotFound => format!("a link to {}, which is not there", target.display()),
        _ => format!("can't be read: {error}"),
    };
    let large = || format!("larger than {limit} bytes, and not read; keep long texts in files beside it");
    let metadata = fs::metadata(path).map_err(cannot)?;
    if metadata.is_dir() {
        return Err(format!("a directory; {FILE_NAME} must be a file"));
    }
    if !metadata.is_file() {
        return Err("a pipe, socket or device, and not opened".into());
    }
    if metadata.len() > limit {
        return Err(large());
    }
    let mut bytes = Vec::new();
    // A file may grow after it was measured, and some (below /proc) have no size at all.
    fs::File::open(path).and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() as u64 > limit { Err(large()) } else { Ok(bytes) }
}

fn duplicates(skills: &[Skill]) -> Vec<(String, Vec<PathBuf>)> {
    let mut by_id: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for skill in skills {
        let text = |key| skill.entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let id = match text("namespace") {
            "" => text("name").to_owned(),
            namespace => format!("{namespace}/{}", text("name")),
        };
        by_id.entry(id).or_default().push(skill.path.clone());
    }
    by_id.into_iter().filter(|(_, paths)| paths.len() > 1).collect()
}

/// The search for files: the real tree first, then the directories that its links lead to, so that a file is listed under its real
/// path wherever it has one below the root.
struct Search<'a> {
    root: &'a Path,
    real_root: PathBuf,
    limits: Limits,
    entries: usize,
    /// The real paths of the directories entered.
    entered: HashSet<PathBuf>,
    files: Vec<PathBuf>,
    links: Vec<PathBuf>,
    unreadable: Vec<Unreadable>,
}

impl<'a> Search<'a> {
    fn new(root: &'a Path, limits: Limits) -> io::Result<Self> {
        let real_root = fs::canonicalize(root)?;
        let (entered, files, links, unreadable) = (HashSet::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Self { root, real_root, limits, entries: 0, entered, files, links, unreadable })
    }

    fn run(&mut self) {
        let mut complete = self.walk(self.root, self.real_root.clone());
        while complete && !self.links.is_empty() {
            let mut links = std::mem::take(&mut self.links);
            sort_by_path_bytes(&mut links, |path| path);
            complete = links.iter().all(|link| self.follow(link));
        }
        if !complete {
            let message = format!(
                "more than {} files and directories: the rest was not looked at; name a directory nearer to the skills",
                self.limits.entries
            );
            self.unreadable.push(Unreadable::new(self.root, message));
        }
    }

    /// Enters a directory and all below it, links aside. False where the limit was reached.
    fn walk(&mut self, start: &Path, real_start: PathBuf) -> bool {
        if !self.entered.insert(real_start.clone()) {
            return true;
        }
        let mut walk = WalkDir::new(start).min_depth(1).into_iter();
        while let Some(entry) = walk.next() {
            self.entries += 1;
            if self.entries > self.limits.entries {
                return false;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(start).to_owned();
                    let cause = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    self.unreadable.push(Unreadable::new(path, format!("can't be looked into: {cause}")));
                    continue;
                }
            };
            let path = entry.path();
            if entry.file_type().is_dir() {
                // No link lies between the start and here, so this is the real path.
                let real = real_start.join(path.strip_prefix(start).unwrap_or(path));
                if !self.entered.insert(real) {
                    walk.skip_current_dir();
                    continue;
                }
            }
            if entry.file_type().is_symlink() {
                self.links.push(path.to_owned());
            }
            if entry.file_name() == FILE_NAME {
                self.files.push(path.to_owned());
            }
        }
        true
    }

    /// Enters the directory that a link leads to, if it is one. False where the limit was reached.
    fn follow(&mut self, link: &Path) -> bool {
        let real = match fs::metadata(link) {
            Ok(metadata) if metadata.is_dir() => fs::canonicalize(link),
            Ok(_) => return true,
            Err(error) => Err(error),
        };
        let error = match real {
            Ok(real) if self.entered.contains(&real) => return true,
            Ok(real) if self.leads_upwards(link, &real) => {
                format!("a link upwards, to {}: not followed", real.display())
            }
            Ok(real) => return self.walk(link, real),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Only what could have been a skill is missed; editors leave dangling links such as `.#SKILL.md` for locks.
                if link.file_name().is_some_and(|name| name.as_encoded_bytes().contains(&b'.')) {
                    return true;
                }
                let target = fs::read_link(link).unwrap_or_default();
                format!("a link to {}, which is not there", target.display())
            }
            Err(error) => format!("a link that can't be followed: {error}"),
        };
        // A SKILL.md is reported when it is read.
        if link.file_name() != Some(OsStr::new(FILE_NAME)) {
            self.unreadable.push(Unreadable::new(link, error));
        }
        true
    }

    /// Whether a link leads to a directory that holds the root or the link: following it would list what nobody asked for.
    fn leads_upwards(&self, link: &Path, real: &Path) -> bool {
        let real_parent = link.parent().and_then(|parent| fs::canonicalize(parent).ok());
        self.real_root.starts_with(real) || real_parent.is_some_and(|parent| parent.starts_with(real))
    }
}
