//! Conservation: nothing appears or vanishes.

use std::collections::BTreeSet;

use longfat_engine::framing::FRAMINGS;
use longfat_engine::loss::LOSS_MODELS;
use longfat_engine::measure::{PortRecord, RunRecord};
use longfat_engine::run;
use longfat_engine::scenario::{Scenario, Throughput};
use longfat_engine::switch::drop_policy::POLICIES;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};

use super::random_networks::{any_network, is_endless, kinds_of_traffic};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn cells_and_bytes_are_conserved_in_any_network(network in any_network()) {
        let record = run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        let scenario = &network.scenario;
        record.ports.iter().try_for_each(|port| check_port(scenario, port))?;
        check_flows(scenario, &record)?;
        check_metrics(scenario, &record)?;
    }
}

/// The laws above would hold in networks without traffic; checks that these have some.
#[test]
fn random_networks_use_every_policy_lose_cells_time_out_and_back_off() {
    let mut runner = TestRunner::deterministic();
    let (mut policies_that_lost, mut framings_that_lost) = (BTreeSet::new(), BTreeSet::new());
    let (mut timed_out, mut backed_off, mut uneven) = (0, 0, 0);
    let (mut models_that_lost, mut finished) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..800 {
        let network = any_network().new_tree(&mut runner).expect("a network can be drawn").current();
        let record = run(&network.scenario).unwrap_or_else(|violation| panic!("{violation}{network:?}"));
        if record.ports[0].cells_dropped > 0 {
            policies_that_lost.extend(Some(record.ports[0].policy).filter(|_| record.ports[0].queue.is_none()));
            framings_that_lost.insert(network.scenario.framing.name());
        }
        if record.metrics.packets_lost > 0 {
            models_that_lost.extend([network.scenario.loss.name(), network.scenario.acknowledgment_loss.name()]);
        }
        if record.flows.iter().any(|flow| flow.finished_s.is_some()) {
            // A record does not say which of several kinds it was.
            let kinds: Vec<_> = kinds_of_traffic(&network.scenario).collect();
            finished.extend(kinds.first().filter(|_| kinds.len() == 1));
        }
        timed_out += u64::from(record.metrics.timeouts > 0);
        backed_off += u64::from(record.flows.iter().any(|flow| flow.timeouts > 2));
        let graph = network.scenario.graph();
        uneven += u64::from(graph.links.iter().any(|link| link.rate.0 > 3 * graph.links[0].rate.0));
    }
    assert_eq!(policies_that_lost, POLICIES.iter().map(|entry| entry.name).collect());
    assert_eq!(framings_that_lost, FRAMINGS.iter().map(|entry| entry.name).collect());
    assert_eq!(models_that_lost, LOSS_MODELS.iter().map(|entry| entry.name).collect());
    assert_eq!(finished, BTreeSet::from(["closed-loop", "finite", "flows", "messages", "rounds"]));
    let seen = (timed_out, backed_off, uneven);
    assert!(timed_out > 100 && backed_off > 50 && uneven > 50, "timed out, backed off, uneven rates: {seen:?}");
}

fn check_port(scenario: &Scenario, port: &PortRecord) -> Result<(), TestCaseError> {
    let circuits_in_slot = scenario.graph().flows.len() as u64;
    prop_assert!(port.cells_in >= port.cells_out + port.cells_dropped, "more left than arrived: {port:?}");
    let held = port.cells_in - port.cells_out - port.cells_dropped;
    if let Some(capacity) = scenario.port.buffer.capacity() {
        prop_assert!(port.max_queue_cells <= capacity, "more than {capacity} cells in the buffer: {port:?}");
        // Besides those in the buffer, only cells of the current slot; at most as many as the access lines' rate brings.
        let link = |managed: bool| {
            let graph = scenario.graph();
            graph.links.iter().filter(|link| link.managed == managed).map(|link| link.rate.0).max().unwrap_or(1)
        };
        let in_slot = circuits_in_slot * (link(false) / link(true) + 2);
        // A background brings any number at once.
        let is_bounded = scenario.background.is_empty();
        prop_assert!(!is_bounded || held <= capacity + in_slot, "{held} cells are held: {port:?}");
    }
    #[expect(clippy::cast_precision_loss, reason = "cells of a short run")]
    let most = port.max_queue_cells as f64;
    prop_assert!(port.mean_queue_cells <= most, "the mean is above the maximum: {port:?}");
    prop_assert!(port.packets_dropped <= port.cells_dropped);
    // A packet damaged by a loss model is counted there, whatever else it loses here.
    prop_assert!(port.packets_dropped > 0 || port.cells_dropped == 0 || scenario.loss.name() != "none");
    Ok(())
}

