//! The authorised surface: what a pointer may lead to. Nothing is opened; names are compared.

use serde_json::Value;

use crate::json;

/// Refs, and prefixes below which every ref is authorised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surface {
    /// Refs that are authorised one by one.
    pub refs: Vec<String>,
    /// Those that end in `/` or `:` authorise what is below; others are refs.
    pub prefixes: Vec<String>,
}

impl Surface {
    /// Reads `{refs, prefixes}`, each a sequence of texts, either of them left out where it is empty.
    ///
    /// # Errors
    /// What is of a wrong form, in words.
    pub fn read(value: &Value) -> Result<Self, String> {
        let members = value.as_object().ok_or_else(|| format!("surface: it is of type {}, not a mapping", json::type_name(value)))?;
        let list = |key: &str| -> Result<Vec<String>, String> {
            let items = match members.get(key) {
                None | Some(Value::Null) => return Ok(Vec::new()),
                Some(Value::Array(items)) => items,
                Some(other) => return Err(format!("surface.{key}: it is of type {}, not a list", json::type_name(other))),
            };
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<_>>().ok_or_else(|| format!("surface.{key}: a list of texts is required"))
        };
        Ok(Self { refs: list("refs")?, prefixes: list("prefixes")? })
    }

    /// Whether a pointer resolves here: it is listed to the letter, or is the same as a ref or below a prefix once both are normalised.
    #[must_use]
    pub fn resolves(&self, pointer: &str) -> bool {
        let is_open = |prefix: &&String| prefix.ends_with(['/', ':']);
        let exact = || self.refs.iter().chain(self.prefixes.iter().filter(|prefix| !is_open(prefix)));
        if exact().any(|listed| listed == pointer) {
            return true;
        }
        let Some(pointer) = Normal::of(pointer) else { return false };
        let same = |listed: &String| {
            Normal::of(listed)
                .is_some_and(|listed| listed.name == pointer.name && (listed.query.is_none() || listed.query == pointer.query))
        };
        let below = |prefix: &String| {
            Normal::of(prefix).is_some_and(|prefix| pointer.name.strip_prefix(&prefix.name).is_some_and(|rest| !rest.is_empty()))
        };
        exact().any(same) || self.prefixes.iter().filter(is_open).any(below)
    }
}

/// A name that stays inside.
struct Normal {
    name: String,
    query: Option<String>,
}

impl Normal {
    /// `None` for what leads out: above its root, from the file system's root or a home, to a drive.
    fn of(text: &str) -> Option<Self> {
        let text = text.split('#').next().unwrap_or_default();
        let (name, query) = text.split_once('?').map_or((text, None), |(name, query)| (name, Some(query)));
        let name = decoded(name)?.replace('\\', "/");
        let query = match query {
            Some(query) => Some(decoded(query)?),
            None => None,
        };
        let (root, path) = match name.split_once("://") {
            Some((scheme, rest)) if is_scheme(scheme) => {
                let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (format!("{}://{}/", scheme.to_lowercase(), host.to_lowercase()), path.strip_prefix('/').unwrap_or(path).to_owned())
            }
            _ => (String::new(), name),
        };
        if root.is_empty() && (path.starts_with(['/', '~']) || is_drive(&path)) {
            return None;
        }
        let mut parts: Vec<&str> = Vec::new();
        let segments: Vec<&str> = path.split('/').collect();
        for (at, segment) in segments.iter().enumerate() {
            let is_last = at + 1 == segments.len();
            match *segment {
                "." => {}
                ".." => {
                    parts.pop()?;
                }
                segment => parts.push(segment),
            }
            // A folder's slash stays.
            if is_last && matches!(*segment, "." | "..") && !parts.is_empty() {
                parts.push("");
            }
        }
        Some(Self { name: format!("{root}{}", parts.join("/")), query })
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
}

fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// Percent-decoded once; `None` where that gives no text.
fn decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).ok()?);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_resolves_where_it_stays_inside_and_is_listed() {
        let surface = Surface {
            refs: ["docs/report.md", "https://Example.org/run/7?attempt=2", "/srv/listed.log", "ci:run#7"].map(str::to_owned).to_vec(),
            prefixes: ["out/", "gh_run:", "https://ci.example.org/a/", "exact"].map(str::to_owned).to_vec(),
        };
        for pointer in [
            "docs/report.md",
            "./docs/report.md",
            "docs/./report.md",
            "docs/x/../report.md",
            "docs\\report.md",
            "docs%2Freport.md",
            "docs/report.md#section",
            "docs/report.md?raw=1",
            "https://example.org/run/7?attempt=2",
            "HTTPS://EXAMPLE.ORG/run/7?attempt=2#log",
            "/srv/listed.log",
            "ci:run#7",
            "out/a.md",
            "out/b/../a.md",
            "gh_run:28273659275",
            "https://CI.example.org/a/b",
            "exact",
        ] {
            assert!(surface.resolves(pointer), "{pointer}");
        }
        for pointer in [
            "",
            "docs/report.mdx",
            "docs/Report.md",
            "https://example.org/run/7",
            "https://example.org/run/7?attempt=3",
            "http://example.org/run/7?attempt=2",
            "out",
            "out/",
            "outside/a.md",
            "out/../secret.md",
            "out/%2e%2e/secret.md",
            "out\\..\\secret.md",
            "../out/a.md",
            "/out/a.md",
            "~/out/a.md",
            "C:/out/a.md",
            "c:out/a.md",
            "exact/below",
            "https://ci.example.org/a/../b",
            "https://ci.example.org.evil/a/b",
            "/srv/../srv/listed.log",
            "out/%ff",
        ] {
            assert!(!surface.resolves(pointer), "{pointer}");
        }
        // Decoded once: what is left is a name like any other.
        assert!(surface.resolves("out/%252e%252e/a.md"));
    }
}
