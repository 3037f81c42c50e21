//! Scenario files.

use longfat_engine::scenario::Scenario;

use crate::refusal;

/// Name of a text in messages; input that begins like JSON is read as JSON.
pub fn source_of(bytes: &[u8]) -> &'static str {
    if bytes.trim_ascii_start().starts_with(b"{") { "text.json" } else { "text.toml" }
}

/// A scenario is rejected with a position, or resolves to one that resolves to itself, and its cost can be estimated.
pub fn scenario(bytes: &[u8]) {
    let source = source_of(bytes);
    match Scenario::parse(bytes, source, &[]) {
        Err(problems) => refusal::is_for_people(&problems, source),
        Ok(scenario) => {
            let canonical = scenario.canonical();
            let again =
                Scenario::parse(canonical.as_bytes(), "resolved.json", &[]).expect("a resolved scenario is valid");
            assert_eq!(again.canonical(), canonical);
            assert_eq!(again.run_id(), scenario.run_id());
            let cost = scenario.cost();
            assert!(cost.events >= 0.0 && cost.memory_bytes > 0.0, "{canonical}");
        }
    }
}
