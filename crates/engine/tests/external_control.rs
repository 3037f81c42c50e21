//! Window laws from outside: provided by name, and part of what a run is called.

use std::sync::Arc;

use longfat_engine::config::{Document, Numbers};
use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::Window;
use longfat_engine::transport::control::{Control, Controls, fail, guarded};
use longfat_engine::transport::law::{Progress, WindowLaw};

/// A control whose window is always so many segments, and that fails at a timeout.
struct Constant {
    version: &'static str,
}

struct ConstantWindow(f64);

impl Control for Constant {
    fn digest(&self) -> &str {
        self.version
    }

    fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw> {
        match parameters.0.get("segments") {
            Some(&segments) => Box::new(ConstantWindow(segments)),
            None => fail("constant", "it needs `segments`"),
        }
    }
}

impl WindowLaw for ConstantWindow {
    fn on_acknowledgment(&mut self, window: &mut Window, _progress: &Progress) {
        window.ask_for_cwnd(self.0 * window.mss()).expect("a size");
    }

    fn on_loss(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, _window: &mut Window, _flight: u64) {
        fail("constant", "it knows nothing of timeouts");
    }
}

fn controls(versions: &[&'static str]) -> Controls {
    let mut controls = Controls::default();
    versions.iter().for_each(|version| controls.provide("constant", Arc::new(Constant { version })));
    controls
}

/// A WAN of two sources with the given flavor and port, read where these versions of the control are provided.
fn wan(versions: &[&'static str], flavor: &str, rest: &str) -> Scenario {
    let text = format!(
        "schema_version = 1
duration = \"10 s\"
topology = {{ kind = \"n-source\", sources = 2, access.delay = \"5 ms\", bottleneck.delay = \"5 ms\" }}
port.buffer = {rest}
tcp = {{ receiver_window = \"600000 B\", flavor = {flavor} }}
"
    );
    let document = Document::parse(text.as_bytes(), "wan.toml").expect("it is TOML").provided_with(controls(versions));
    Scenario::check(&document).expect("a good scenario")
}

fn run(scenario: &Scenario) -> RunRecord {
    longfat_engine::run(scenario).expect("nothing is lost")
}

const UNLIMITED: &str = "\"unlimited\"";
const CONSTANT: &str = "{ kind = \"external\", control = \"constant\", parameters = { segments = 20 } }";

#[test]
fn the_classical_control_with_a_recovery_is_that_recoverys_flavor() {
    for recovery in ["vanilla", "reno", "newreno", "sack", "rack-tlp"] {
        let external = format!("{{ kind = \"external\", recovery = \"{recovery}\" }}");
        let [built_in, external] =
            [format!("\"{recovery}\""), external].map(|flavor| run(&wan(&[], &flavor, "\"300 cells\"")));
        assert!(built_in.flows[0].segments_retransmitted > 0, "{recovery} has something to recover from");
        assert_eq!(external.fingerprint, built_in.fingerprint, "{recovery}");
    }
}

/// 20 segments of 512 bytes in a round trip of 30 ms and what a packet takes on three lines.
#[test]
fn a_control_rules_the_window() {
    let record = run(&wan(&["1"], CONSTANT, UNLIMITED));
    let flow = &record.flows[0];
    assert_eq!((flow.flavor.as_ref(), flow.max_cwnd_bytes), ("constant", 20.0 * 512.0));
    let expected = 20.0 * 512.0 * 8.0 / 0.0301;
    assert!((flow.goodput_bps / expected - 1.0).abs() < 0.05, "{} for {expected}", flow.goodput_bps);
}

/// 20 packets of 1200 bytes over the same path; without its control the scenario says what is missing.
#[test]
fn a_control_rules_the_window_of_quic() {
    let rest = format!(
        "\"300 packets\"\nframing = \"packet\"\nstack = {{ kind = \"quic\", flavor = {CONSTANT}, pacing = \"none\" }}"
    );
    assert_eq!(wan(&[], "\"reno\"", &rest).missing_controls().len(), 1);
    let record = run(&wan(&["1"], "\"reno\"", &rest));
    let flow = &record.flows[0];
    assert_eq!((flow.flavor.as_ref(), flow.max_cwnd_bytes), ("quic-constant", 20.0 * 1200.0));
    // A packet of 1200 bytes has 1171 of data: header, packet number, tag and the header of the stream frame take 29.
    let expected = 20.0 * 1171.0 * 8.0 / 0.0301;
    assert!((flow.goodput_bps / expected - 1.0).abs() < 0.06, "{} for {expected}", flow.goodput_bps);
}

#[test]
fn the_version_of_a_control_is_part_of_what_a_run_is_called() {
    let [first, second] = ["1", "2"].map(|version| wan(&[version], CONSTANT, UNLIMITED));
    assert!(first.canonical().contains("\"control\":\"constant@1\""), "{}", first.canonical());
    assert_ne!(first.run_id(), second.run_id());
    assert_ne!(first.hash(), second.hash());
}

#[test]
fn a_resolved_scenario_means_the_version_that_it_was_resolved_with() {
    let made_with_first = CONSTANT.replace("constant\"", "constant@1\"");
    let both = wan(&["1", "2"], &made_with_first, UNLIMITED);
    assert!(both.missing_controls().is_empty(), "older versions stay");
    assert!(both.canonical().contains("constant@1"));
    let changed = wan(&["2"], &made_with_first, UNLIMITED);
    assert_eq!(changed.missing_controls().len(), 1, "another version is another control");
    assert_eq!(changed.run_id(), both.run_id(), "and changes no names");
}

#[test]
fn a_scenario_can_be_read_without_the_control_that_it_names() {
    let scenario = wan(&[], CONSTANT, UNLIMITED);
    let missing = scenario.missing_controls();
    assert_eq!(
        missing.iter().map(|control| (control.name(), control.digest())).collect::<Vec<_>>(),
        [("constant", None)]
    );
    assert!(wan(&["1"], CONSTANT, UNLIMITED).missing_controls().is_empty());
    assert!(wan(&[], "{ kind = \"external\" }", UNLIMITED).missing_controls().is_empty(), "classical is always there");
}

#[test]
fn a_control_that_fails_ends_its_run_in_its_own_words() {
    let without_parameters = CONSTANT.replace("segments = 20", "");
    let unmade = wan(&["1"], &without_parameters, UNLIMITED);
    let failure = guarded(|| unmade.try_controls());
    assert_eq!(failure, Err("the congestion control \"constant\" failed: it needs `segments`".into()));
    let lost = wan(&["1"], CONSTANT, "\"unlimited\"\nloss = { kind = \"random\", probability = 1.0 }");
    let failure = guarded(|| run(&lost)).map(|record| record.fingerprint);
    assert_eq!(failure, Err("the congestion control \"constant\" failed: it knows nothing of timeouts".into()));
    assert_eq!(guarded(|| panic!("a mistake")), Err::<(), _>("the engine panicked: a mistake".into()));
}

#[test]
fn what_a_control_asks_for_is_at_least_a_segment_at_most_what_is_allowed_and_a_size() {
    let mut window = Window::new(&wan(&[], "\"reno\"", UNLIMITED).tcp);
    window.ask_for_cwnd(0.0).expect("a size");
    assert_eq!(window.cwnd, 512.0);
    window.ask_for_cwnd(1e12).expect("a size");
    assert_eq!(window.cwnd, window.receiver_window() as f64);
    window.ask_for_ssthresh(f64::INFINITY).expect("no threshold");
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(window.ask_for_cwnd(wrong).unwrap_err().contains("cwnd is a number of bytes, not"), "{wrong}");
    }
    for wrong in [f64::NAN, -1.0] {
        assert!(window.ask_for_ssthresh(wrong).unwrap_err().contains("ssthresh is"), "{wrong}");
    }
}

#[test]
fn names_of_controls_are_plain_and_parameters_are_numbers() {
    let problems = |flavor: &str| {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nport.buffer = \"unlimited\"\ntcp.flavor = {flavor}\n\
             topology = {{ kind = \"n-source\", sources = 1, access.delay = \"5 ms\", bottleneck.delay = \"5 ms\" }}\n"
        );
        Scenario::parse(text.as_bytes(), "wan.toml", &[]).expect_err("a bad scenario").join("\n")
    };
    let name = problems("{ kind = \"external\", control = \"my control\" }");
    assert!(name.starts_with("wan.toml:4:45: tcp.flavor.control: expected the name of a control"), "{name}");
    let number = problems("{ kind = \"external\", parameters = { beta = \"half\" } }");
    assert!(number.contains("tcp.flavor.parameters.beta: expected a number, found the text \"half\""), "{number}");
    let table = problems("{ kind = \"external\", parameters = 3 }");
    assert!(table.contains("expected a table of numbers by name"), "{table}");
}
