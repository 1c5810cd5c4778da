//! `proofmark emit`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use proofmark::adapter::{Declaration, Hello, Implementation as _, Session};
use proofmark::case::{Case, Suite};
use proofmark::contract::rendering::RenderingProfile;
use proofmark::judge::Judge;
use proofmark::reference::Reference;
use proofmark::{embedded, json};
use serde_json::{Value, json};

use super::{Failure, OutputArgs, SuiteArgs, load_suite, shipped_profile};
use crate::exit::Exit;
use crate::filter::Filter;
use crate::run::hello;

const EXAMPLES: &str = "\
Examples:
  proofmark emit activation.budget.tail-is-cut-exactly
  proofmark emit activation.load | ./my-host
  proofmark emit run.one-shot --with-ids | jq -c .params
  proofmark emit --profile packet-renderer --out requests.jsonl
  proofmark emit --declaration my-declaration.json registry.merge | ./my-host

One JSON-RPC message a line: `initialize`, the requests of the selected cases in order, and `shutdown`. The same words on the command
line give the same lines. Nothing is started: where a case builds on earlier answers, the reference implementation stands in for the
host. So the sessions of runs have the names that the reference gives (run-1, run-2); a host that gives others refuses their steps.

--with-ids adds `_meta: {\"case\": ID}` to params. A host must ignore it, as it ignores every key that it does not know; `proofmark run`
never sends it.

Exit status: 0 written, 1 nothing of what was selected would be asked, 2 usage, 5 suite invalid";

/// Arguments of `emit`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EmitArgs {
    /// Which cases: ids, beginnings of ids, globs, case files; all where none is given
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Only cases of this contract
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
    /// Only what a profile asks for
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The rendering profile that the requests are made for
    #[arg(long, value_name = "NAME", default_value = "page-1", conflicts_with = "declaration")]
    rendering: String,
    /// Make the requests for the host that declares this: a JSON file with its result of `initialize`, or its whole answer
    #[arg(long, value_name = "FILE")]
    declaration: Option<PathBuf>,
    /// Add the case's id to params, as `_meta: {"case": ID}`
    #[arg(long)]
    with_ids: bool,
    /// The requests beside the cases' own too, with which a run judges the laws and compares evidence with the catalog
    #[arg(long)]
    laws: bool,
    /// The seed of random worlds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn main(args: &EmitArgs) -> Result<Exit, Failure> {
    let filter = Filter::of(&args.patterns, args.contract.clone(), args.profile.as_deref()).map_err(|error| Failure::usage(error.0))?;
    let suite = load_suite(&args.suite, None)?;
    let cases = filter.select(&suite).map_err(|error| Failure::usage(error.0))?;
    // The nonce is no secret here, and lines that are the same every time can be compared.
    let hello = hello(&suite, "0".repeat(32));
    let (declaration, rendering) = declared(args, &hello)?;
    let judge = Judge::new(&suite, &declaration).with_laws(args.laws).with_seed(args.seed);
    let mut emitter = Emitter { out: sink(args)?, session: Session::new(), line: Vec::new(), reference: Reference::new(rendering) };
    emitter.say("initialize", &serde_json::to_value(&hello).map_err(io::Error::from)?)?;
    let (mut asked, mut left_out) = (0, Vec::new());
    for case in cases {
        match emitter.case(&judge, case, args)? {
            None => asked += 1,
            Some(reason) => left_out.push((case, reason)),
        }
    }
    emitter.say("shutdown", &json!({}))?;
    emitter.out.flush()?;
    tell(&left_out, &suite)?;
    Ok(if asked == 0 { Exit::NotConformant } else { Exit::Conformant })
}

