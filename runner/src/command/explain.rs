//! `proofmark explain`.

use std::io::Write as _;

use clap::Args;
use proofmark::case::Suite;
use proofmark::policy::{Check, Rule, RulePack};
use serde_json::{Value, json};

use super::{Failure, Format, OutputArgs, SuiteArgs, load_suite, write_json};
use crate::exit::Exit;
use crate::filter::nearest;

/// Arguments of `explain`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Examples:\n  proofmark explain AE-118\n  proofmark explain activation#budget\n  proofmark explain          every rule in a line"
)]
pub(super) struct ExplainArgs {
    /// A rule (AE-118), a clause (activation#budget), `clauses`, `protocol` or `cases`; without one every rule is listed
    #[arg(value_name = "RULE")]
    subject: Option<String>,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn main(args: &ExplainArgs) -> Result<Exit, Failure> {
    let suite = load_suite(&args.suite, None)?;
    let rules = || RulePack::shipped().iter().flat_map(|pack| pack.rules().iter().map(move |rule| (pack, rule)));
    let mut out = args.output.stdout();
    let json_wanted = args.output.format == Format::Json;
    let Some(subject) = &args.subject else {
        if json_wanted {
            let rules: Vec<_> = rules().map(|(pack, rule)| rule_json(pack, rule)).collect();
            write_json(&mut out, &rules)?;
        } else {
            for (_, rule) in rules() {
                writeln!(out, "{}  {:<6}  {}", rule.id, rule.level.as_str(), rule.title)?;
            }
        }
        out.flush()?;
        return Ok(Exit::Conformant);
    };
    if subject == "clauses" {
        if json_wanted {
            let rows: Vec<_> = suite
                .requirements
                .iter()
                .map(|it| json!({"id": it.id, "level": it.level, "section": it.section, "text": it.text}))
                .collect();
            write_json(&mut out, &rows)?;
        } else {
            for requirement in &suite.requirements {
                writeln!(out, "{:<36} {:<6}  {}", requirement.id, requirement.level.as_str(), requirement.text)?;
            }
        }
        out.flush()?;
        return Ok(Exit::Conformant);
    }
    if let "protocol" | "cases" = subject.as_str() {
        let text = proofmark::embedded::file(&format!("docs/{subject}.md")).unwrap_or_default();
        out.write_all(text)?;
        out.flush()?;
        return Ok(Exit::Conformant);
    }
    if let Some((pack, rule)) = rules().find(|(_, rule)| rule.id.eq_ignore_ascii_case(subject)) {
        if json_wanted {
            write_json(&mut out, &rule_json(pack, rule))?;
        } else {
            explain_rule(&mut out, &suite, pack, rule)?;
        }
    } else if let Some(requirement) = suite.requirement(subject) {
        let cases: Vec<&str> = suite.cases().iter().filter(|case| case.clause == *subject).map(|case| case.id.as_str()).collect();
        let rules: Vec<&str> = rules().map(|(_, rule)| rule).filter(|rule| rule.clause == *subject).map(|rule| rule.id.as_str()).collect();
        if json_wanted {
            let value = json!({
                "id": requirement.id, "level": requirement.level, "section": requirement.section, "text": requirement.text,
                "untestable": requirement.untestable, "rules": rules, "cases": cases,
            });
            write_json(&mut out, &value)?;
        } else {
            writeln!(out, "{} ({}, section {:?})\n  {}", requirement.id, requirement.level, requirement.section, requirement.text)?;
            if let Some(reason) = &requirement.untestable {
                writeln!(out, "  not tested: {reason}")?;
            }
            writeln!(out, "\nrules: {}", if rules.is_empty() { "none".to_owned() } else { rules.join(", ") })?;
            writeln!(out, "cases: {}", cases.len())?;
            for id in cases {
                writeln!(out, "  {id}")?;
            }
        }
    } else {
        let known = rules().map(|(_, rule)| rule.id.as_str()).chain(suite.requirements.iter().map(|it| it.id.as_str()));
        let hint =
            nearest(subject, known).map_or_else(|| "`proofmark explain` lists the rules".to_owned(), |it| format!("did you mean {it}?"));
        return Err(Failure::usage(format!("there is no rule or clause {subject:?}; {hint}")));
    }
    out.flush()?;
    Ok(Exit::Conformant)
}

fn explain_rule(out: &mut dyn std::io::Write, suite: &Suite, pack: &RulePack, rule: &Rule) -> Result<(), Failure> {
    let operations: Vec<&str> = rule.operations.iter().map(|operation| operation.name()).collect();
    writeln!(out, "{} ({}, basis {})\n  {}", rule.id, rule.level, rule.basis.as_str(), rule.title)?;
    if let Some(requirement) = suite.requirement(&rule.clause) {
        writeln!(out, "  {} ({}): {}", rule.clause, requirement.section, requirement.text)?;
    }
    let how = match &rule.check {
        Check::Schema(_) => "a JSON Schema fragment".to_owned(),
        Check::Native { name, .. } => format!("the native check {name}"),
    };
    let what = if operations.is_empty() {
        format!("documents of the contract {}", pack.contract)
    } else {
        format!("answers to {}", operations.join(", "))
    };
    writeln!(out, "  judges {what}, by {how}")?;
    if rule.alone {
        writeln!(out, "  where it is broken no other rule is judged")?;
    }
    if let Some(milder) = rule.milder {
        writeln!(out, "  what it can't settle is reported at {milder}")?;
    }
    if rule.is_law() {
        writeln!(out, "  a law: the kit asks a second time, with a request that differs in one way, and compares")?;
    }
    writeln!(out, "\nkeeps it:")?;
    for example in &rule.pass {
        let value = pack.example_value(example).unwrap_or(Value::Null);
        example_lines(out, &example.base, &value)?;
    }
    writeln!(out, "\nbreaks it, one edit away:")?;
    for example in &rule.fail {
        let edits: Vec<String> = example.edit.iter().map(|(pointer, value)| format!("{pointer} := {value}")).collect();
        let findings = pack.judge_example(rule, example).unwrap_or_default();
        let said: Vec<String> = findings.iter().map(|(path, message)| format!("{path} {message}")).collect();
        writeln!(out, "  {} with {}\n    {}", example.base, edits.join(", "), said.join("; "))?;
    }
    let cases = suite.cases().iter().filter(|case| case.clause == rule.clause).count();
    writeln!(out, "\n{cases} cases test the same clause: proofmark explain '{}'", rule.clause)?;
    Ok(())
}

/// An example, whole where it is read event by event.
fn example_lines(out: &mut dyn std::io::Write, name: &str, value: &Value) -> std::io::Result<()> {
    let Some(events) = value.get("events").and_then(Value::as_array) else {
        return writeln!(out, "  {name}: {}", proofmark::json::excerpt(value, 600));
    };
    let mut around = value.clone();
    if let Some(members) = around.as_object_mut() {
        members.remove("events");
    }
    writeln!(out, "  {name}:\n    {around}")?;
    events.iter().try_for_each(|event| writeln!(out, "    {event}"))
}

fn rule_json(pack: &RulePack, rule: &Rule) -> Value {
    let operations: Vec<&str> = rule.operations.iter().map(|operation| operation.name()).collect();
    let examples = |examples: &[proofmark::policy::Example]| -> Vec<Value> {
        examples.iter().map(|example| pack.example_value(example).unwrap_or(Value::Null)).collect()
    };
    json!({
        "id": rule.id, "level": rule.level, "basis": rule.basis, "clause": rule.clause, "title": rule.title, "operations": operations,
        "law": rule.is_law(), "alone": rule.alone, "milder": rule.milder, "pass": examples(&rule.pass), "fail": examples(&rule.fail),
    })
}
