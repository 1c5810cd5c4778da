//! A document of any text is a packet with a verdict, or breaks EP-100; what was read is written and read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::contract::packet::{DEPTHS, MediaType, read, to_markdown, to_yaml};
use proofmark::json;
use proofmark::policy::{RulePack, authority_claim, private_data};
use proofmark::reference::{project, render};
use serde_json::Value;

fuzz_target!(|text: &str| {
    let _ = (authority_claim(text), private_data(text));
    for media_type in [MediaType::Json, MediaType::Yaml, MediaType::Markdown] {
        let (verdict, found) = RulePack::packet().judge_packet_text(text, media_type, None);
        let Some(found) = found else {
            assert!(verdict.violations.iter().all(|violation| violation.rule == "EP-100") && !verdict.valid);
            continue;
        };
        let packet = found.packet;
        for (again, media_type) in [(to_yaml(&packet), MediaType::Yaml), (to_markdown(&packet), MediaType::Markdown)] {
            // Markdown finds a packet by its ids, and what is deeper than either reads is read by none.
            if let Ok(again) = read(&again, media_type) {
                assert!(json::equal(&again.packet, &packet));
            }
        }
        for depth in DEPTHS {
            assert!(render(&packet, &Value::from(depth)).is_ok());
        }
        assert!(project(&packet).is_ok());
    }
});
