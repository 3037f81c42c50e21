//! Where loss models act: before the bottleneck's port, and where acknowledgments enter its way back.

use longfat_foundation::config::Parameter;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Time;
use longfat_network::framing::Cell;
use longfat_network::loss::{Direction, Loses, LossContext, LossModel};
use longfat_network::topology::Graph;

use super::Events;
use crate::observer::Observer;
use crate::scenario::Scenario;
use crate::simulation::network::{Entrance, Links, NOWHERE, Network};

/// A place where packets get lost, and what is behind it.
pub(super) struct LossPoint {
    model: Box<dyn LossModel>,
    /// Whether the packet of each flow that is passing is lost.
    is_losing: Vec<bool>,
    /// A managed port, or nothing.
    behind: Entrance,
    pub(super) cells_lost: u64,
    pub(super) packets_lost: u64,
}

impl LossPoint {
    fn new(model: &Chosen<dyn LossModel>, context: &LossContext, behind: Entrance) -> Self {
        Self {
            model: model.build(context),
            is_losing: vec![false; context.flows.len()],
            behind,
            cells_lost: 0,
            packets_lost: 0,
        }
    }

    /// Whether this cell is lost.
    fn loses(&mut self, flow: usize, cell: Cell) -> bool {
        if self.model.loses() == Loses::Cells || cell.is_first() {
            self.is_losing[flow] = self.model.loses_next(flow);
        }
        self.is_losing[flow]
    }
}

/// Puts the scenario's loss models before its links.
///
/// # Panics
/// If acknowledgments are to be lost on a way back that the topology does not have.
pub(super) fn place_loss_points(scenario: &Scenario, graph: &Graph, links: &mut Links) -> Vec<LossPoint> {
    let mut points = Vec::new();
    let bottleneck = graph.bottleneck_number();
    for (model, direction) in
        [(&scenario.loss, Direction::Data), (&scenario.acknowledgment_loss, Direction::Acknowledgments)]
    {
        if model.is_absent() {
            continue;
        }
        let link = match direction {
            Direction::Data => bottleneck,
            Direction::Acknowledgments => bottleneck.and_then(|number| graph.opposite(number)),
        };
        let link = links.make(link.expect("every topology has a bottleneck with a way back"), NOWHERE);
        let context = scenario.loss_context(graph, direction);
        points.push(LossPoint::new(model, &context, link.entrance));
        link.entrance = Entrance::LossPoint(points.len() - 1);
    }
    points
}

impl<O: Observer> Network<O, Events> {
    /// A cell reaches a place where it may be lost, or marked, or both; returns the entrance behind, if it is not lost.
    #[cold]
    pub(super) fn pass_checks(
        &mut self,
        now: Time,
        mut entrance: Entrance,
        mut cell: Cell,
    ) -> Option<(Entrance, Cell)> {
        if let Entrance::LossPoint(point) = entrance {
            entrance = self.pass(now, point, cell)?;
        }
        if let Entrance::Police(port) = entrance {
            cell = self.policing.as_mut().map_or(cell, |policing| policing.police(now, cell));
            entrance = Entrance::Port(port);
        }
        Some((entrance, cell))
    }

    /// A cell reaches a loss model; returns the entrance behind, if it is not lost.
    #[cold]
    pub(super) fn pass(&mut self, now: Time, point: usize, cell: Cell) -> Option<Entrance> {
        let flow = cell.circuit() / 2;
        if self.driver.impairments.loss_points[point].loses(flow, cell) {
            self.driver.impairments.loss_points[point].cells_lost += 1;
            if self.lose(now, cell) {
                self.driver.impairments.loss_points[point].packets_lost += 1;
            }
            return None;
        }
        Some(self.driver.impairments.loss_points[point].behind)
    }

    /// A cell is lost, of a flow or of a background; returns whether its packet was whole before.
    pub(super) fn lose(&mut self, now: Time, cell: Cell) -> bool {
        let was_whole = self.damage(now, cell);
        if was_whole {
            // Backgrounds have circuits of their own, and no flow.
            if cell.circuit() < self.circuits() {
                self.flows[cell.circuit() / 2].fingerprint.add(now.0);
            }
            let content = self.packets.get(cell.packet).content;
            self.observer.packet_lost(now, self.observed_flow_of(&content, cell), &content);
        }
        self.packets.release_cell(cell.packet);
        was_whole
    }
}
