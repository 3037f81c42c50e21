//! Pages over HTTP: all that was asked for arrives over every transport, and streams of their own keep losses apart.

use longfat_engine::measure::{RequestRecord, RunRecord};
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::any_http_network;
use super::www::{bins, check_requests, drawn_alone};
use crate::support::n_source;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(120)
    })]

    #[test]
    fn files_of_pages_are_conserved_in_any_network(network in any_http_network()) {
        let record = run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        check_requests(&record)?;
        let asks_at_once = network.scenario.traffic.resolved()["discovery"] == "at-once";
        for (number, flow) in record.flows.iter().enumerate().filter(|_| asks_at_once) {
            let requests = flow.requests.as_ref().expect("clients ask");
            prop_assert_eq!(requests.made, drawn_alone(&network.scenario, number).0);
        }
    }
}

fn requests(record: &RunRecord) -> impl Iterator<Item = &RequestRecord> {
    record.flows.iter().map(|flow| flow.requests.as_ref().expect("clients ask"))
}

/// Clients over 10 Mbit/s.
fn network(clients: u64, delay: &str, duration: &str, rest: &str) -> Scenario {
    n_source(
        clients,
        "10 Mbit/s",
        delay,
        duration,
        &format!("framing = \"packet\"\nport.buffer = \"100 packets\"\n{rest}"),
    )
}

const LOSSES: &str =
    "loss = { kind = \"random\", probability = 0.01 }\nacknowledgment_loss = { kind = \"random\", probability = 0.01 }";

#[test]
fn every_transport_brings_all_files_of_all_pages() {
    let over = |stack: &str, more: &str| {
        let traffic = format!(
            "stack = {stack}\ntraffic = {{ kind = \"http\", interval = \"20 s\"{more} }}\ntcp.preset = \"linux-6.12\"\n{LOSSES}"
        );
        run(&network(2, "10 ms", "120 s", &traffic)).expect("conservation")
    };
    let stacks = ["quic", "quinn", "smoltcp"].iter().flat_map(|kind| {
        ["sender", "receiver"].map(|opener| format!("{{ kind = \"{kind}\", opened_by = \"{opener}\" }}"))
    });
    let few = ["quic", "quinn"].map(|kind| format!("{{ kind = \"{kind}\", opened_by = \"receiver\", streams = 2 }}"));
    for more in ["", ", schedule = \"sequential\"", ", discovery = \"at-once\""] {
        let of_tcp = over("\"tcp\"", more);
        for stack in stacks.clone().chain(few.clone()) {
            let record = over(&stack, more);
            for (own, of_tcp) in requests(&record).zip(requests(&of_tcp)) {
                assert_eq!([own.made, own.answered, own.files_delivered], [of_tcp.made; 3], "{stack}{more}");
                assert!((own.offered_bps - of_tcp.offered_bps).abs() < 1e-6, "{stack}{more}");
            }
            let count = |record: &RunRecord| record.completions.last().map(|page| [page.asked, page.delivered]);
            assert_eq!([count(&record), count(&of_tcp)], [Some([12, 12]); 2], "{stack}{more}");
        }
    }
}

/// A page of a document and a file of 1 kB each: two round trips of 90 ms behind a handshake of one, and what the bytes take on the lines. If
/// they are asked for at once, one less. A full packet takes 3 ms over three lines, and QUIC's handshake has four.
#[test]
fn the_files_of_a_page_are_asked_for_when_its_document_has_arrived() {
    let one_size =
        "classes = [{ probability = 1, unit = 1 }], file_size = { most = 1 }, files = { mean = 500, most = 2 }";
    for stack in ["\"tcp\"", "{ kind = \"quic\", opened_by = \"receiver\" }"] {
        for (discovery, rounds) in [("document", 3.0), ("at-once", 2.0)] {
            let traffic = format!(
                "stack = {stack}\ntraffic = {{ kind = \"http\", discovery = \"{discovery}\", interval = \"20 s\", {one_size} }}\n\
                 tcp.preset = \"linux-6.12\""
            );
            let record = run(&network(1, "15 ms", "10 s", &traffic)).expect("conservation");
            let page = serde_json::to_value(&record.completions[1]).expect("it is JSON");
            assert_eq!((&page["asked"], &page["delivered"]), (&1.into(), &1.into()), "{stack}");
            let (ms, least) = (page["times"]["max_us"].as_f64().expect("it has arrived") / 1e3, 90.0 * rounds);
            assert!((least..least + 20.0).contains(&ms), "{stack}, {discovery}: {ms} ms");
        }
    }
}

/// Files that arrive more than half a round trip of 90 ms later than the last would without a loss, of a page of nine files in one window, where
/// packet `lost` of the server does not arrive.
fn late_files(stack: &str, lost: u64) -> u64 {
    let page = "classes = [{ probability = 1, unit = 1 }], file_size = { most = 1 }, files = { mean = 500, most = 9 }";
    let files = |loss: &str| {
        let traffic = format!(
            "stack = {stack}\ntraffic = {{ kind = \"http\", discovery = \"at-once\", interval = \"20 s\", {page} }}\n\
             tcp.preset = \"linux-6.12\"\n{loss}"
        );
        let record = run(&network(1, "15 ms", "10 s", &traffic)).expect("conservation");
        assert_eq!(record.completions[0].delivered, 9, "{stack}, {loss}");
        serde_json::to_value(&record.completions[0].times).expect("it is JSON")
    };
    let latest = files("")["max_us"].as_u64().expect("they have arrived") + 45_000;
    let lossy = files(&format!("loss = {{ kind = \"list\", drops = [[{lost}]] }}"));
    bins(&lossy).iter().filter(|(begin, ..)| *begin > latest).map(|(_, _, count)| count).sum()
}

/// Packets of a server up to the last with a message of its handshake, and one more.
const HANDSHAKE: u64 = 5;

/// Nine answers of 1152 bytes leave together. On streams, a lost packet holds back the files of which it had bytes, two at most. On one stream it
/// holds back all behind it: the second of eight segments, at least seven.
#[test]
fn a_loss_holds_back_one_file_on_streams_and_all_behind_it_on_one_stream() {
    // Before them are those of the handshake.
    let most = |stack: &str| (HANDSHAKE..20).map(|lost| late_files(stack, lost)).max().unwrap_or(0);
    for stack in ["quic", "quinn"] {
        let late = most(&format!("{{ kind = \"{stack}\", opened_by = \"receiver\" }}"));
        assert!((1..=2).contains(&late), "{late} files wait for a packet of {stack}");
    }
    let late = (1..8).map(|lost| late_files("\"tcp\"", lost)).max();
    assert!(late >= Some(7), "{late:?}: all behind the lost segment wait");
}
