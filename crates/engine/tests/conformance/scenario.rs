//! A scenario is what it resolves to: the same canonical text, the same name, the same run.

use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;

use crate::laws::{any_network, in_blocks};
use crate::support::scenario;

const SMALL: &str = r#"
schema_version = 1
duration = "20 ms"
topology = { kind = "n-source", sources = 3, access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
port = { buffer = "300 cells", policy = "epd" }
traffic = { start = "uniform(0 ms, 1 ms)" }
"#;

fn with(overrides: &[(&str, &str)]) -> Scenario {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    Scenario::parse(SMALL.as_bytes(), "small.toml", &overrides).unwrap_or_else(|problems| panic!("{problems:?}"))
}

proptest! {
    #[test]
    fn canonical_json_reads_back_as_the_same_scenario(network in prop_oneof![any_network(), in_blocks(any_network())]) {
        let canonical = network.scenario.canonical();
        let again = Scenario::parse(canonical.as_bytes(), "canonical.json", &[]);
        let again = again.map_err(|problems| TestCaseError::fail(format!("{problems:?} in {canonical}")))?;
        prop_assert_eq!(again.canonical(), canonical);
        prop_assert_eq!(again.hash(), network.scenario.hash());
        prop_assert_eq!(again.run_id(), network.scenario.run_id());
    }
}

#[test]
fn a_scenario_read_back_from_its_record_gives_the_same_record() {
    let record = run(&scenario(SMALL)).expect("nothing is violated");
    let again = Scenario::parse(record.scenario.to_string().as_bytes(), "record.json", &[]).expect("it is canonical");
    let again = run(&again).expect("nothing is violated");
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&record).unwrap());
}

#[test]
fn the_order_of_keys_the_units_and_the_format_do_not_matter() {
    let json = r#"{
        "port": { "policy": { "kind": "epd" }, "buffer": "300 cells" },
        "traffic": { "start": "uniform(0 s, 1000 us)", "kind": "infinite" },
        "topology": { "bottleneck": { "delay_ps": 5000000 }, "access": { "delay": "0.005 ms" },
                      "sources": 3, "kind": "n-source" },
        "duration": "0.02 s", "schema_version": 1
    }"#;
    let json = Scenario::parse(json.as_bytes(), "small.json", &[]).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(json.canonical(), scenario(SMALL).canonical());
}

#[test]
fn the_hash_names_the_scenario_and_the_run_id_names_the_run() {
    let plain = with(&[]);
    for path in ["seed", "replication"] {
        let other = with(&[(path, "7")]);
        assert_eq!(other.hash(), plain.hash(), "{path} makes no other scenario");
        assert_ne!(other.run_id(), plain.run_id(), "{path} makes another run");
    }
    let longer = with(&[("duration", "21 ms")]);
    assert_ne!(longer.hash(), plain.hash());
    assert_ne!(longer.run_id(), plain.run_id());
}

#[test]
fn another_seed_or_replication_gives_another_course_of_events() {
    let fingerprint = |overrides: &[(&str, &str)]| run(&with(overrides)).expect("nothing is violated").fingerprint;
    let plain = fingerprint(&[]);
    assert_eq!(fingerprint(&[]), plain);
    assert_ne!(fingerprint(&[("seed", "2")]), plain);
    assert_ne!(fingerprint(&[("replication", "1")]), plain);
}

#[test]
fn an_override_may_set_a_parameter_beside_a_model_given_by_name_or_replace_the_model() {
    let port = |overrides: &[(&str, &str)]| with(overrides).canonical();
    assert!(port(&[("port.policy.threshold", "0.7")]).contains(r#""kind":"epd","threshold":0.7"#));
    assert!(port(&[("port.policy", "{ kind = 'fba', z = 0.5 }")]).contains(r#""kind":"fba""#));
    assert_eq!(port(&[("port.policy", "epd")]), scenario(SMALL).canonical());
}
