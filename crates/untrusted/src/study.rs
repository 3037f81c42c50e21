//! Study files.

use std::sync::OnceLock;

use longfat_engine::config::Document;
use longfat_study::{Study, scenario_path};

use crate::refusal;
use crate::scenario::source_of;

/// Scenario that the study's levels modify.
const SCENARIO: &str = r#"
    schema_version = 1
    duration = "50 ms"
    topology = { kind = "n-source", sources = 2, access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
    port = { buffer = "200 cells", policy = "fba" }
"#;

/// A study is rejected with a position, or read.
pub fn study(bytes: &[u8]) {
    static DOCUMENT: OnceLock<Document> = OnceLock::new();
    let scenario =
        DOCUMENT.get_or_init(|| Document::parse(SCENARIO.as_bytes(), "scenario.toml").expect("a good scenario"));
    let source = source_of(bytes);
    if let Err(problems) = scenario_path(bytes, source) {
        refusal::is_for_people(&problems, source);
    }
    match Study::check(bytes, source, scenario) {
        Err(problems) => refusal::is_for_people(&problems, source),
        Ok(study) => assert!(study.to_json()["factors"].is_array()),
    }
}