/// For whom the requests are: what they declare, and the profile by which the reference stands in.
fn declared(args: &EmitArgs, hello: &Hello) -> Result<(Declaration, RenderingProfile), Failure> {
    let Some(path) = &args.declaration else {
        let rendering = shipped_profile(&args.rendering)?;
        let declaration = Reference::new(rendering).initialize(hello).map_err(|error| Failure::usage(error.message))?;
        return Ok((declaration, rendering));
    };
    let wrong = |message: String| Failure::usage(format!("--declaration {}: {message}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let value = json::parse(&text).map_err(|error| wrong(format!("line {}, column {}: {}", error.line, error.column, error.message)))?;
    // What a host was seen to answer is at hand as a whole line.
    let value = value.get("jsonrpc").and_then(|_| value.get("result")).unwrap_or(&value);
    let declaration = Declaration::read(value).map_err(|reason| {
        wrong(format!("it is no declaration: {reason}. Expected what a host answers to `initialize`; `proofmark explain protocol` has one"))
    })?;
    let rendering = declaration.rendering.unwrap_or_else(embedded::page_1);
    Ok((declaration, rendering))
}

fn sink(args: &EmitArgs) -> Result<Box<dyn Write>, Failure> {
    let create = |path: &Path| {
        File::create(path).map_err(|error| Failure::usage(format!("the requests can't be written: {}: {error}", path.display())))
    };
    Ok(match &args.out {
        Some(path) => Box::new(BufWriter::new(create(path)?)),
        // A reader that has seen enough may go; nothing here is for a terminal's colours.
        None => Box::new(BufWriter::new(OutputArgs { format: super::Format::Json, no_color: true }.stdout())),
    })
}

struct Emitter {
    out: Box<dyn Write>,
    session: Session,
    line: Vec<u8>,
    reference: Reference,
}

impl Emitter {
    /// Writes one message, as a run would.
    fn say(&mut self, method: &str, params: &Value) -> Result<(), Failure> {
        self.line.clear();
        let id = self.session.request(method, params, &mut self.line).map_err(|error| Failure::usage(error.message))?;
        self.session.give_up(id);
        self.out.write_all(&self.line)?;
        Ok(())
    }

    /// Writes the requests of a case; returns why, where there are none.
    fn case<'s>(&mut self, judge: &Judge<'s>, case: &'s Case, args: &EmitArgs) -> Result<Option<String>, Failure> {
        let mut run = match judge.begin(case) {
            Ok(run) => run,
            Err(settled) => return Ok(Some(settled.reason.unwrap_or_default())),
        };
        let mut calls = run.start();
        let mut own: Option<Arc<Value>> = None;
        while let Some(call) = calls.pop() {
            // The twin of a request is asked with the very same params; everything else beside it is asked for the laws.
            let is_twin = own.as_ref().is_some_and(|own| Arc::ptr_eq(own, &call.params));
            if !is_twin || args.laws {
                let name = call.operation.name();
                if args.with_ids {
                    let mut params = (*call.params).clone();
                    params["_meta"] = json!({"case": case.id});
                    self.say(name, &params)?;
                } else {
                    self.say(name, &call.params)?;
                }
            }
            let answer = proofmark::adapter::Implementation::call(&mut self.reference, call.operation, &call.params);
            if !is_twin {
                own = Some(Arc::clone(&call.params));
            }
            calls.extend(run.answered(call.key, answer));
        }
        Ok(None)
    }
}

/// Says on stderr what was selected and is not asked of such a host: the lines do not show it.
fn tell(left_out: &[(&Case, String)], suite: &Suite) -> Result<(), Failure> {
    const SHOWN: usize = 5;
    if left_out.is_empty() {
        return Ok(());
    }
    let mut err = anstream::stderr();
    writeln!(err, "of {} cases in the suite, {} of those selected are not asked of such a host:", suite.cases().len(), left_out.len())?;
    for (case, reason) in left_out.iter().take(SHOWN) {
        writeln!(err, "  {}: {}", case.id, crate::printable::printable(reason, false))?;
    }
    if left_out.len() > SHOWN {
        writeln!(err, "  … and {} more", left_out.len() - SHOWN)?;
    }
    Ok(())
}
