//! Effects of loss models on connections.

use longfat_engine::framing::{Content, FRAMINGS};
use longfat_engine::run;
use longfat_engine::scenario::Scenario;

use crate::support::n_source;
use crate::support::tape::{Entry, Happening, run_taped};

/// Connections that send 40 segments of 512 B; a timeout takes tens of milliseconds.
fn network(sources: u64, rest: &str) -> Scenario {
    let rest = format!(
        "port.buffer = \"unlimited\"
tcp = {{ mss = \"512 B\", receiver_window = \"8192 B\", timer_granularity = \"10 ms\" }}
traffic = {{ kind = \"finite\", size = \"20480 B\" }}
{rest}"
    );
    n_source(sources, "10 Mbit/s", "1 ms", "10 s", &rest)
}

/// Segment numbers of a flow, in the order in which they are sent or lost.
fn numbers(tape: &[Entry], flow: usize, which: impl Fn(&Happening) -> Option<u64>) -> Vec<u64> {
    tape.iter().filter(|entry| entry.flow == flow).filter_map(|entry| which(&entry.what)).map(|at| at / 512).collect()
}

fn sent(what: &Happening) -> Option<u64> {
    match what {
        Happening::Sent { segment, .. } => Some(segment.sequence),
        _ => None,
    }
}

fn lost(what: &Happening) -> Option<u64> {
    match what {
        Happening::Lost { content: Content::Data { sequence, .. } } => Some(*sequence),
        Happening::Lost { content: Content::Acknowledgment(acknowledgment) } => Some(acknowledgment.next),
        _ => None,
    }
}

#[test]
fn the_listed_packets_are_lost_counting_those_sent_again_and_everything_arrives_in_the_end() {
    for framing in FRAMINGS.iter().map(|entry| entry.name) {
        let loss = format!("framing = \"{framing}\"\nloss = {{ kind = \"list\", drops = [[5, 14, 15, 41], [1]] }}");
        let (tape, record) = run_taped(&network(3, &loss));
        for (flow, drops) in [(0, &[5, 14, 15, 41][..]), (1, &[1]), (2, &[])] {
            let (sent, lost) = (numbers(&tape, flow, sent), numbers(&tape, flow, lost));
            let listed: Vec<_> = drops.iter().map(|number| sent[number - 1]).collect();
            assert_eq!(lost, listed, "{framing}, flow {}: the n-th packet that was sent is the n-th to come", flow + 1);
            assert_eq!(record.flows[flow].bytes_delivered, 20_480, "{framing}");
            assert_eq!(
                record.flows[flow].timeouts > 0,
                !drops.is_empty(),
                "{framing}: vanilla repairs by timeout alone"
            );
        }
        assert_eq!((record.metrics.packets_lost, record.ports[0].cells_dropped), (5, 0), "{framing}");
        let cells =
            network(1, &loss.replace("[1]", "").replace("[5, 14, 15, 41], ", "")).framing.build(&()).cells(512, 0);
        let sent: u64 = record.flows.iter().map(|flow| flow.segments_sent).sum();
        assert_eq!(record.ports[0].cells_in, (sent - 5) * cells, "{framing}: lost before the port, with all cells");
    }
}

#[test]
fn a_lost_acknowledgment_costs_nothing_if_a_later_one_covers_it() {
    let (tape, record) = run_taped(&network(1, "acknowledgment_loss = { kind = \"list\", drops = [4, 5] }"));
    assert_eq!(numbers(&tape, 0, lost), [4, 5], "acknowledgments of segments 0 to 3 and 0 to 4");
    assert_eq!((record.flows[0].timeouts, record.flows[0].segments_retransmitted), (0, 0));
    assert_eq!((record.flows[0].bytes_delivered, record.metrics.packets_lost), (20_480, 2));
}

#[test]
fn a_lost_last_acknowledgment_is_repaired_by_a_timeout() {
    let (_, record) = run_taped(&network(1, "acknowledgment_loss = { kind = \"list\", drops = [40] }"));
    assert_eq!((record.flows[0].segments_sent, record.flows[0].timeouts), (41, 1));
    let undisturbed = run(&network(1, "")).expect("nothing is violated");
    assert_eq!(record.flows[0].finished_s, undisturbed.flows[0].finished_s, "the data had arrived before");
}

#[test]
fn a_single_lost_cell_spoils_its_packet_and_with_aal5_a_lost_last_cell_the_next_one_too() {
    let each = |each: &str, rule: &str| {
        let rest = format!(
            "framing = {{ kind = \"aal5\", lost_last_cell = \"{rule}\" }}\nloss = {{ kind = \"random\", probability = 0.02, each = \"{each}\" }}"
        );
        let (tape, record) = run_taped(&network(4, &rest));
        let received = tape.iter().filter(|entry| matches!(entry.what, Happening::Received { .. })).count() as u64;
        let sent: u64 = record.flows.iter().map(|flow| flow.segments_sent).sum();
        let packets_in_cells = record.ports[0].cells_in;
        (sent - received - record.metrics.packets_lost, sent, record.metrics.packets_lost, packets_in_cells)
    };
    let (spoilt, sent, lost, cells) = each("packet", "corrupts-next-packet");
    assert_eq!((spoilt, cells), (0, 12 * (sent - lost)), "whole packets: no cell of them comes");
    let (spoilt, sent, lost, cells) = each("cell", "corrupts-own-packet");
    assert!(lost > 20 && cells > 12 * (sent - lost), "the other cells come: {cells} of {sent} packets");
    assert_eq!(spoilt, 0);
    let (spoilt, ..) = each("cell", "corrupts-next-packet");
    assert!(spoilt > 0, "some last cells were lost");
}

#[test]
fn losses_are_the_same_again_and_others_with_another_seed() {
    let network = |seed: u64| network(2, &format!("seed = {seed}\nloss = {{ kind = \"random\", probability = 0.2 }}"));
    let lost_by = |seed: u64| numbers(&run_taped(&network(seed)).0, 0, lost);
    assert_eq!(lost_by(1), lost_by(1));
    assert_ne!(lost_by(1), lost_by(2));
}

#[test]
fn a_model_that_loses_nothing_leaves_no_trace() {
    let plain = run(&network(2, "")).expect("nothing is violated");
    let never = run(&network(2, "loss = { kind = \"random\", probability = 0.0 }")).expect("nothing is violated");
    assert_eq!(never.fingerprint, plain.fingerprint);
    assert_ne!(never.scenario_hash, plain.scenario_hash);
    let none = run(&network(2, "loss = \"none\"\nacknowledgment_loss = \"none\"")).expect("nothing is violated");
    assert_eq!(none.run_id, plain.run_id, "what is not there is not mentioned");
    assert!(plain.scenario.get("loss").is_none());
}
