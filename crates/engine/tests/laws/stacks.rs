//! Stacks besides the engine's TCP: they carry all data over any network, do the same again, and share a bottleneck.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use longfat_engine::stacks::STACKS;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::any_network;
use crate::support::{n_source, scenario};

/// Registered stacks that send by themselves, but the engine's own.
fn others() -> impl Iterator<Item = &'static str> {
    STACKS.iter().map(|entry| entry.name).filter(|name| !["tcp", "outside"].contains(name))
}

/// QUIC with other settings than its defaults.
const QUIC: [&str; 4] = [
    "{ kind = \"quic\", as = \"quinn\", flavor = \"cubic\", opened_by = \"receiver\", packet_size = \"1400 B\" }",
    "{ kind = \"quic\", flavor = \"bbr3\", codepoint = \"ect-0\", zero_round_trip = true, slow_start_exit = \"by-flavor\" }",
    "{ kind = \"quic\", flavor = \"prague\", codepoint = \"ect-1\", acknowledgment_frequency = true, stream_window = \"20 kB\" }",
    "{ kind = \"quic\", flavor = \"bbr\", pacing = \"none\", server_flight = \"9 kB\", connection_window = \"30 kB\" }",
];

/// Stacks as a scenario names them.
fn any_stack() -> impl Strategy<Value = String> {
    let names = others().map(|name| format!("\"{name}\""));
    prop::sample::select(names.chain(QUIC.map(String::from)).collect::<Vec<_>>())
}

/// A network with other settings, a stack among them: every other group with settings of TCP stays with TCP, and others lose these settings.
pub fn with_settings(network: &Scenario, settings: &[(&str, &str)]) -> Option<Scenario> {
    let mut resolved: serde_json::Value = serde_json::from_str(&network.canonical()).expect("it is JSON");
    for (number, group) in resolved["connections"].as_array_mut().into_iter().flatten().enumerate() {
        let group = group.as_object_mut().expect("a table");
        let had_any = ["flavor", "tcp", "ecn"].map(|key| group.contains_key(key)).contains(&true);
        if had_any && number % 2 == 0 {
            group.insert("stack".into(), "tcp".into());
        } else {
            group.retain(|key, _| !["flavor", "tcp", "ecn"].contains(&key.as_str()));
        }
    }
    let overrides: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Scenario::parse(resolved.to_string().as_bytes(), "over-a-stack.json", &overrides).ok()
}

fn json(record: &RunRecord) -> String {
    serde_json::to_string(record).expect("a record is JSON")
}

fn over(stack: &str, rest: &str) -> Scenario {
    n_source(2, "10 Mbit/s", "10 ms", "120 s", &format!("framing = \"packet\"\nstack = \"{stack}\"\n{rest}"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(120)
    })]

    #[test]
    fn packets_and_bytes_of_any_stack_are_conserved_in_any_network_and_a_run_is_repeated_to_the_byte(
        network in any_network(),
        stack in any_stack(),
    ) {
        let scenario = with_settings(&network.scenario, &[("stack", &stack)]);
        let scenario = scenario.ok_or_else(|| TestCaseError::reject("a network that no stack fits"))?;
        let again = [(), ()].map(|()| run(&scenario).map_err(|violation| TestCaseError::fail(violation.to_string())));
        let [first, second] = again;
        let (first, second) = (first?, second?);
        prop_assert_eq!(json(&first), json(&second));
        for flow in &first.flows {
            prop_assert!(flow.segments_retransmitted <= flow.segments_sent);
        }
    }
}

#[test]
fn every_stack_delivers_a_file_over_every_kind_of_loss() {
    let buffer = "port.buffer = \"30 packets\"\ntraffic = { kind = \"finite\", size = \"1 MB\" }\n";
    let losses = [
        "",
        "loss = { kind = \"random\", probability = 0.02 }",
        "acknowledgment_loss = { kind = \"random\", probability = 0.05 }",
        "loss = { kind = \"gilbert-elliott\", good_to_bad = 0.01, bad_to_good = 0.3 }",
        "loss = { kind = \"list\", drops = [1, 2, 3, 9, 10] }",
        "acknowledgment_loss = { kind = \"list\", drops = [1, 2, 3, 4] }",
    ];
    for stack in others() {
        for loss in losses {
            let record = run(&over(stack, &format!("{buffer}{loss}"))).expect("conservation");
            for flow in &record.flows {
                assert_eq!(flow.bytes_delivered, 1_000_000, "{stack}, {loss}");
                assert!(flow.finished_s.is_some(), "{stack}, {loss}");
                assert!(flow.flavor.starts_with(stack), "{}", flow.flavor);
            }
            let is_lost = record.metrics.packets_lost > 0 || record.ports[0].packets_dropped > 0;
            assert!(is_lost || loss.is_empty(), "{stack}, {loss}");
        }
    }
}

