//! WWW clients and servers: requests are conserved, the offered load is the drawn one, and no file arrives too early.

use std::collections::BTreeMap;

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::measure::{RunRecord, max_min_shares};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use longfat_engine::traffic::{Source, SourceContext};
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};
use serde_json::Value as Json;

use super::random_networks::{RandomNetwork, any_www_network};
use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn requests_are_conserved_and_the_load_is_what_was_drawn(network in any_www_network()) {
        let record = run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        check_requests(&record)?;
        check_load(&network, &record)?;
    }

    #[test]
    fn requests_and_answers_are_sent_and_delivered_by_the_rules_of_any_other_data(network in any_www_network()) {
        let connections = network.scenario.graph().flows.len();
        let (tape, record) = run_taped(&network.scenario);
        let mut delivered: BTreeMap<usize, u64> = BTreeMap::new();
        for entry in &tape {
            if let Happening::Received { next, .. } = entry.what {
                delivered.insert(entry.flow, next);
            }
        }
        for (number, flow) in record.flows.iter().enumerate() {
            let bytes = |flow| delivered.get(&flow).copied().unwrap_or(0);
            let requests = flow.requests.as_ref().expect("clients ask");
            prop_assert_eq!(bytes(number), flow.bytes_delivered);
            prop_assert_eq!(bytes(connections + number) / request_size(&network.scenario), requests.answered);
        }
    }
}

fn request_size(scenario: &Scenario) -> u64 {
    scenario.traffic.resolved()["request_bytes"].as_u64().expect("a size")
}

pub fn check_requests(record: &RunRecord) -> Result<(), TestCaseError> {
    let requests = || record.flows.iter().map(|flow| flow.requests.as_ref().expect("clients ask"));
    for own in requests() {
        prop_assert!(own.files_delivered <= own.answered && own.answered <= own.made, "{own:?}");
        prop_assert!(own.made == 0 || own.segments_sent > 0 || own.answered == 0, "{own:?}");
    }
    let (pages, classes) = record.completions.split_last().expect("pages at least");
    let sum = |count: fn(&longfat_engine::measure::CompletionRecord) -> u64| classes.iter().map(count).sum::<u64>();
    prop_assert_eq!(sum(|class| class.asked), requests().map(|own| own.made).sum::<u64>());
    prop_assert_eq!(sum(|class| class.delivered), requests().map(|own| own.files_delivered).sum::<u64>());
    for kind in &record.completions {
        prop_assert_eq!(kind.times.count(), kind.delivered);
        prop_assert!(kind.delivered <= kind.asked, "{kind:?}");
    }
    prop_assert!(pages.asked <= sum(|class| class.asked) && pages.delivered <= sum(|class| class.delivered));
    Ok(())
}

/// The sources alone, without any network, request the same bytes: the offered load does not depend on the network.
fn check_load(network: &RandomNetwork, record: &RunRecord) -> Result<(), TestCaseError> {
    let scenario = &network.scenario;
    let mut offered = 0.0;
    for (number, flow) in record.flows.iter().enumerate() {
        let drawn = drawn_alone(scenario, number);
        #[expect(clippy::cast_precision_loss, reason = "bytes of a short run")]
        let drawn_bps = (8 * drawn.1) as f64 / scenario.duration.0.as_seconds();
        let requests = flow.requests.as_ref().expect("clients ask");
        prop_assert_eq!((requests.made, requests.offered_bps), (drawn.0, drawn_bps));
        offered += drawn_bps;
    }
    let reported = record.metrics.offered_bps.expect("clients ask");
    prop_assert!((reported - offered).abs() <= 1e-9 * offered, "{reported} is not {offered}");
    Ok(())
}

/// Number of requests that a client makes before the end, and the bytes requested.
pub fn drawn_alone(scenario: &Scenario, number: usize) -> (u64, u64) {
    let mut source = scenario.source(number, scenario.graph().flows.len());
    let mut now = source.start();
    while now < Time::ZERO + scenario.duration.0 {
        now = source.wake(now).next.expect("clients never stop");
    }
    let exchange = source.exchange().expect("clients ask");
    (exchange.made, exchange.bytes_asked)
}

/// Clients and servers of 98-0876R1, with few clients.
fn network(rest: &str) -> Scenario {
    network_of("vanilla", rest)
}

