//! Contexts of a scenario's loss models.

use longfat_network::loss::{LossContext, Passing};
use longfat_network::topology::{Flow, Graph};

use super::lines::place_of;
use super::objections::Objection;
use super::{LineSettings, Scenario};

impl Scenario {
    /// Place at which packets of a line are lost, with the traffic that passes it.
    #[must_use]
    pub fn loss_context(&self, graph: &Graph, number: usize) -> LossContext {
        let framing = self.framing.build(&());
        let (duration, senders) = (self.duration.0, graph.senders());
        // Lost segments are retransmitted, so these are a lower bound; receivers may send fewer acknowledgments.
        let certain = |sender: usize| {
            let mss = self.tcp_of(sender).mss.0;
            if self.stack_of(sender).is_some() {
                return None;
            }
            let segments = self.source(sender, senders).segments(mss)?;
            Some((segments, format!("{segments} segments of {mss} B")))
        };
        let has_requests = self.has_requests(senders);
        let passing = |flow: &Flow| {
            let passes = |path: &[usize]| path.contains(&number);
            let most = |path: &[usize], smallest| {
                let most = graph.links[path[0]].rate.things_in(duration, smallest, 1, 1);
                if passes(path) { u64::try_from(most).unwrap_or(u64::MAX) } else { 0 }
            };
            // Where receivers ask, acknowledgments and data go either way.
            let of_data = if has_requests { 0 } else { 1 };
            let uses_udp = !self.uses_tcp(flow.sender, senders);
            let datagram = if uses_udp { framing.datagram(1).1 } else { u64::MAX };
            let (there, back) = (&flow.forward, &flow.backward);
            let most = most(there, framing.bits(of_data, 0).min(datagram))
                .saturating_add(most(back, framing.bits(0, 0).min(datagram)));
            Passing { certain: certain(flow.sender).filter(|_| passes(there) && !passes(back)), most: (most, duration) }
        };
        LossContext {
            place: place_of(graph, number),
            chance: self.chance(),
            flows: graph.flows.iter().map(passing).collect(),
            duration,
        }
    }

    pub(super) fn object_to_losses(&self, graph: &Graph, lines: &[LineSettings]) -> Vec<Objection> {
        let of_line = |line: &LineSettings| {
            let loss = line.loss.as_ref()?;
            Some(loss.objections(&self.loss_context(graph, line.number)))
        };
        lines.iter().filter_map(of_line).flatten().collect()
    }
}