/// Two clients ask for a document of one to nine files every twenty seconds, whoever opens the connection, while packets are lost.
#[test]
fn clients_ask_over_every_stack_and_get_all_that_they_have_asked_for() {
    let www = "traffic = { kind = \"www\", interval = \"20 s\" }\nport.buffer = \"100 packets\"\n";
    let loss = "loss = { kind = \"random\", probability = 0.01 }\nacknowledgment_loss = { kind = \"random\", probability = 0.01 }";
    let over = |stack: &str| {
        let rest = format!("framing = \"packet\"\nstack = {stack}\n{www}{loss}");
        run(&n_source(2, "10 Mbit/s", "10 ms", "120 s", &rest)).expect("conservation")
    };
    let of_tcp = over("\"tcp\"");
    for (stack, opener) in others().flat_map(|stack| ["sender", "receiver"].map(|opener| (stack, opener))) {
        let record = over(&format!("{{ kind = \"{stack}\", opened_by = \"{opener}\" }}"));
        for (flow, of_tcp) in record.flows.iter().zip(&of_tcp.flows) {
            let [requests, expected] = [flow, of_tcp].map(|flow| flow.requests.as_ref().expect("clients"));
            assert_eq!(requests.made, expected.made, "{stack}: the seed decides what clients ask for");
            assert_eq!([requests.answered, requests.files_delivered], [requests.made; 2], "{stack}");
            assert!((flow.goodput_bps / expected.offered_bps - 1.0).abs() < 1e-9, "{stack}: {flow:?}");
            assert!(requests.segments_sent > 0, "{stack}: {requests:?}");
        }
    }
}

/// A connection of each stack beside one of the engine's CUBIC: both get a good part.
#[test]
fn a_stack_shares_a_bottleneck_with_tcp() {
    for stack in others() {
        let rest = format!(
            "framing = \"packet\"\nport.buffer = \"60 packets\"\ntcp.preset = \"linux-6.12\"\nconnections = [{{ stack = \"{stack}\" }}, {{}}]"
        );
        let record = run(&n_source(2, "10 Mbit/s", "10 ms", "30 s", &rest)).expect("conservation");
        let shares: Vec<_> = record.flows.iter().map(|flow| flow.goodput_bps / 1e7).collect();
        assert!(shares.iter().all(|share| *share > 0.1), "{stack}: {shares:?}");
        assert!((0.85..1.0).contains(&shares.iter().sum::<f64>()), "{stack}: {shares:?}");
    }
}

#[test]
fn a_scenario_with_the_engines_own_tcp_keeps_its_name() {
    let rest = "framing = \"packet\"\nport.buffer = \"10 packets\"";
    let [without, with] = ["", "\nstack = \"tcp\""]
        .map(|more| n_source(1, "10 Mbit/s", "10 ms", "1 s", &format!("{rest}{more}")).run_id());
    assert_eq!(without, with);
}

/// CoDel marks packets of an end system that asks for it, and drops those of one that does not.
#[test]
fn marks_reach_a_stack_that_asks_for_them() {
    for (stack, with, without) in
        [("quinn", "ecn = true", "ecn = false"), ("quic", "codepoint = \"ect-0\"", "codepoint = \"none\"")]
    {
        let [marked, not_marked] = [with, without].map(|setting| {
            let port = "port = { buffer = \"100 packets\", queue = { kind = \"codel\", ecn = true } }";
            let rest = format!("framing = \"packet\"\nstack = {{ kind = \"{stack}\", {setting} }}\n{port}");
            let record = run(&n_source(2, "10 Mbit/s", "10 ms", "20 s", &rest)).expect("conservation");
            record.ports[0].queue.as_ref().map_or(0, |queue| queue.packets_marked)
        });
        assert!(marked > 0 && not_marked == 0, "{stack}: {marked}, {not_marked}");
    }
}

#[test]
fn a_group_may_begin_after_one_over_another_stack_and_rounds_are_passed() {
    for stack in others() {
        let text = format!(
            "schema_version = 1\nduration = \"10 s\"\nframing = \"packet\"\nport.buffer = \"30 packets\"\nstack = \"{stack}\"\n\
             topology = {{ kind = \"n-source\", sources = 4, access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}, \
             bottleneck = {{ rate = \"10 Mbit/s\", delay = \"5 ms\" }} }}\n\
             connections = [{{ name = \"first\", traffic = {{ kind = \"finite\", size = \"200 kB\" }} }}, \
             {{ after = \"first\", traffic = {{ kind = \"finite\", size = \"100 kB\" }} }}, \
             {{ count = 2, traffic = {{ kind = \"rounds\", size = \"20 kB\", count = 5 }} }}]"
        );
        let record = run(&scenario(&text)).expect("conservation");
        let [first, after, one, other] = &record.flows[..] else { panic!("four connections") };
        assert!(first.finished_s.is_some() && after.started_s >= first.finished_s, "{stack}: {after:?}");
        assert_eq!([after, one, other].map(|flow| flow.bytes_delivered), [100_000; 3], "{stack}");
    }
}
