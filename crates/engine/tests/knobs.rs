//! Open choices of a document, found in whole scenarios.

use longfat_engine::config::{Document, Knob};
use longfat_engine::scenario::Scenario;

const SCENARIO: &str = r#"
    schema_version = 1
    duration = "1 s"
    topology = { kind = "n-source", access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
    port = { buffer = "1000 cells", policy = "epd" }
    background = [{ kind = "vbr-on-off", on = "1 ms", off = "1 ms", starts = "off" }]
    tcp = { timer_phase = "from-start", retransmission_timeout = { minimum_ticks = 3 } }
"#;

fn knob(path: &str) -> Option<Knob> {
    let document = Document::parse(SCENARIO.as_bytes(), "scenario.toml").unwrap();
    Scenario::knobs(&document).into_iter().find(|knob| knob.path == path)
}

#[test]
fn a_knob_knows_whether_the_document_sets_it() {
    let left = knob("tcp.cwnd_limit").unwrap();
    assert_eq!((left.value.as_str(), left.is_set, left.model), ("receiver-window", false, None));
    assert_eq!(left.settings, ["receiver-window", "unlimited"]);
    assert!(left.doc.ends_with("(T-06)."), "{}", left.doc);
    let set = knob("tcp.timer_phase").unwrap();
    assert_eq!((set.value.as_str(), set.is_set), ("from-start", true));
}

#[test]
fn the_parameters_of_the_chosen_model_are_knobs_whether_it_is_named_or_the_default() {
    let named = knob("port.policy.threshold").unwrap();
    assert_eq!((named.model, named.value.as_str(), named.is_set), (Some("epd"), "K - 200 cells", false));
    assert!(knob("port.policy.z").is_none(), "Selective Drop's");
    let of_default = knob("tcp.retransmission_timeout.minimum_ticks").unwrap();
    assert_eq!((of_default.model, of_default.value.as_str(), of_default.is_set), (Some("bsd-integer"), "3", true));
    assert_eq!(knob("framing.lost_last_cell").unwrap().model, Some("aal5"));
}

#[test]
fn a_knob_in_a_list_has_its_place_in_the_path() {
    assert!(knob("background[0].starts").unwrap().is_set);
    assert!(!knob("background[0].phase").unwrap().is_set);
}

#[test]
fn every_path_of_a_knob_can_be_set_to_each_of_its_settings_or_the_scenario_says_why_not() {
    let document = Document::parse(SCENARIO.as_bytes(), "scenario.toml").unwrap();
    for knob in Scenario::knobs(&document) {
        for setting in &knob.settings {
            let mut changed = document.clone();
            changed.set(&knob.path, setting, "knob");
            if let Err(problems) = Scenario::check(&changed) {
                assert!(problems.iter().all(|problem| !problem.contains("unknown")), "{}: {problems:?}", knob.path);
            }
        }
    }
}
