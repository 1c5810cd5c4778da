//! Registries, options and profiles: as no one should write them, and as a `must` case has them.

use proofmark::contract::rendering::{BelowFloor, CardCost, Empty, Fit, Order, RenderingProfile, Suffix, Unit};
use proofmark::json;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Texts that some host somewhere got wrong.
pub(crate) const PIECES: [&str; 26] = [
    "a",
    "deploy",
    "技能清单",
    "日本語",
    "🚀",
    "👩\u{200d}💻",
    "e\u{301}",
    "é",
    "\u{fb01}",
    "ß",
    "İ",
    "\0",
    "\u{7f}",
    "\u{85}",
    "\n",
    "\r\n",
    "\t",
    " ",
    "`",
    "\u{2028}",
    "\u{feff}",
    "\u{202e}",
    "\u{e000}",
    "\u{10ffff}",
    "- `x`: y",
    "\n  when: ",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just(String::new()),
        4 => "[a-z]{1,14}",
        2 => "\\PC{0,8}",
        3 => prop::collection::vec(select(PIECES.to_vec()), 1..6).prop_map(|pieces| pieces.concat()),
        1 => (select(PIECES.to_vec()), 1..300_usize).prop_map(|(piece, count)| piece.repeat(count)),
    ]
}

pub(crate) fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]{1,2}",
        // Alike for long, and one the beginning of another.
        1 => "sixteen-bytes-or[ab\\x00]{0,3}",
        2 => select(vec!["Z", "z", "é", "e\u{301}", "技", "🚀", "\u{ffff}", "\u{10000}", "a/b", "a~", "0", " "]).prop_map(str::to_owned),
        1 => text().prop_filter("a name", |text| !text.is_empty()),
    ]
}

/// A value of a type that nobody expects, or a number beyond what is counted.
pub(crate) fn odd() -> impl Strategy<Value = Value> {
    select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-1),
        json!(1),
        json!(2),
        json!(2.0),
        json!(0.5),
        json!(1e300),
        json!(-1e300),
        json!(9_007_199_254_740_991_u64),
        json!(9_007_199_254_740_992_u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("true"),
        json!([]),
        json!(["a"]),
        json!([null]),
        json!({}),
        json!({"name": "a"}),
    ])
}

pub(crate) fn or_odd(strategy: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![9 => strategy, 1 => odd()]
}

/// A member that is there, or is not.
pub(crate) fn member(key: &'static str, value: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Option<(String, Value)>> {
    prop_oneof![value.prop_map(move |value| Some((key.to_owned(), value))), Just(None)]
}

pub(crate) fn object(members: Vec<Option<(String, Value)>>) -> Value {
    Value::Object(members.into_iter().flatten().collect())
}

pub(crate) fn texts() -> BoxedStrategy<Value> {
    text().prop_map(Value::from).boxed()
}

/// An entry as no one should write it.
pub(crate) fn hostile_entry() -> impl Strategy<Value = Value> {
    let members = vec![
        name().prop_map(|name| Some(("name".to_owned(), json!(name)))).boxed(),
        member("name", odd()).boxed(),
        member("namespace", or_odd(name().prop_map(Value::from))).boxed(),
        member("short", or_odd(texts())).boxed(),
        member("description", or_odd(texts())).boxed(),
        member("when_to_use", or_odd(texts())).boxed(),
        member("when-to-use", or_odd(texts())).boxed(),
        member("source", or_odd(texts())).boxed(),
        member("disable_model_invocation", or_odd(any::<bool>().prop_map(Value::from))).boxed(),
        member("disable-model-invocation", or_odd(any::<bool>().prop_map(Value::from))).boxed(),
        member("require_signature", or_odd(any::<bool>().prop_map(Value::from))).boxed(),
        member("score", or_odd(any::<i32>().prop_map(Value::from))).boxed(),
        member("reason", or_odd(texts())).boxed(),
        member("trigger", or_odd(texts())).boxed(),
        member("body", or_odd(texts())).boxed(),
        member("prompt", or_odd(texts())).boxed(),
        member("path", or_odd(texts())).boxed(),
        member("provenance", or_odd(provenance().boxed())).boxed(),
        member("x-else", odd()).boxed(),
    ];
    prop_oneof![12 => members.prop_map(object), 1 => odd()]
}

pub(crate) fn provenance() -> impl Strategy<Value = Value> {
    let keys = ["signed", "trusted", "status", "type", "skill_id", "lifecycle", "error", "session_id", "token_estimate"];
    let members: Vec<_> = keys.map(|key| member(key, prop_oneof![3 => any::<bool>().prop_map(Value::from), 1 => odd()]).boxed()).into();
    members.prop_map(object)
}

pub(crate) fn hostile_registry() -> impl Strategy<Value = Value> {
    let skills = prop::collection::vec(hostile_entry(), 0..9);
    prop_oneof![12 => skills.prop_map(|skills| json!({"_type": "skill_registry", "skills": skills})), 1 => odd()]
}

