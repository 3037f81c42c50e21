//! Context of a scenario's loss models.

use longfat_network::loss::{Direction, LossContext, Passing};
use longfat_network::topology::{Flow, Graph};

use super::Scenario;

impl Scenario {
    /// Place at which packets of a direction are lost, with the traffic that passes it.
    #[must_use]
    pub fn loss_context(&self, graph: &Graph, direction: Direction) -> LossContext {
        let chance = self.chance();
        let framing = self.framing.build(&());
        let (duration, mss) = (self.duration.0, self.tcp.mss.0);
        let source = self.source(0, graph.flows.len());
        // Lost segments are retransmitted, so these are a lower bound; receivers may send fewer acknowledgments.
        let segments = source.segments(mss).filter(|_| direction == Direction::Data);
        let certain = segments.map(|segments| (segments, format!("{segments} segments of {mss} B")));
        let passing = |flow: &Flow| {
            let (path, smallest) = match direction {
                Direction::Data => (&flow.forward, framing.bits(1, 0)),
                Direction::Acknowledgments => (&flow.backward, framing.bits(0, 0)),
            };
            let most = graph.links[path[0]].rate.things_in(duration, smallest, 1, 1);
            Passing { certain: certain.clone(), most: (u64::try_from(most).unwrap_or(u64::MAX), duration) }
        };
        LossContext { direction, chance, flows: graph.flows.iter().map(passing).collect() }
    }
}
