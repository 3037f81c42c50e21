//! Return links that terminals share: departures worked by hand, and laws for any terminals.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::capacity::{TWO_SEGMENTS, by_the_packet};
use crate::support::scenario;

/// The sender of the tests of capacity on demand, with a return link of the rate of its line, and more settings.
fn with_link(link: &str, rest: &str) -> String {
    format!(
        "return_links = [{{ name = \"link\", rate = \"1 Mbit/s\", frame = \"50 ms\", response = \"150 ms\"{link} }}]\n{rest}"
    )
}

fn one_terminal(capacity: &str, link: &str, rest: &str) -> Scenario {
    by_the_packet(capacity, &with_link(link, rest))
}

/// Arrival times of segments, in milliseconds.
fn arrivals(capacity: &str, link: &str) -> Vec<f64> {
    super::capacity::arrivals(capacity, &with_link(link, TWO_SEGMENTS))
}

fn shared(more: &str) -> String {
    format!("{{ kind = \"shared\", link = \"link\"{more} }}")
}

fn record(scenario: &Scenario) -> RunRecord {
    run(scenario).expect("conservation")
}

#[test]
fn a_packet_waits_for_the_answer_in_whole_slots() {
    // Both packets, 20,000 bits, wait at 50 ms and are granted from 200 ms on: at 400 kbit/s a packet takes 25 ms.
    assert_eq!(arrivals(&shared(""), ""), [200.0 + 25.0 + 101.0, 200.0 + 50.0 + 101.0]);
    // Slots of 3000 bits: seven, or 420 kbit/s.
    assert_eq!(arrivals(&shared(""), ", slot_bytes = 375"), [200.0 + 23.81 + 101.0, 200.0 + 47.619 + 101.0]);
}

#[test]
fn a_requested_rate_carries_no_more_than_its_limit() {
    // 200 kbit/s carry 10,000 bits in a frame.
    assert_eq!(
        arrivals(&shared(", rbdc_max = \"200 kbit/s\", volume = \"none\""), ""),
        [200.0 + 50.0 + 101.0, 200.0 + 100.0 + 101.0]
    );
}

#[test]
fn free_capacity_is_there_without_a_request() {
    // All of the line, from the frame on that is decided first, at 150 ms.
    assert_eq!(arrivals(&shared(", volume = \"none\""), ", fca = true"), [150.0 + 10.0 + 101.0, 150.0 + 20.0 + 101.0]);
}

#[test]
fn one_terminal_with_all_of_the_link_assigned_is_a_line_without_requests() {
    let permanent = record(&one_terminal("\"permanent\"", "", ""));
    assert_eq!(permanent.return_links[0].terminals.len(), 0, "nobody shares it");
    // Fifty slots of 1000 bits come out even.
    for link in ["", ", slot_bytes = 125"] {
        let assigned = record(&one_terminal(&shared(", cra = \"1 Mbit/s\""), link, ""));
        assert_eq!(assigned.fingerprint, permanent.fingerprint, "{link}");
        assert_eq!(assigned.metrics.mean_granted_bps, Some(1e6));
        assert_eq!(assigned.metrics.efficiency, permanent.metrics.efficiency);
    }
}

#[test]
fn one_terminal_with_volume_is_a_line_with_capacity_on_demand() {
    for share in ["0.0", "0.1", "0.5"] {
        let on_demand =
            format!("{{ kind = \"on-demand\", frame = \"50 ms\", response = \"150 ms\", constant_share = {share} }}");
        let cra = format!(", cra = \"{} bit/s\"", (share.parse::<f64>().unwrap() * 1e6).round());
        let [on_demand, one] = [on_demand, shared(&cra)].map(|capacity| record(&one_terminal(&capacity, "", "")));
        assert_eq!(one.fingerprint, on_demand.fingerprint, "{share}");
        assert_eq!(one.metrics.mean_granted_bps, on_demand.metrics.mean_granted_bps, "{share}");
    }
}

