//! The networks that lookahead is made for: one port, one line back, and a line of its own for each connection on both sides.

use std::sync::Arc;

use longfat_foundation::config::Parameter;
use longfat_foundation::units::Span;
use longfat_network::framing::Unit;
use longfat_network::switch::Port;
use longfat_network::topology::{Flow, Graph};

use crate::scenario::LineSettings;
use crate::simulation::network::{AtRest, Entrance, LineEnd, Links};

/// The two directions of such a network.
pub struct Scope {
    /// From the senders to the receivers.
    pub forward: Path,
    /// From the receivers to the senders.
    pub backward: Path,
}

/// The lines of one direction.
pub struct Path {
    /// From the hosts to the common switch, one for each connection.
    pub lines_before: Vec<u32>,
    /// The common line.
    pub line: usize,
    /// From there to the hosts, one for each connection, unless they are part of the common line.
    pub behind: Option<Vec<u32>>,
    /// Lookahead: the least time from a host to the switch, and from the switch to a host.
    pub latency_before: Span,
    pub latency_behind: Span,
}

impl Scope {
    /// The two directions of a network at rest.
    ///
    /// # Errors
    /// Why it is no such network.
    pub fn of(rest: &AtRest) -> Result<Self, &'static str> {
        let AtRest { graph, framing, links, .. } = rest;
        if graph.is_split {
            return Err("proxies split the connections");
        }
        let unit = framing.unit();
        object_to_scenario(rest, unit)?;
        let [port] = rest.ports.as_slice() else { return Err("there is more than one managed port") };
        if !rest.backgrounds.is_empty() {
            return Err("background traffic waits with the connections' cells");
        }
        let line = port.state().line;
        if !matches!(links.look(line).entrance, Entrance::Port(_)) {
            return Err("cells get lost, are marked or counted before the port");
        }
        let line_back = graph.flows.first().and_then(|flow| flow.backward.get(1)).copied().ok_or(OTHER_PATHS)?;
        if !matches!(links.look(line_back).entrance, Entrance::Open) {
            return Err("acknowledgments get lost");
        }
        if rest.scenario.has_stacks(graph.senders()) {
            return Err("end systems have a stack of their own");
        }
        let sends_datagrams = rest.sources.iter().any(|source| source.datagrams().is_some());
        let smallest_bits = framing.bits(0, 0).min(if sends_datagrams { framing.datagram(1).1 } else { u64::MAX });
        let path = |common, of: fn(&Flow) -> &Arc<[usize]>| match unit {
            Unit::Cell => path_of_cells(graph, of, common, links),
            Unit::Packet => path_of_packets(graph, of, common, links, smallest_bits),
        };
        let (forward, backward) = (path(line, |flow| &flow.forward)?, path(line_back, |flow| &flow.backward)?);
        let scope = Self { forward, backward };
        if unit == Unit::Packet && scope.shares_lines() {
            return Err(OTHER_PATHS);
        }
        Ok(scope)
    }

    /// Whether any line is in more than one place; several connections may share one in the same place.
    fn shares_lines(&self) -> bool {
        let once = |lines: &[u32]| {
            let mut lines = lines.to_vec();
            lines.sort_unstable();
            lines.dedup();
            lines
        };
        let lines = |path: &Path| {
            let (before, behind) = (once(&path.lines_before), path.behind.as_deref().map(once).unwrap_or_default());
            before.into_iter().chain([number_of(path.line)]).chain(behind).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = lines(&self.forward).into_iter().chain(lines(&self.backward)).collect();
        let many = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() < many
    }
}

const OTHER_PATHS: &str = "packets take other paths than one line, the common line and one line";

