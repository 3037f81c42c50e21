//! Where a path that changes acts: on the bottleneck's line, and on the one that leads back.

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::units::Time;
use longfat_network::framing::Cell;
use longfat_network::path::Conditions;
use longfat_network::topology::Graph;

use super::Events;
use crate::observer::Observer;
use crate::scenario::Scenario;
use crate::simulation::network::{LineEnd, Links, NOWHERE, Network};

/// The end of a line that changes, where packets turn out to be lost.
pub(super) struct ChangingEnd {
    conditions: Conditions,
    chance: Stream,
    /// The switch that it leads to.
    node: usize,
    pub(super) packets_lost: u64,
}

/// Puts the conditions of the scenario's path on the bottleneck's lines; returns the ends of these.
pub(super) fn follow_path(scenario: &Scenario, graph: &Graph, links: &mut Links) -> Vec<ChangingEnd> {
    let Some(conditions) = scenario.conditions(graph) else { return Vec::new() };
    let chance = Chance { seed: scenario.seed, replication: scenario.replication };
    let bottleneck = graph.bottleneck_number();
    let lines = [(bottleneck, "data"), (bottleneck.and_then(|number| graph.opposite(number)), "acknowledgments")];
    let mut ends = Vec::new();
    for (number, what) in lines {
        let link = links.make(number.expect("every topology has a bottleneck with a way back"), NOWHERE);
        // Acknowledgments have the rate of the topology: nothing is known of the other direction's.
        let jitter = chance.stream(&format!("path/{what}/jitter"));
        link.line.follow(conditions.clone(), what == "data", jitter);
        if let LineEnd::Switch(node) = link.end {
            let chance = chance.stream(&format!("path/{what}"));
            link.end = LineEnd::Changing(ends.len());
            ends.push(ChangingEnd { conditions: conditions.clone(), chance, node, packets_lost: 0 });
        }
    }
    ends
}

impl<O: Observer> Network<O, Events> {
    /// A packet reaches the end of a line that changes, unless it is lost.
    #[cold]
    pub(super) fn arrive_over_path(&mut self, now: Time, number: usize, packet: Cell) {
        let end = &mut self.driver.impairments.changing_ends[number];
        let loss = end.conditions.at(now).loss;
        if loss > 0.0 && end.chance.happens(loss) {
            end.packets_lost += 1;
            self.lose(now, packet);
        } else {
            let node = end.node;
            self.forward(now, node, packet);
        }
    }
}