fn network_of(flavor: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"100 s\"
port = {{ buffer = \"1062 cells\", policy = \"epd\" }}
tcp = {{ flavor = \"{flavor}\", mss = \"1024 B\", initial_ssthresh = \"56250 B\", silly_window_avoidance = false }}
{rest}
[topology]
kind = \"n-source\"
sources = 4
access = {{ rate = \"155.52 Mbit/s\", delay = \"5 us\" }}
bottleneck = {{ rate = \"2 Mbit/s\", delay = \"5 ms\" }}
"
    ))
}

#[track_caller]
fn run_whole(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// A file of n bytes takes at least a round trip, plus n bytes at the rate of the bottleneck.
#[test]
fn no_file_arrives_sooner_than_the_line_can_bring_it() {
    // All files have the same size, so the shortest time is that of such a file.
    for (unit, least_ms) in [(1, 10.0 + 8.192 / 2.0), (40, 10.0 + 40.0 * 8.192 / 2.0)] {
        let one_size = format!(
            "traffic = {{ kind = \"www\", classes = [{{ probability = 1, unit = {unit} }}], file_size = {{ most = 1 }} }}"
        );
        let record = serde_json::to_value(run_whole(&network(&one_size))).expect("a record is JSON");
        let times = &record["completions"][0]["times"];
        let fastest = times["min_us"].as_f64().expect("files have arrived") / 1000.0;
        // Headers, padding and other files' cells add to it: a lone small file takes at most half as much again.
        assert!(fastest >= least_ms, "{fastest} ms is sooner than {least_ms} ms");
        assert!(unit > 1 || fastest < 1.5 * least_ms, "{fastest} ms");
    }
}

#[test]
fn every_combination_of_network_and_tcp_sees_the_same_requests() {
    let asked = |flavor: &str, rest: &str| -> Vec<(u64, f64)> {
        let record = run_whole(&network_of(flavor, rest));
        let requests = record.flows.iter().map(|flow| flow.requests.as_ref().expect("clients ask"));
        requests.map(|own| (own.made, own.offered_bps)).collect()
    };
    let first = asked("vanilla", "traffic = \"www\"");
    let losses = "traffic = \"www\"\nloss = { kind = \"random\", probability = 0.01 }";
    assert_eq!(asked("sack", losses), first);
    assert_ne!(asked("vanilla", "traffic = \"www\"\nreplication = 1"), first);
    let sum: u64 = first.iter().map(|(made, _)| made).sum();
    assert!((4 * 10..=4 * 10 * 9).contains(&sum), "10 documents of 1 to 9 files for each of 4 clients, not {sum}");
}

#[test]
fn lost_requests_and_lost_acknowledgments_of_requests_are_repaired() {
    let losses = "traffic = \"www\"\nacknowledgment_loss = { kind = \"random\", probability = 0.2 }";
    let record = run_whole(&network(losses));
    let requests: Vec<_> = record.flows.iter().filter_map(|flow| flow.requests.as_ref()).collect();
    let sum =
        |count: fn(&longfat_engine::measure::RequestRecord) -> u64| requests.iter().map(|own| count(own)).sum::<u64>();
    assert!(sum(|own| own.segments_retransmitted) > 10 && sum(|own| own.timeouts) > 0, "{requests:?}");
    // The last requests may still be in flight.
    assert!(sum(|own| own.made) - sum(|own| own.answered) < 10, "{requests:?}");
}

#[test]
fn a_server_that_cannot_keep_up_is_as_fair_as_its_share_of_what_was_asked_for() {
    let record = run_whole(&network("traffic = \"www\""));
    let goodputs: Vec<f64> = record.flows.iter().map(|flow| flow.goodput_bps).collect();
    let demands: Vec<f64> =
        record.flows.iter().map(|flow| flow.requests.as_ref().expect("clients ask").offered_bps).collect();
    // Every request has reached its server by the end: the last batch begins at 90 s.
    assert!(record.flows.iter().all(|flow| flow.requests.as_ref().is_some_and(|own| own.made == own.answered)));
    let shares = max_min_shares(record.metrics.max_goodput_bps, &demands);
    let relative: Vec<f64> = goodputs.iter().zip(&shares).map(|(goodput, share)| goodput / share).collect();
    let (sum, squares) = (relative.iter().sum::<f64>(), relative.iter().map(|x| x * x).sum::<f64>());
    let index = sum * sum / (4.0 * squares);
    let reported = record.metrics.max_min_fairness.expect("demands are limited");
    assert!((reported - index).abs() < 1e-12, "{reported} is not {index}");
    assert!(reported > record.metrics.fairness, "who asks for less than its share is served, and that is fair");
}

#[test]
fn where_all_have_data_without_end_there_is_no_demand_to_be_fair_to() {
    let metrics = run_whole(&network("")).metrics;
    assert_eq!((metrics.max_min_fairness, metrics.offered_bps), (None, None));
    let metrics = run_whole(&network("traffic = { kind = \"finite\", size = \"9 kB\" }")).metrics;
    assert_eq!(metrics.max_min_fairness, Some(1.0), "all have what they demand");
}

/// Request times of a single client of the model.
fn requests_of(knobs: &str) -> Vec<f64> {
    let text = format!("{{ kind = \"www\"{knobs} }}");
    let mut reader = Reader::default();
    let chosen = Chosen::<dyn Source>::read(&parse_fragment(&text), &mut reader);
    let chosen = chosen.unwrap_or_else(|| panic!("{text}: {:?}", reader.problems));
    let chance = Chance { seed: 3, replication: 0 }.stream("flow/1/source");
    let mut source =
        chosen.build(&SourceContext { chance, number: 0, later: Span::ZERO, until: Time::NEVER, senders: 1 });
    let (mut now, mut times) = (source.start(), Vec::new());
    while now < Time::ZERO + Span::from_microseconds(100_000_000) {
        let wake = source.wake(now);
        if wake.bytes > 0 {
            times.push(now.as_seconds());
        }
        now = wake.next.expect("clients never stop");
    }
    times
}

#[test]
fn ten_documents_fit_a_hundred_seconds_if_the_clock_counts_from_start_to_start() {
    let times = requests_of("");
    for cycle in 0..10 {
        let begin = f64::from(cycle) * 10.0;
        let own: Vec<f64> = times.iter().copied().filter(|time| (begin..begin + 10.0).contains(time)).collect();
        assert!((1..=9).contains(&own.len()), "{own:?}");
        assert!((begin + 0.1..begin + 0.5).contains(&own[0]), "the first waits too: {own:?}");
        assert!(own.windows(2).all(|pair| (0.1..0.5).contains(&(pair[1] - pair[0]))), "{own:?}");
    }
    let at_once = requests_of(", first_request_waits = false");
    assert!((0..10).all(|cycle| at_once.contains(&(10.0 * f64::from(cycle)))), "{at_once:?}");
    assert_eq!(times.len(), at_once.len(), "the same documents, a little earlier");
}

#[test]
fn counted_from_the_last_request_cycles_are_longer_than_the_interval() {
    let times = requests_of(", clock = \"after-last-request\", requests = { most = 1 }, spacing = \"200 ms\"");
    assert_eq!(times.len(), 10, "{times:?}");
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - 10.2).abs() < 1e-9), "{times:?}");
    let phase = requests_of(", start = \"uniform(0 s, 10 s)\", first_request_waits = false")[0];
    assert!(phase > 0.0 && phase < 10.0, "{phase}");
}

/// 98-0876R1 section 7: 120 kB a request and 48 Mbit/s for 100 clients; with the truncated distributions of and
/// 116.6 kB of 1024 B, and 4.85 * 4.85 / 25 of 48.1 Mbit/s: 45.3.
#[test]
#[expect(clippy::cast_precision_loss, reason = "counts of one run")]
fn the_load_of_a_hundred_clients_is_what_the_tables_of_the_model_make_it() {
    let many = scenario(
        "schema_version = 1\nduration = \"1000 s\"\nport.buffer = \"1000 cells\"\ntraffic = \"www\"
topology = { kind = \"n-source\", sources = 100, access.delay = \"5 us\", bottleneck.delay = \"5 us\" }",
    );
    let drawn: Vec<(u64, u64)> = (0..100).map(|number| drawn_alone(&many, number)).collect();
    let (requests, bytes) = drawn.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    // 10,000 documents: the standard error of their mean number of files is below 0.02.
    assert!((requests as f64 / 10_000.0 - 4.85).abs() < 0.08, "{requests}");
    // Sizes have a standard deviation of about 440 kB: the mean of 48,500 has one of 2 kB.
    let mean = bytes as f64 / requests as f64;
    assert!((mean - 116_600.0).abs() < 8_000.0, "{mean}");
}

#[test]
fn the_record_tells_times_by_class_and_by_page_only_where_somebody_asks() {
    let json = |rest: &str| serde_json::to_value(run_whole(&network(rest))).expect("a record is JSON");
    let record = json("traffic = \"www\"");
    let names: Vec<_> =
        record["completions"].as_array().expect("a list").iter().map(|kind| kind["name"].clone()).collect();
    assert_eq!(names, ["class 0", "class 1", "class 2", "class 3", "class 4", "page"]);
    let counted: u64 = bins(&record["completions"][5]["times"]).iter().map(|bin| bin.2).sum();
    assert_eq!(Some(counted), record["completions"][5]["delivered"].as_u64());
    assert!(counted > 20, "most of 40 pages have arrived");
    let silent = json("");
    assert!(silent.get("completions").is_none() && silent["flows"][0].get("requests").is_none());
}

/// Bins of a histogram in microseconds: from, to, and how many.
pub fn bins(times: &Json) -> Vec<(u64, u64, u64)> {
    let number = |bin: &Json, place: usize| bin[place].as_u64().expect("a whole number");
    let bins = times["bins_us"].as_array().expect("a list");
    bins.iter().map(|bin| (number(bin, 0), number(bin, 1), number(bin, 2))).collect()
}
