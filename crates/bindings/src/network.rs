//! Facts of a scenario's network and of its connections.

use std::borrow::Cow;

use longfat_engine::config::Parameter;
use longfat_engine::scenario::{FullSegment, Scenario};
use longfat_engine::topology::{Graph, Leg};
use longfat_engine::transport::law::ResponseToMarks;
use longfat_engine::transport::{CongestionNotification, TcpConfig};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::resolved_scenario;

#[pyfunction]
pub fn scenario_network(resolved: &str) -> PyResult<String> {
    let scenario = resolved_scenario(resolved)?;
    let graph = scenario.graph();
    let longest = graph.longest_round_trips();
    let port = |number: usize| {
        let name = graph.link_name(number);
        let buffer = scenario.port_at(&name).buffer;
        let of_units = || buffer.capacity().map(|number| number.saturating_mul(scenario.bits_of_unit()));
        json!({
            "buffer_cells": buffer.resolved(),
            "buffer_bits": buffer.bytes().map(|bytes| bytes.saturating_mul(8)).or_else(of_units),
            "name": name,
            "rate_bps": graph.links[number].rate.0,
            "longest_round_trip_ps": longest[number].0,
            "is_bottleneck": graph.bottleneck_number() == Some(number),
        })
    };
    let ports: Vec<_> = graph.managed().map(port).collect();
    let mut connections = vec![0_u64; graph.senders()];
    graph.flows.iter().for_each(|flow| connections[flow.sender] += 1);
    let kinds = kinds_of_connections(&scenario, &graph);
    Ok(json!({ "connections": connections, "ports": ports, "kinds": kinds }).to_string())
}

/// One connection over TCP of each group and of those in none: its end systems, those of its leg over the bottleneck where proxies split it, and its
/// path through the managed ports, each with the rate at which a burst of the sender reaches it.
fn kinds_of_connections(scenario: &Scenario, graph: &Graph) -> Vec<Json> {
    let (names, framing) = (graph.port_names(), scenario.framing.build(&()));
    let groups = scenario.groups_of_senders(graph.senders());
    let over_tcp = |sender: &usize| scenario.uses_tcp(*sender, graph.senders());
    let kind = |sender: usize| {
        let flow = graph.flows.iter().find(|flow| flow.sender == sender)?;
        let tcp = scenario.tcp_of_leg(sender, Leg::Bottleneck, true);
        let port = |place: usize| {
            let number = names.iter().position(|name| *name == graph.link_name(flow.forward[place]))?;
            let before = flow.forward[..place].iter().map(|&line| graph.links[line].rate.0).min();
            Some(json!({ "port": number, "rate_before_bps": before }))
        };
        let back =
            flow.backward.iter().filter_map(|&line| names.iter().position(|name| *name == graph.link_name(line)));
        let group = groups.get(sender).copied();
        let is_paced = tcp.flavor.build(&()).law().is_paced() || !tcp.pacing.is_absent();
        Some(json!({
            "group": group,
            "senders": group.map_or(graph.senders() - groups.len(), |group| groups.iter().filter(|other| **other == group).count()),
            "round_trip_ps": graph.round_trip(flow).0,
            "ports": (0..flow.forward.len()).filter_map(port).collect::<Vec<_>>(),
            "ports_back": back.collect::<Vec<_>>(),
            "segment_bits": FullSegment::of(&tcp).bits(framing.as_ref()),
            "first_window_segments": tcp.initial_window.bytes(tcp.mss.0).min(tcp.receiver_window.0).div_ceil(tcp.mss.0),
            "is_paced": is_paced,
            "is_split": graph.is_split,
            "asks": scenario.source(sender, graph.senders()).asks(),
            "tcp": tcp.resolved(),
        }))
    };
    scenario.first_senders(graph.senders()).filter(over_tcp).filter_map(kind).collect()
}

#[pyfunction]
pub fn scenario_regrowth_s(resolved: &str, segments: f64, round_trip_s: f64) -> PyResult<f64> {
    resolved_scenario(resolved).map(|scenario| scenario.regrowth_s(segments, round_trip_s))
}

/// A flavor, `ecn`, the response to marks, and the echoes that convey the share of marked bytes.
type Marks = (&'static str, String, &'static str, Vec<String>);

#[pyfunction]
pub fn scenario_marks(resolved: &str) -> PyResult<Vec<Marks>> {
    let name = |ecn: CongestionNotification| ecn.resolved().as_str().unwrap_or_default().to_owned();
    let of_kind = |tcp: Cow<'_, TcpConfig>| {
        let (response, echoes) = match tcp.flavor.build(&()).facts().marks {
            ResponseToMarks::None => ("none", &[][..]),
            ResponseToMarks::AsLoss => ("as-loss", &[][..]),
            ResponseToMarks::ByShare(echoes) => ("by-share", echoes),
        };
        (tcp.flavor.name(), name(tcp.ecn), response, echoes.iter().copied().map(name).collect())
    };
    Ok(resolved_scenario(resolved)?.kinds_of_connections().map(of_kind).collect())
}