pub(crate) fn hostile_options() -> impl Strategy<Value = Value> {
    let ids = prop::collection::vec(or_odd(name().prop_map(Value::from)), 0..4).prop_map(Value::from).boxed();
    let members = vec![
        member("budget", or_odd((1..3_000_u64).prop_map(Value::from))).boxed(),
        member("catalog_limit", or_odd((1..6_u64).prop_map(Value::from))).boxed(),
        member("loaded", or_odd(ids.clone())).boxed(),
        member("used", or_odd(ids)).boxed(),
        member("x-else", odd()).boxed(),
        prop_oneof![9 => Just(None), 1 => odd().prop_map(|value| Some(("catalog_rendered".to_owned(), value)))].boxed(),
    ];
    prop_oneof![12 => members.prop_map(object), 1 => odd()]
}

pub(crate) fn unit() -> impl Strategy<Value = Unit> {
    select(vec![Unit::Characters, Unit::Utf16, Unit::Bytes])
}

pub(crate) fn below_floor() -> impl Strategy<Value = BelowFloor> {
    select(vec![BelowFloor::Raise, BelowFloor::Header, BelowFloor::Nothing])
}

/// Any profile that a host may declare, most of them small enough for budgets to matter.
pub(crate) fn profile() -> impl Strategy<Value = RenderingProfile> {
    let frame = prop_oneof![8 => 0..300_u64, 1 => 0..=RenderingProfile::MAX_FRAME];
    let suffix = prop::option::weighted(0.8, (0..=RenderingProfile::MAX_SUFFIX_BASE, any::<bool>()));
    let part = 0..=RenderingProfile::MAX_CARD_PART;
    let layout = (frame, 0..6_u64, 0..40_u64, suffix, (part.clone(), part.clone(), part));
    let order = select(vec![Order::Id, Order::IdUtf16, Order::Registry]);
    let words = (unit(), order, select(vec![Fit::Prefix, Fit::Skip]), below_floor(), select(vec![Empty::Header, Empty::Nothing]));
    (layout, words).prop_map(|((header, separator, footer, suffix, card), (unit, order, fit, below_floor, empty))| RenderingProfile {
        unit,
        header,
        separator,
        footer,
        suffix: suffix.map(|(base, plus_digits)| Suffix { base, plus_digits }),
        card: CardCost { id: card.0, description: card.1, when_to_use: card.2 },
        order,
        fit,
        below_floor,
        empty,
    })
}

/// A profile under which every law holds.
pub(crate) fn lawful_profile() -> impl Strategy<Value = RenderingProfile> {
    profile().prop_map(|profile| RenderingProfile { order: Order::Id, fit: Fit::Prefix, ..profile })
}

/// An entry such as a `must` case has: texts where texts belong, flags that are flags.
pub(crate) fn tidy_entry() -> impl Strategy<Value = Value> {
    let trimmed = || text().prop_map(|text| Value::from(text.trim())).boxed();
    let members = vec![
        name().prop_map(|name| Some(("name".to_owned(), json!(name)))).boxed(),
        member("namespace", name().prop_map(Value::from)).boxed(),
        member("short", trimmed()).boxed(),
        member("description", trimmed()).boxed(),
        prop_oneof![member("when_to_use", trimmed()), member("when-to-use", trimmed())].boxed(),
        member("source", select(vec![json!("project"), json!("user"), json!("bundled")])).boxed(),
        prop_oneof![
            3 => Just(None),
            1 => member("disable_model_invocation", any::<bool>().prop_map(Value::from)),
            1 => member("disable-model-invocation", any::<bool>().prop_map(Value::from)),
        ]
        .boxed(),
        member("score", prop_oneof![any::<i32>().prop_map(Value::from), Just(json!(0.25))]).boxed(),
        member("reason", trimmed()).boxed(),
        member("body", texts()).boxed(),
    ];
    members.prop_map(object)
}

/// A merged registry: each id once.
pub(crate) fn tidy_registry() -> impl Strategy<Value = Value> {
    prop::collection::vec(tidy_entry(), 0..14).prop_map(|mut skills| {
        let mut ids = std::collections::HashSet::new();
        skills.retain(|skill| ids.insert(id_of(skill)));
        json!({"_type": "skill_registry", "skills": skills})
    })
}

pub(crate) fn tidy_options() -> impl Strategy<Value = Value> {
    let budget = prop_oneof![4 => 1..1_500_u64, 1 => 1..100_000_u64, 1 => Just(json::MAX_SAFE_INTEGER)];
    let members = vec![
        member("budget", budget.prop_map(Value::from)).boxed(),
        member("catalog_limit", (1..12_u64).prop_map(Value::from)).boxed(),
        member("loaded", prop::collection::vec(name(), 0..3).prop_map(Value::from)).boxed(),
    ];
    members.prop_map(object)
}

pub(crate) fn field<'a>(entry: &'a Value, key: &str) -> &'a Value {
    static NULL: Value = Value::Null;
    entry.get(key).or_else(|| entry.get(key.replace('_', "-"))).unwrap_or(&NULL)
}

pub(crate) fn text_of<'a>(entry: &'a Value, key: &str) -> &'a str {
    field(entry, key).as_str().unwrap_or("")
}

pub(crate) fn id_of(entry: &Value) -> String {
    let (namespace, name) = (text_of(entry, "namespace"), text_of(entry, "name"));
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

pub(crate) fn is_disabled(entry: &Value) -> bool {
    field(entry, "disable_model_invocation") == &Value::Bool(true)
}

pub(crate) fn skills(registry: &Value) -> &[Value] {
    registry["skills"].as_array().map_or(&[], Vec::as_slice)
}
