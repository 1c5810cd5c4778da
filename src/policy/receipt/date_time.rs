//! RR-106: `last_used_at` is an RFC 3339 date-time with offset, and a real date.

use serde_json::Value;

use super::Finding;
use crate::json;

pub(super) fn check(receipt: &Value) -> Vec<Finding> {
    let fault = match receipt.get("last_used_at") {
        None => None,
        Some(Value::String(text)) => fault(text).map(str::to_owned),
        Some(other) => Some(format!("it is of type {}, not a text", json::type_name(other))),
    };
    fault.into_iter().map(|fault| Finding::new("/last_used_at", fault)).collect()
}

/// What keeps a text from being a date-time of RFC 3339, section 5.6. Second 60 passes at any time of day: which minutes have one is
/// announced, not computed.
fn fault(text: &str) -> Option<&'static str> {
    const FORM: Option<&str> = Some("it is not of the form 2026-06-27T09:30:00+08:00");
    let bytes = text.as_bytes();
    let number = |from: usize, digits: usize| -> Option<u32> {
        let part = bytes.get(from..from + digits)?;
        part.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
    };
    let sign = |at: usize, signs: &[u8]| bytes.get(at).is_some_and(|byte| signs.contains(byte));
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 2), number(8, 2)) else { return FORM };
    let (Some(hour), Some(minute), Some(second)) = (number(11, 2), number(14, 2), number(17, 2)) else { return FORM };
    if !(sign(4, b"-") && sign(7, b"-") && sign(10, b"Tt") && sign(13, b":") && sign(16, b":")) {
        return FORM;
    }
    let mut at = 19;
    if sign(at, b".") {
        let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return FORM;
        }
        at += 1 + digits;
    }
    let offset = if sign(at, b"Zz") {
        at += 1;
        (0, 0)
    } else if sign(at, b"+-") {
        let (Some(hours), true, Some(minutes)) = (number(at + 1, 2), sign(at + 3, b":"), number(at + 4, 2)) else { return FORM };
        at += 6;
        (hours, minutes)
    } else {
        return Some("it has no offset, such as Z or +08:00");
    };
    if at != bytes.len() {
        return Some("something follows the date-time");
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    if days == 0 || day == 0 || day > days {
        return Some("there is no such date");
    }
    let is_time = hour <= 23 && minute <= 59 && second <= 60 && offset.0 <= 23 && offset.1 <= 59;
    (!is_time).then_some("there is no such time of day or offset")
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn the_grammar_and_the_calendar_are_kept() {
        for good in [
            "2026-06-27T09:30:00+08:00",
            "2026-06-27t09:30:00z",
            "2024-02-29T00:00:00Z",
            "2000-02-29T23:59:60Z",
            "2026-06-27T09:30:60.999999999999-23:59",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.0Z",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "",
            "2026-06-27",
            "2026-06-27T09:30:00",
            "2026-06-27 09:30:00Z",
            "2026-06-27T09:30Z",
            "2026-06-27T09:30:00.Z",
            "2026-06-27T24:00:00Z",
            "2026-06-27T09:60:00Z",
            "2026-06-27T09:30:61Z",
            "2026-02-30T09:30:00Z",
            "2026-02-29T09:30:00Z",
            "1900-02-29T09:30:00Z",
            "2026-13-01T09:30:00Z",
            "2026-00-01T09:30:00Z",
            "2026-01-00T09:30:00Z",
            "2026-06-27T09:30:00+24:00",
            "2026-06-27T09:30:00+08:60",
            "2026-06-27T09:30:00+0800",
            "2026-06-27T09:30:00+08",
            "2026-06-27T09:30:00Z ",
            " 2026-06-27T09:30:00Z",
            "20260627T093000Z",
            "２０２６-06-27T09:30:00Z",
            "YYYY-MM-DDTHH:MM:SS+00:00",
            "2026-06-27T09:30:00+08:0",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }
}