#[test]
fn what_is_measured_from_some_time_on_is_what_a_terminal_was_granted_since() {
    // Nothing is sent before 10 s, and then 2 Mbit.
    let traffic = "traffic = { kind = \"finite\", size = \"242 kB\", start = \"10 s\" }";
    let whole = record(&one_terminal(&shared(""), "", traffic));
    let later = record(&one_terminal(&shared(""), "", &format!("{traffic}\nmeasure.from = \"10 s\"")));
    let [whole, later] = [whole, later].map(|record| record.return_links[0].terminals[0].clone());
    // 399 of 400 frames have ended by 20 s, and 200 of them from 10 s on.
    let relation = later.granted.volume_bps / whole.granted.volume_bps;
    assert!((relation - 399.0 / 200.0).abs() < 1e-9, "{relation}");
    assert!(whole.used_bps > 0.0 && (later.used_bps / whole.used_bps - 2.0).abs() < 1e-9);
    assert_eq!(later.requests, whole.requests);
}

/// Users upload through terminals with a line of 2 Mbit/s each.
fn terminals(number: u64, link: &str, lines: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"12 s\"
framing = \"packet\"
port.buffer = \"100 packets\"
tcp.preset = \"linux-like\"
return_links = [{{ name = \"link\", {link} }}]
connections = [{{ count = {number}, from = \"users\" }}]
lines = [{lines}]
[topology]
kind = \"terminals\"
terminals = {number}
access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}
satellite = {{ forward_rate = \"20 Mbit/s\", terminal_rate = \"2 Mbit/s\", return_rate = \"100 Mbit/s\", delay = \"250 ms\" }}
servers = {{ rate = \"1 Gbit/s\", delay = \"5 ms\" }}
[traffic]
{rest}
"
    ))
}

const SHARE: &str = "{ at = \"terminal * to satellite\", capacity = { kind = \"shared\", link = \"link\" } }";

#[test]
fn an_entry_with_an_asterisk_means_all_terminals_and_a_later_one_replaces_it() {
    let heavy = "{ at = \"terminal 2 to satellite\", capacity = { kind = \"shared\", link = \"link\", weight = 3 } }";
    let of = |lines: &str| {
        let link = "rate = \"1 Mbit/s\", scheduler = \"weighted-fair\"";
        record(&terminals(2, link, lines, "kind = \"infinite\"")).return_links[0].clone()
    };
    let [equal, weighted] = [SHARE.to_owned(), format!("{SHARE}, {heavy}")].map(|lines| of(&lines));
    let shares = |link: &longfat_engine::measure::ReturnLinkRecord| {
        link.terminals.iter().map(|terminal| terminal.granted.volume_bps).collect::<Vec<_>>()
    };
    let (equal, weighted) = (shares(&equal), shares(&weighted));
    assert!((equal[0] / equal[1] - 1.0).abs() < 0.1, "{equal:?}");
    assert!(weighted[1] / weighted[0] > 1.5, "{weighted:?}");
}

#[test]
fn a_class_before_another_gets_what_it_asks_for() {
    let first = "{ at = \"terminal 1 to satellite\", capacity = { kind = \"shared\", link = \"link\", class = 1 } }";
    let others = SHARE.replace("\"link\" }", "\"link\", class = 2 }");
    let link = "rate = \"1 Mbit/s\", scheduler = \"priority\"";
    let record = record(&terminals(4, link, &format!("{others}, {first}"), "kind = \"infinite\""));
    let waits: Vec<_> = record.return_links[0].terminals.iter().map(|terminal| terminal.wait_mean_s).collect();
    assert!(waits[0] < waits[1] && waits[0] < waits[3], "{waits:?}");
    let granted = record.completions.iter().find(|kind| kind.name == "link grant").expect("volume was asked for");
    assert_eq!(granted.times.mean_seconds(), record.return_links[0].waits.mean_seconds());
    assert!(granted.delivered > 0 && granted.asked == granted.delivered);
}

#[test]
fn requests_get_lost_where_many_contend_and_all_is_delivered_in_the_end() {
    let link = |access: &str| format!("rate = \"5 Mbit/s\", access = {access}");
    let traffic = "kind = \"finite\"\nsize = \"30 kB\"";
    let of = |access: &str| {
        let minute = [("duration".to_owned(), "60 s".to_owned())];
        let text = terminals(20, &link(access), SHARE, traffic).canonical();
        record(&Scenario::parse(text.as_bytes(), "minute.json", &minute).expect("it is sound"))
    };
    let dedicated = of("\"dedicated\"");
    let aloha = of("{ kind = \"slotted-aloha\", slots = 4 }");
    let crdsa = of("{ kind = \"crdsa\", slots = 4, replicas = 2 }");
    assert_eq!(dedicated.return_links[0].requests_lost, 0);
    assert!(aloha.return_links[0].requests_lost > 10, "{}", aloha.return_links[0].requests_lost);
    assert!(crdsa.return_links[0].requests_lost > 0);
    for record in [&dedicated, &aloha, &crdsa] {
        assert!(record.flows.iter().all(|flow| flow.bytes_delivered == 30_000));
    }
    let finished = |record: &RunRecord| record.flows.iter().filter_map(|flow| flow.finished_s).fold(0.0, f64::max);
    assert!(finished(&dedicated) < finished(&aloha));
}

fn any_link() -> impl Strategy<Value = String> {
    let scheduler = prop::sample::select(vec!["proportional", "weighted-fair", "priority"]);
    let access = prop::sample::select(vec!["dedicated", "slotted-aloha", "crdsa"]);
    let slot = prop_oneof![Just(0_u64), 1_u64..500];
    (500_u64..5000, 20_u64..100, 1_u64..600, slot, scheduler, access, any::<bool>(), any::<bool>()).prop_map(
        |(rate, frame, response, slot, scheduler, access, fca, log_on)| {
            format!(
                "rate = \"{rate} kbit/s\", frame = \"{frame} ms\", response = \"{response} ms\", slot_bytes = {slot}, \
                 scheduler = \"{scheduler}\", access = \"{access}\", fca = {fca}, log_on = {log_on}"
            )
        },
    )
}

fn any_share() -> impl Strategy<Value = String> {
    let volume = prop::sample::select(vec!["vbdc", "a-vbdc", "none"]);
    (0_u64..80, 0_u64..500, 1_u64..10, volume, 1_u64..9, 1_u64..4).prop_map(
        |(constant, rate, frames, volume, weight, class)| {
            format!(
                "{{ kind = \"shared\", link = \"link\", cra = \"{constant} kbit/s\", rbdc_max = \"{rate} kbit/s\", rbdc_frames = {frames}, \
                 volume = \"{volume}\", weight = {weight}, class = {class} }}"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(100)
    })]

    /// The engine's audit checks the rest: every byte and packet is accounted for.
    #[test]
    fn no_more_is_sent_than_was_granted_and_no_more_is_granted_than_the_link_has(
        number in 1_u64..6,
        link in any_link(),
        shares in prop::collection::vec(any_share(), 2),
    ) {
        let lines = format!(
            "{{ at = \"terminal * to satellite\", capacity = {} }}, {{ at = \"terminal 1 to satellite\", capacity = {} }}",
            shares[0], shares[1]
        );
        let traffic = "kind = \"messages\"\nsize = \"20 kB\"\ninterval = \"700 ms\"";
        let scenario = terminals(number, &link, &lines, traffic);
        let record = run(&scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        let link = &record.return_links[0];
        prop_assert!(link.granted.total_bps() <= link.capacity_bps * 1.000_000_1);
        prop_assert!(link.used_bps <= link.granted.total_bps() * 1.01 + 1000.0, "{} of {:?}", link.used_bps, link.granted);
        for terminal in &link.terminals {
            prop_assert!(terminal.granted.total_bps() <= 2e6);
            prop_assert!(terminal.requests_lost <= terminal.requests);
            prop_assert!(link.log_ons.is_none() || terminal.log_on_s.is_some() || terminal.granted.total_bps() == 0.0);
        }
    }
}
