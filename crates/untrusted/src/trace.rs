//! Recorded traces of ns-2.

use longfat_engine::scenario::Scenario;

/// A trace is rejected with a message, or gives a text that the engine accepts or rejects as a scenario.
pub fn trace(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match longfat_verify::scenario_of_trace(text) {
        Err(problem) => assert!(!problem.is_empty(), "refused without a word"),
        Ok(scenario) => {
            if let Err(problems) = Scenario::parse(scenario.as_bytes(), "trace.json", &[]) {
                assert!(!problems.is_empty(), "refused without a word");
            }
        }
    }
}