fn object_to_scenario(rest: &AtRest, unit: Unit) -> Result<(), &'static str> {
    let scenario = &rest.scenario;
    if scenario.has_barriers() || rest.sources.iter().any(|source| source.waits_for_others()) {
        return Err("connections wait for others");
    }
    if unit == Unit::Cell && rest.ports.get(rest.bottleneck_port).is_some_and(Port::decides_later) {
        return Err("the port has a queue discipline");
    }
    if !scenario.path.is_absent() {
        return Err("the path changes");
    }
    if scenario.has_terminals() {
        return Err("terminals share the bottleneck");
    }
    if scenario.lines_with_settings(&rest.graph).iter().any(LineSettings::holds_up) {
        return Err("packets are held up at the end of a line");
    }
    if !scenario.lines.is_empty() {
        return Err("a line has a path, losses or capacity of its own");
    }
    if !scenario.capacity.is_absent() {
        return Err("capacity is granted on demand");
    }
    if rest.in_heap {
        return Err("a heap orders simultaneous events");
    }
    if rest.framing.tick().is_some() {
        return Err("cells take whole ticks of a clock");
    }
    if unit == Unit::Cell && !scenario.port.arrival_order.is_slotted() {
        return Err("the port admits cells first come, first served");
    }
    Ok(())
}

/// The lines of one direction, if all paths are a line, the `common` one, and one that is part of it as a relay.
fn path_of_cells(
    graph: &Graph,
    path: fn(&Flow) -> &Arc<[usize]>,
    common: usize,
    links: &Links,
) -> Result<Path, &'static str> {
    let link = links.look(common);
    if !link.line.is_relayed() || !matches!(link.end, LineEnd::Host) {
        return Err("cells may have to wait behind the common line");
    }
    let (lines_before, _) = paths(graph, path, common, links)?;
    let latency_before = least(&lines_before, |number| links.look(number).line.latency());
    let latency_behind = link.line.latency();
    known_ahead(Path { lines_before, line: common, behind: None, latency_before, latency_behind })
}

/// Checks the path of packets that travel whole, none of less than `smallest_bits`, and the last lines are lines of their own.
fn path_of_packets(
    graph: &Graph,
    path: fn(&Flow) -> &Arc<[usize]>,
    common: usize,
    links: &Links,
    smallest_bits: u64,
) -> Result<Path, &'static str> {
    let (lines_before, behind) = paths(graph, path, common, links)?;
    let latency = |number: usize| links.look(number).line.latency_of(smallest_bits);
    let latency_before = least(&lines_before, latency);
    let latency_behind = latency(common) + least(&behind, latency);
    known_ahead(Path { lines_before, line: common, behind: Some(behind), latency_before, latency_behind })
}

/// The shortest latency of any of the lines. Connections that share one mostly follow one another.
fn least(lines: &[u32], latency: impl Fn(usize) -> Span) -> Span {
    let others = lines.chunk_by(|line, next| line == next).map(|alike| alike[0] as usize);
    others.map(latency).min().unwrap_or(Span::ZERO)
}

/// Rejects a path without lookahead.
fn known_ahead(path: Path) -> Result<Path, &'static str> {
    if path.latency_before == Span::ZERO || path.latency_behind == Span::ZERO {
        return Err("a line takes no time");
    }
    Ok(path)
}

/// Of each connection the lines before and behind the `common` one, if there is one of each and nothing is in front of them.
fn paths(
    graph: &Graph,
    path: fn(&Flow) -> &Arc<[usize]>,
    common: usize,
    links: &Links,
) -> Result<(Vec<u32>, Vec<u32>), &'static str> {
    let mut lines = (Vec::with_capacity(graph.flows.len()), Vec::with_capacity(graph.flows.len()));
    for alike in graph.flows.chunk_by(|flow, next| Arc::ptr_eq(path(flow), path(next))) {
        let &[first, second, third] = &**path(&alike[0]) else { return Err(OTHER_PATHS) };
        let (line, last) = (links.look(first), links.look(third));
        let leads_there = second == common && matches!(line.end, LineEnd::Switch(_)) && !line.line.is_relayed();
        let is_open = [&line, &last].iter().all(|link| matches!(link.entrance, Entrance::Open));
        if !leads_there || !is_open || !matches!(last.end, LineEnd::Host) {
            return Err(OTHER_PATHS);
        }
        lines.0.extend(alike.iter().map(|_| number_of(first)));
        lines.1.extend(alike.iter().map(|_| number_of(third)));
    }
    Ok(lines)
}

#[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 links")]
fn number_of(link: usize) -> u32 {
    link as u32
}
