//! An adapter of a few lines of shell that gives every request the same answer: enough to say hostile things.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

const SCRIPT: &str = r#"
declaration=$(cat "$1/declaration")
answer=$(cat "$1/answer")
if [ -f "$1/stderr" ]; then cat "$1/stderr" >&2; fi
reply() {
  id=${line#*'"id":'}
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "${id%%,*}" "$1"
}
while read -r line; do
  case $line in
    *'"method":"initialize"'*) reply "$declaration" ;;
    *'"method":"shutdown"'*) reply '"result":null'; exit ;;
    *)
      if [ -f "$1/pause" ]; then sleep "$(cat "$1/pause")"; fi
      if [ -f "$1/stray" ]; then cat "$1/stray"; else reply "$answer"; fi ;;
  esac
done
"#;

/// What it declares, where nothing hostile is wanted there.
pub(crate) fn declaration() -> Value {
    json!({
        "protocol": 1,
        "implementation": {"name": "shell", "version": "1", "language": "sh"},
        "operations": ["activation.evidence"],
        "contracts": {"skill_activation_evidence": [1]},
        "rendering": proofmark::embedded::page_1(),
        "diagnostics": "rules",
        "max_in_flight": 1,
    })
}

/// The member of a response that a result is.
pub(crate) fn result(value: &Value) -> String {
    format!("\"result\":{value}")
}

/// The member of a response that an error is.
pub(crate) fn error(message: &str) -> String {
    format!("\"error\":{}", json!({"code": -32603, "message": message}))
}

/// Writes the adapter into a directory, and returns the command that starts it. `more` may have `stderr`, what it says there at its
/// start; `stray`, what it writes on stdout in place of answers; `pause`, the seconds that it takes over each.
pub(crate) fn shell_host(directory: &Path, declaration: &str, answer: &str, more: &[(&str, &str)]) -> Vec<String> {
    for (name, text) in [("host.sh", SCRIPT), ("declaration", declaration), ("answer", answer)].iter().chain(more) {
        fs::write(directory.join(name), text).unwrap();
    }
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    vec!["sh".to_owned(), path(&directory.join("host.sh")), path(directory)]
}