fn check_flows(scenario: &Scenario, record: &RunRecord) -> Result<(), TestCaseError> {
    let (mss, window) = (scenario.tcp.mss.0, scenario.tcp.advertised_window());
    // Segments are full (T-01) unless the window's edge may cut them. Retransmissions may then begin or end elsewhere.
    let is_endless = is_endless(scenario);
    let are_whole = is_endless && scenario.tcp.silly_window_avoidance;
    for flow in record.flows.iter().filter(|flow| flow.datagrams.is_none()) {
        prop_assert!(flow.bytes_delivered <= flow.segments_sent * mss, "more was delivered than sent: {flow:?}");
        if are_whole {
            let new = flow.segments_sent - flow.segments_retransmitted;
            prop_assert!(flow.bytes_delivered <= new * mss, "more was delivered than sent: {flow:?}");
            prop_assert_eq!(flow.bytes_delivered % mss, 0, "an infinite source sends whole segments (T-01)");
            prop_assert!(new * mss - flow.bytes_delivered <= window, "more than a window is under way: {flow:?}");
        }
        prop_assert!(flow.finished_s.is_none_or(|_| !is_endless && flow.bytes_delivered > 0), "{flow:?}");
        prop_assert!(
            flow.timeouts == 0 || flow.segments_retransmitted > 0,
            "timeouts without retransmission: {flow:?}"
        );
    }
    for (flow, datagrams) in record.flows.iter().filter_map(|flow| Some((flow, flow.datagrams.as_ref()?))) {
        let arrived = datagrams.answered.unwrap_or(datagrams.received);
        prop_assert!(arrived + datagrams.lost <= datagrams.sent, "more arrived or was lost than was sent: {flow:?}");
        prop_assert!(datagrams.reordered < datagrams.received.max(1), "the first overtakes nothing: {flow:?}");
        prop_assert_eq!(datagrams.delays.count(), datagrams.received);
        prop_assert_eq!((flow.timeouts, flow.segments_retransmitted), (0, 0));
    }
    let timeouts: u64 = record.flows.iter().map(|flow| flow.timeouts).sum();
    prop_assert_eq!(record.metrics.timeouts, timeouts);
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
fn check_metrics(scenario: &Scenario, record: &RunRecord) -> Result<(), TestCaseError> {
    const ROUNDING: f64 = 1e-9;
    let metrics = &record.metrics;
    let flows = record.flows.len() as f64;
    if scenario.measure.throughput == Throughput::InOrder {
        // A short run may see more of VBR's pauses than the average of its cycle.
        let vbr_cells: u64 = record.ports[0].classes.iter().map(|class| class.cells_out).skip(1).sum();
        let has_vbr = scenario.background.iter().any(|background| background.name() == "vbr-on-off");
        prop_assert!(has_vbr || metrics.efficiency <= 1.0 + ROUNDING, "faster than the line: {metrics:?}");
        prop_assert!(has_vbr || vbr_cells == 0, "VBR cells from nowhere: {record:?}");
        let bits: u64 = record.flows.iter().map(|flow| 8 * flow.bytes_delivered).sum();
        let goodput = bits as f64 / scenario.duration.0.as_seconds();
        prop_assert!((metrics.goodput_bps - goodput).abs() <= ROUNDING * goodput, "{goodput} is not in {metrics:?}");
    }
    prop_assert!((1.0 / flows - ROUNDING..=1.0 + ROUNDING).contains(&metrics.fairness), "{metrics:?}");
    let port = &record.ports[0];
    prop_assert_eq!(metrics.max_queue_cells, port.max_queue_cells);
    prop_assert!((metrics.cell_loss_ratio * port.cells_in as f64 - port.cells_dropped as f64).abs() < 1e-6);
    // The last packet may have been handed to the line just before the end.
    let framing = scenario.framing.build(&());
    let bits = framing.bits(scenario.tcp.mss.0, 0).max(framing.bits(500, 0));
    let one_packet = bits as f64 / scenario.graph().bottleneck().map_or(1, |link| link.rate.0) as f64;
    prop_assert!(port.utilization <= 1.0 + one_packet / scenario.duration.0.as_seconds() + ROUNDING, "{port:?}");
    Ok(())
}
