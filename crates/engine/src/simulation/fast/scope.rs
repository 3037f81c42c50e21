//! Which networks the fast driver knows.

use crate::config::Parameter;
use crate::framing::Unit;
use crate::observer::Observer;
use crate::scenario::Scenario;
use crate::simulation::{Entrance, LineEnd, Link, Simulation};
use crate::topology::{Flow, Graph};
use crate::units::Span;

/// One port that all data goes through, and one line that all acknowledgments go back on.
pub(in crate::simulation) struct Scope {
    pub port: usize,
    /// Behind the port, to the receivers.
    pub line: usize,
    /// From the senders to the port.
    pub lines_before: Vec<usize>,
    /// Behind the switch where acknowledgments come together, to the senders.
    pub line_back: usize,
    /// From the receivers to that switch.
    pub lines_back: Vec<usize>,
}

impl Scope {
    /// Of a network at rest.
    ///
    /// # Errors
    /// Why it is not one that the fast driver knows.
    pub fn of<O: Observer>(simulation: &Simulation<O>, graph: &Graph) -> Result<Self, &'static str> {
        object_to_scenario(&simulation.scenario)?;
        let [port] = simulation.ports.as_slice() else { return Err("there is more than one managed port") };
        if !simulation.backgrounds.is_empty() {
            return Err("background traffic waits with the connections' cells");
        }
        let line = port.line;
        let links = &simulation.links;
        if !matches!(links[line].entrance, Entrance::Port(_)) {
            return Err("cells get lost, are marked or counted before the port");
        }
        let lines_before = first_lines(graph, |flow| &flow.forward, line, links)?;
        let line_back = graph.flows.first().and_then(|flow| flow.backward.get(1)).copied().ok_or(OTHER_PATHS)?;
        if !matches!(links[line_back].entrance, Entrance::Open) {
            return Err("acknowledgments get lost");
        }
        let lines_back = first_lines(graph, |flow| &flow.backward, line_back, links)?;
        Ok(Self { port: 0, line, lines_before, line_back, lines_back })
    }
}

const OTHER_PATHS: &str = "packets take other paths than one line, the common line and one line";

fn object_to_scenario(scenario: &Scenario) -> Result<(), &'static str> {
    if scenario.framing.build(&()).unit() == Unit::Packet {
        return Err("packets travel whole");
    }
    if !scenario.port.queue.is_absent() {
        return Err("the port has a queue discipline");
    }
    if !scenario.port.arrival_order.is_slotted() {
        return Err("the port admits cells first come, first served");
    }
    Ok(())
}

/// The lines that hosts send on, if all paths are such a line, the `common` one, and one that is part of it as a relay.
fn first_lines(
    graph: &Graph,
    path: impl Fn(&Flow) -> &Vec<usize>,
    common: usize,
    links: &[Link],
) -> Result<Vec<usize>, &'static str> {
    let link = &links[common];
    if !link.line.is_relayed() || !matches!(link.end, LineEnd::Host) {
        return Err("cells may have to wait behind the common line");
    }
    let mut lines = Vec::new();
    for flow in &graph.flows {
        let &[first, second, _] = path(flow).as_slice() else { return Err(OTHER_PATHS) };
        let line = &links[first];
        let leads_there = second == common && matches!(line.end, LineEnd::Switch(_)) && !line.line.is_relayed();
        if !leads_there || !matches!(line.entrance, Entrance::Open) {
            return Err(OTHER_PATHS);
        }
        // Without it nothing would be known ahead.
        if line.line.latency() == Span::ZERO {
            return Err("a line takes no time");
        }
        lines.push(first);
    }
    Ok(lines)
}
