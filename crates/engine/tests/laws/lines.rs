//! Paths, losses, capacity and ports on any line, each in its direction.

use std::collections::BTreeSet;

use longfat_engine::framing::{Content, FRAMINGS, Unit};
use longfat_engine::measure::{Cause, RunRecord};
use longfat_engine::observer::Unobserved;
use longfat_engine::path::{PATHS, Path};
use longfat_engine::registry::Family;
use longfat_engine::reordering::Order;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Time;
use longfat_engine::{Driver, Simulation, run, run_by};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::{Value as Json, json};

use super::random_graphs::{any_graph, any_graph_with_everything};
use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

fn record(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Two connections over 10 Mbit/s, with a packet of 1250 bytes for each segment; `rest` has what is on the lines.
fn network(rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"20 s\"
framing = \"packet\"
port.buffer = \"30 packets\"
tcp = {{ flavor = \"sack\", mss = \"1210 B\", receiver_window = \"60000 B\" }}
topology = {{ kind = \"n-source\", sources = 2, access = {{ rate = \"50 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"8 ms\" }} }}
{rest}
"
    ))
}

/// Metrics and what all parts did, without the names of scenario and run.
fn results(record: &RunRecord) -> Json {
    let mut json = serde_json::to_value(record).expect("a record is JSON");
    for name in ["scenario", "scenario_hash", "run_id"] {
        json[name] = Json::Null;
    }
    json["work"]["handed_over"] = Json::Null;
    json
}

#[test]
fn what_the_scenario_says_of_the_bottleneck_is_short_for_its_lines() {
    let there =
        "{ kind = 'schedule', steps = 'time_s,delay_s,jitter_s,loss\\n0,0.01,0.001,0.001\\n7,0.02,0.002,0.002' }"
            .replace('\'', "\"");
    let loss = "{ kind = \"random\", probability = 0.003 }";
    let back = "{ kind = \"gilbert-elliott\", good_to_bad = 0.001, bad_to_good = 0.3 }";
    let short = network(&format!("path = {there}\nloss = {loss}\nacknowledgment_loss = {back}"));
    let long = network(&format!(
        "lines = [{{ at = \"bottleneck\", path = {there}, loss = {loss} }}, {{ at = \"bottleneck back\", path = {there}, loss = {back} }}]"
    ));
    assert!(record(&short).metrics.packets_lost > 30);
    assert_eq!(results(&record(&short)), results(&record(&long)));
    let capacity = "{ kind = \"on-demand\", frame = \"10 ms\", response = \"40 ms\", constant_share = 0.2 }";
    let [short, long] =
        [format!("capacity = {capacity}"), format!("lines = [{{ at = \"bottleneck\", capacity = {capacity} }}]")]
            .map(|rest| results(&record(&network(&rest))));
    assert!(short["metrics"]["mean_granted_bps"].as_f64().is_some());
    assert_eq!(short, long);
}

#[test]
fn a_line_of_its_own_replaces_what_the_scenario_says_of_the_bottleneck() {
    let all = "loss = { kind = \"periodic\", period = 9 }\nacknowledgment_loss = { kind = \"periodic\", period = 9 }\n\
               capacity = \"on-demand\"\n";
    let none = "lines = [{ at = \"bottleneck\", path = \"fixed\", loss = \"none\", capacity = \"permanent\" }, \
                { at = \"bottleneck back\", loss = \"none\" }]";
    let replaced = record(&network(&format!("{all}{none}")));
    assert_eq!(replaced.fingerprint, record(&network("")).fingerprint);
    let path = format!("path = \"leo\"\n{}", none.replace("back\",", "back\", path = \"fixed\","));
    assert_eq!(record(&network(&path)).fingerprint, record(&network("")).fingerprint);
}

/// The arrival of the only segment, and of its acknowledgment, in milliseconds.
fn round_trip(rest: &str) -> [f64; 2] {
    let text = format!("{rest}\ntraffic = {{ kind = \"finite\", size = \"1210 B\" }}");
    let (tape, _) = run_taped(&scenario(&format!(
        "schema_version = 1
duration = \"20 s\"
framing = \"packet\"
port.buffer = \"30 packets\"
tcp = {{ mss = \"1210 B\", receiver_window = \"60000 B\", retransmission_timeout.initial = \"10 s\" }}
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"10 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"8 ms\" }} }}
{text}
"
    )));
    let at = |happens: fn(&Happening) -> bool| {
        let entry = tape.iter().find(|entry| happens(&entry.what)).expect("it happens");
        (entry.time.as_seconds() * 1e9).round() / 1e6
    };
    [at(|what| matches!(what, Happening::Received { .. })), at(|what| matches!(what, Happening::Acknowledged { .. }))]
}

/// The six lines of a round trip, in order.
const AROUND: [&str; 6] = [
    "source 1 to switch 1",
    "bottleneck",
    "switch 2 to destination 1",
    "destination 1 to switch 2",
    "bottleneck back",
    "switch 1 to source 1",
];

#[test]
fn every_line_has_a_rate_and_a_delay_of_its_own_in_its_direction() {
    // 1250 bytes take 1 ms and 40 bytes 0.032 ms on each line.
    let [arrives, returns] = [13.0, 23.096];
    assert_eq!(round_trip(""), [arrives, returns]);
    for (place, at) in AROUND.into_iter().enumerate() {
        let line =
            |row: &str| format!("lines = [{{ at = \"{at}\", path = {{ kind = \"schedule\", steps = \"{row}\" }} }}]");
        let is_there = place < 3;
        let delay = if at.starts_with("bottleneck") { 8.0 } else { 1.0 };
        // 20 ms in place of the line's delay; half of the rate takes the time of a packet once more; and nothing leaves for 500 ms.
        let longer = [20.0 - delay, if is_there { 1.0 } else { 0.032 }];
        for (row, more) in [("time_s,delay_s\\n0,0.02", longer[0]), ("time_s,rate_bps\\n0,5e6", longer[1])] {
            let expected = [arrives + if is_there { more } else { 0.0 }, returns + more];
            let differs = round_trip(&line(row)).iter().zip(expected).any(|(one, other)| (one - other).abs() > 1e-6);
            assert!(!differs, "{at}, {row}: {:?}, not {expected:?}", round_trip(&line(row)));
        }
        let [_, held] = round_trip(&line("time_s,rate_bps\\n0,0\\n0.5,1e7"));
        assert!((500.0..530.0).contains(&held), "{at}: {held}");
    }
}

#[test]
fn a_listed_packet_is_lost_on_whichever_line_in_any_framing() {
    for framing in FRAMINGS.iter().map(|entry| entry.name) {
        for (place, at) in AROUND.into_iter().enumerate() {
            let rest = format!(
                "framing = \"{framing}\"
port.buffer = \"unlimited\"
tcp = {{ mss = \"512 B\", receiver_window = \"8192 B\", timer_granularity = \"10 ms\" }}
traffic = {{ kind = \"finite\", size = \"20480 B\" }}
lines = [{{ at = \"{at}\", loss = {{ kind = \"list\", drops = [[3, 7]] }} }}]"
            );
            let (tape, record) = run_taped(&crate::support::n_source(2, "10 Mbit/s", "1 ms", "10 s", &rest));
            let lost: Vec<_> = tape
                .iter()
                .filter_map(|entry| match entry.what {
                    Happening::Lost { content: Content::Data { sequence, .. } } => Some(("data", sequence / 512)),
                    Happening::Lost { content: Content::Acknowledgment(it) } => Some(("acknowledgment", it.next / 512)),
                    _ => None,
                })
                .collect();
            let sent: Vec<_> = tape
                .iter()
                .filter(|entry| entry.flow == 0)
                .filter_map(|entry| match entry.what {
                    Happening::Sent { segment, .. } if place < 3 => Some(("data", segment.sequence / 512)),
                    Happening::AcknowledgmentSent { acknowledgment } if place >= 3 => {
                        Some(("acknowledgment", acknowledgment.next / 512))
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(lost, [sent[2], sent[6]], "{framing}, {at}");
            assert_eq!((record.metrics.packets_lost, record.flows[0].bytes_delivered), (2, 20_480), "{framing}, {at}");
        }
    }
}

#[test]
fn losses_of_two_lines_are_independent_and_so_are_their_draws() {
    let loss = "loss = { kind = \"random\", probability = 0.01 }";
    let lines = |names: &[&str]| {
        let entries: Vec<_> = names.iter().map(|at| format!("{{ at = \"{at}\", {loss} }}")).collect();
        record(&network(&format!("lines = [{}]", entries.join(", "))))
    };
    let (one, other) = (lines(&["source 1 to switch 1"]), lines(&["switch 2 to destination 1"]));
    assert_ne!(one.fingerprint, other.fingerprint);
    let both = lines(&["source 1 to switch 1", "switch 2 to destination 1"]);
    let lost = |record: &RunRecord| record.flows[0].segments_retransmitted;
    assert!(lost(&both) > lost(&one).max(lost(&other)), "{} {} {}", lost(&both), lost(&one), lost(&other));
}

#[test]
fn a_rate_on_the_way_back_is_the_rate_back_of_the_topology() {
    let path = "lines = [{ at = \"bottleneck back\", path = { kind = \"schedule\", steps = \"time_s,rate_bps,delay_s\\n0,50000,0.03\" } }]";
    let topology = network("").canonical();
    let overrides = [("topology.bottleneck.rate_back", "50 kbit/s"), ("topology.bottleneck.delay_back", "30 ms")];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let topology = Scenario::parse(topology.as_bytes(), "network.json", &overrides).expect("it has one");
    let (path, topology) = (record(&network(path)), record(&topology));
    assert!(topology.flows[0].goodput_bps < 0.9 * record(&network("")).flows[0].goodput_bps, "it is narrow");
    assert_eq!(path.fingerprint, topology.fingerprint);
}

#[test]
fn a_port_on_the_way_back_drops_acknowledgments() {
    let narrow = network("").canonical();
    let parse = |ports: &str| {
        let overrides = [("topology.bottleneck.rate_back", "50 kbit/s"), ("ports", ports)];
        let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Scenario::parse(narrow.as_bytes(), "network.json", &overrides).expect("it is sound")
    };
    let record = record(&parse("[{ at = \"bottleneck back\", buffer = \"4 packets\" }]"));
    let [there, back] = &record.ports[..] else { panic!("two ports") };
    assert_eq!([&there.name, &back.name], ["bottleneck", "bottleneck back"]);
    assert!(back.packets_dropped > 100 && back.max_queue_cells == 4, "{back:?}");
    assert!(back.utilization > 0.9, "{}", back.utilization);
}

#[test]
fn acknowledgments_wait_for_capacity_that_is_asked_for_on_the_way_back() {
    // Frames of 50 ms, answered 100 ms after the request at the beginning of the next: the acknowledgment comes at 13 ms to destination 1, at
    // 14.032 ms to the switch, is asked for at 50 ms and granted from 150 ms on, spread over the frame of 50 ms.
    let capacity = "{ kind = \"on-demand\", frame = \"50 ms\", response = \"100 ms\" }";
    let [arrives, returns] = round_trip(&format!("lines = [{{ at = \"bottleneck back\", capacity = {capacity} }}]"));
    assert_eq!(arrives, 13.0);
    assert!((returns - (200.0 + 8.0 + 1.0 + 0.032)).abs() < 1e-6, "{returns}");
}

#[test]
fn a_link_draws_the_same_for_both_directions_and_other_links_draw_for_themselves() {
    let path = "{ kind = \"leo\", interval = \"1 s\", loss = 0.0 }";
    let entries = ["source 1 to switch 1", "switch 1 to source 1", "source 2 to switch 1"]
        .map(|at| format!("{{ at = \"{at}\", path = {path} }}"));
    let scenario = network(&format!("lines = [{}]", entries.join(", ")));
    let graph = scenario.graph();
    let lines = scenario.lines_with_settings(&graph);
    let delays = |at: &str| {
        let line = lines.iter().find(|line| graph.link_name(line.number) == at).expect("it is listed");
        let conditions = scenario.conditions_of(&graph, line).expect("it changes");
        conditions.before(Time::NEVER).iter().map(|step| step.delay).collect::<Vec<_>>()
    };
    assert_eq!(delays("source 1 to switch 1"), delays("switch 1 to source 1"));
    assert_ne!(delays("source 1 to switch 1"), delays("source 2 to switch 1"));
}

/// The scenario with one more setting.
fn with(scenario: &Scenario, key: &str, value: &str) -> Scenario {
    let text = scenario.canonical();
    let overrides = [(key.to_owned(), value.to_owned())];
    Scenario::parse(text.as_bytes(), "scenario.json", &overrides).unwrap_or_else(|all| panic!("{all:?}"))
}

#[test]
fn the_line_back_has_a_ledger_of_its_own_that_says_where_acknowledgments_wait() {
    let narrow = with(&network("ports = [{ at = \"bottleneck back\" }]"), "topology.bottleneck.rate_back", "50 kbit/s");
    let both = record(&with(&narrow, "measure.ledgers", "['bottleneck back', 'bottleneck']"));
    assert_eq!(both.fingerprint, record(&narrow).fingerprint);
    let [there, back] = [0, 1].map(|port| both.ports[port].line.expect("it is named"));
    assert_eq!((there.ledger, there.line_use.efficiency), (both.ledger, both.metrics.efficiency));
    assert!(record(&narrow).ports.iter().all(|port| port.line.is_none()));
    assert!(back.ledger.share(Cause::Control) > 0.95, "acknowledgments fill it: {:?}", back.ledger);
    assert_eq!((back.ledger.share(Cause::Useful), back.line_use.goodput_bps), (0.0, 0.0));
    assert!((back.line_use.max_goodput_bps / 50e3 * 1250.0 / 1210.0 - 1.0).abs() < 1e-9);
}

#[test]
fn a_plain_fifo_has_the_mean_wait_that_tail_drop_counts_packet_by_packet() {
    let [by_littles_law, counted] = ["", ", queue = \"tail-drop\""].map(|queue| {
        let ports = format!("ports = [{{ at = \"bottleneck back\"{queue} }}]");
        let narrow = with(&network(&ports), "topology.bottleneck.rate_back", "50 kbit/s");
        let record = record(&with(&narrow, "measure.ledgers", "['bottleneck back']"));
        record.ports[1].line.expect("it is named").mean_queueing_delay_s.expect("acknowledgments crossed it")
    });
    assert!(counted > 0.01, "they wait: {counted} s");
    assert!((by_littles_law / counted - 1.0).abs() < 0.02, "{by_littles_law} s, and {counted} s counted");
}

/// The scenario without what acts on the bottleneck because it is the bottleneck.
fn without_settings_of_bottleneck(scenario: &Scenario) -> Option<Scenario> {
    let mut resolved: Json = serde_json::from_str(&scenario.canonical()).expect("it is JSON");
    let table = resolved.as_object_mut().expect("a table");
    for key in ["lines", "ports", "loss", "acknowledgment_loss", "background"] {
        table.remove(key);
    }
    let groups = table["connections"].as_array_mut().into_iter().flatten();
    groups.for_each(|group| drop(group.as_object_mut().and_then(|group| group.remove("path"))));
    Scenario::parse(resolved.to_string().as_bytes(), "plain.json", &[]).ok()
}

/// The scenario with a schedule on every line that says what the topology says.
fn with_idle_paths(scenario: &Scenario) -> Scenario {
    let mut resolved: Json = serde_json::from_str(&scenario.canonical()).expect("it is JSON");
    let graph = scenario.graph();
    let path = |number: usize| {
        let link = &graph.links[number];
        let steps = format!("time_s,rate_bps,delay_s\n0,{},{:?}", link.rate.0, link.delay.as_seconds());
        json!({ "at": graph.link_name(number), "path": { "kind": "schedule", "steps": steps } })
    };
    resolved["lines"] = (0..graph.links.len()).map(path).collect();
    Scenario::parse(resolved.to_string().as_bytes(), "paths.json", &[]).unwrap_or_else(|all| panic!("{all:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn paths_that_say_what_the_topology_says_change_nothing_on_any_line(network in any_graph()) {
        let scenario = without_lines(&network.scenario);
        prop_assume!(scenario.is_some());
        let scenario = scenario.expect("just assumed");
        prop_assume!(scenario.framing.build(&()).unit() == Unit::Packet);
        let plain = run_by(Driver::Events, &scenario).expect("conservation");
        let changing = run_by(Driver::Events, &with_idle_paths(&scenario)).expect("conservation");
        prop_assert_eq!(plain.fingerprint, changing.fingerprint);
        prop_assert_eq!((plain.ledger, plain.work.events), (changing.ledger, changing.work.events));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// A run whose ledgers do not add up fails.
    #[test]
    fn any_managed_line_has_a_ledger_that_changes_nothing(network in any_graph(), from in 0_u64..60) {
        let (scenario, names) = (&network.scenario, network.scenario.graph().port_names());
        let scenario = with(scenario, "measure.from", &format!("{} us", from * scenario.duration.0.0 / 100_000_000));
        let all = run(&with(&scenario, "measure.ledgers", &format!("{names:?}")));
        let all = all.map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        let plain = record(&scenario);
        prop_assert_eq!((plain.fingerprint, plain.ledger, plain.work.events), (all.fingerprint, all.ledger, all.work.events));
        for port in &all.ports {
            let line = port.line.expect("it is named");
            prop_assert_eq!(line.ledger.duration(), all.ledger.duration(), "{}", port.name);
        }
    }

    #[test]
    fn the_ledger_of_a_line_is_the_one_that_it_has_as_the_bottleneck(network in any_graph()) {
        let scenario = without_settings_of_bottleneck(&network.scenario);
        prop_assume!(scenario.as_ref().is_some_and(|scenario| scenario.contract(&scenario.graph()).is_none()));
        let scenario = scenario.expect("just assumed");
        let graph = scenario.graph();
        let all = record(&with(&scenario, "measure.ledgers", &format!("{:?}", graph.port_names())));
        for port in &all.ports {
            let as_bottleneck = with(&scenario, "topology.bottleneck", &port.name);
            let line = port.line.expect("it is named");
            let other = record(&as_bottleneck);
            prop_assert_eq!(&other.fingerprint, &all.fingerprint);
            prop_assert_eq!((line.ledger, line.line_use.efficiency), (other.ledger, other.metrics.efficiency), "{}", port.name);
        }
    }
}

/// The scenario without `lines`; `None` if one of these replaces losses that can never be.
fn without_lines(scenario: &Scenario) -> Option<Scenario> {
    let mut resolved: Json = serde_json::from_str(&scenario.canonical()).expect("it is JSON");
    resolved.as_object_mut().expect("a table").remove("lines");
    Scenario::parse(resolved.to_string().as_bytes(), "plain.json", &[]).ok()
}

/// The laws for any graph would hold for lines on which nothing happens; checks that something does.
#[test]
fn random_graphs_have_every_kind_of_path_loss_capacity_and_reordering_on_lines_of_both_ends() {
    let mut runner = TestRunner::deterministic();
    let (mut kinds, mut lost, mut granted) = (BTreeSet::new(), BTreeSet::new(), 0);
    for _ in 0..300 {
        let network = any_graph().new_tree(&mut runner).expect("a graph can be drawn").current();
        let (scenario, graph) = (&network.scenario, network.scenario.graph());
        let record = run_by(Driver::Events, scenario).unwrap_or_else(|violation| panic!("{violation}{network:?}"));
        for line in scenario.lines_with_settings(&graph) {
            let end = if graph.begins_at_host(line.number) { "host" } else { "switch" };
            let models = [
                line.path.as_ref().map(|path| path.model.name()),
                line.loss.as_ref().map(|loss| loss.model.name()),
                line.capacity.as_ref().map(|capacity| capacity.model.name()),
                line.reordering.as_ref().map(|reordering| reordering.model.name()),
                line.jitter.as_ref().map(|_| "jitter"),
                line.is_carrier.then_some("terminals"),
                line.path.as_ref().filter(|_| line.order == Order::Free).map(|_| "path in free order"),
            ];
            kinds.extend(models.into_iter().flatten().map(|model| (end, model)));
            if record.metrics.packets_lost > 0 {
                lost.insert(end);
            }
            let sends = |name: &str| record.ports.iter().any(|port| port.name == name && port.cells_out > 0);
            granted += usize::from(line.capacity.is_some() && sends(&graph.link_name(line.number)));
        }
    }
    let of_paths = PATHS.iter().map(|entry| entry.name).filter(|&name| Some(name) != <dyn Path>::NOTHING);
    let of_losses = ["list", "periodic", "gilbert-elliott", "fades", "correlated"];
    // Losses and reorderings are both called "random".
    let both = of_paths.chain(of_losses).chain(["path in free order", "random", "lanes", "netem", "jitter"]);
    let of_switches = ["on-demand", "shared", "terminals"].map(|model| ("switch", model));
    let expected = both.flat_map(|model| [("host", model), ("switch", model)]).chain(of_switches);
    assert_eq!(kinds, expected.collect());
    assert_eq!((lost.len(), granted > 10), (2, true), "{granted}");
}

/// Conservation is checked while packets are held up and under way, and again when the run is over.
#[test]
fn anything_may_be_on_every_line_at_once_and_no_packet_is_lost_track_of() {
    let mut runner = TestRunner::deterministic();
    let (mut held_up, mut delivered) = (0, 0);
    for _ in 0..300 {
        let network = any_graph_with_everything().new_tree(&mut runner).expect("a graph can be drawn").current();
        let (scenario, graph) = (&network.scenario, network.scenario.graph());
        let settings = scenario.lines_with_settings(&graph);
        held_up += settings.iter().filter(|line| line.holds_up()).count();
        let mut simulation = Simulation::driven_by(Driver::Events, scenario, Unobserved);
        for part in 1..=8 {
            simulation.advance(Time(scenario.duration.0.0 / 8 * part));
            simulation.audit().unwrap_or_else(|violation| panic!("{violation}{network:?}"));
        }
        simulation.advance(Time::NEVER);
        let sliced = simulation.finish().unwrap_or_else(|violation| panic!("{violation}{network:?}"));
        assert_eq!(sliced.fingerprint, record(scenario).fingerprint, "{network:?}");
        delivered += usize::from(sliced.flows.iter().any(|flow| flow.bytes_delivered > 0));
    }
    assert!(held_up > 1_000 && delivered > 100, "{held_up} lines, {delivered} runs");
}
