//! Split connections: legs and their circuits.

use std::ops::RangeInclusive;
use std::sync::Arc;

use longfat_foundation::units::Span;

use super::{Flow, Graph, NodeName};

/// Leg of a connection that is split at both ends of the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// Between the proxies, over the bottleneck; the whole connection if it is not split.
    Bottleneck,
    /// Between the sender and the proxy before the bottleneck.
    Near,
    /// Between the proxy behind the bottleneck and the receiver.
    Far,
}

impl Leg {
    /// Order in which circuits and flows are numbered: those over the bottleneck have the same numbers as without proxies.
    pub const ALL: [Self; 3] = [Self::Bottleneck, Self::Near, Self::Far];

    /// Order along the path of the data.
    pub const IN_ORDER: [Self; 3] = [Self::Near, Self::Bottleneck, Self::Far];

    /// Name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Near => "source to proxy",
            Self::Bottleneck => "proxy to proxy",
            Self::Far => "proxy to destination",
        }
    }
}

/// Numbers of links of the first leg, and of the first two, on the path of a split connection's data and on that of its acknowledgments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cuts {
    there: [usize; 2],
    back: [usize; 2],
}

/// Where a connection crosses the bottleneck: the links between its proxies on its two paths, and the switches of the proxies in the order
/// of its data.
struct Crossing {
    there: RangeInclusive<usize>,
    back: RangeInclusive<usize>,
    near: usize,
    far: usize,
}

impl Graph {
    /// Splits every connection at both ends of the bottleneck's link, which data may cross in either direction. An end that is a relay is
    /// passed: the proxy stands at the next switch.
    ///
    /// Where each sender has lines of its own straight to these switches, as N sources have, its proxies stand in these lines: each is a
    /// host, whose line to the switch is like the sender's (or the receiver's) without its delay. Otherwise each stands at its switch, at
    /// the end of a line without delay that is as fast as the line by which the data come there, or go on.
    ///
    /// # Errors
    /// Index of a connection of which data or acknowledgments do not cross the link between switches.
    pub fn split_by_proxies(&mut self) -> Result<(), usize> {
        let crossings =
            (0..self.flows.len()).map(|number| self.crossing(number).ok_or(number)).collect::<Result<Vec<_>, _>>()?;
        let has_own_lines = self.has_own_lines();
        let mut flows = std::mem::take(&mut self.flows);
        for (flow, crossing) in flows.iter_mut().zip(&crossings) {
            if has_own_lines { self.split_within_lines(flow) } else { self.split_at_switches(flow, crossing) }
        }
        self.flows = flows;
        self.is_split = true;
        Ok(())
    }

    fn crossing(&self, number: usize) -> Option<Crossing> {
        let flow = &self.flows[number];
        let bottleneck = self.bottleneck_number()?;
        // The two lines of a link are adjacent.
        let there = flow.forward.iter().position(|&line| line == bottleneck || line == bottleneck ^ 1)?;
        let back = flow.backward.iter().position(|&line| line == flow.forward[there] ^ 1)?;
        let (there, back) = (self.between_proxies(&flow.forward, there), self.between_proxies(&flow.backward, back));
        let (near, far) = (self.links[flow.forward[*there.start()]].from, self.links[flow.forward[*there.end()]].to);
        let are_switches = !self.nodes[near].is_host && !self.nodes[far].is_host;
        are_switches.then_some(Crossing { there, back, near, far })
    }

    /// Places of the links between proxies on a path that crosses the bottleneck at this place.
    fn between_proxies(&self, path: &[usize], place: usize) -> RangeInclusive<usize> {
        let is_relay = |node: usize| self.relay == Some(node);
        let link = &self.links[path[place]];
        let (before, behind) = (usize::from(is_relay(link.from)), usize::from(is_relay(link.to)));
        place - before..=place + behind
    }

    /// Whether the paths of each sender have three links, the first and the last of which no other sender's have, and no managed port.
    fn has_own_lines(&self) -> bool {
        let mut ends: Vec<usize> = Vec::with_capacity(2 * self.flows.len());
        for flow in &self.flows {
            let [first, _, last] = flow.forward[..] else { return false };
            if flow.backward[..] != [last ^ 1, flow.forward[1] ^ 1, first ^ 1] {
                return false;
            }
            if [first, first ^ 1, last, last ^ 1].iter().any(|&line| self.links[line].managed) {
                return false;
            }
            ends.extend([first & !1, last & !1]);
        }
        ends.sort_unstable();
        ends.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn add_proxies(&mut self, flow: &Flow) -> (usize, usize) {
        let number = flow.sender as u64 + 1;
        let near = self.add_node(NodeName::numbered("near proxy", number), true);
        (near, self.add_node(NodeName::numbered("far proxy", number), true))
    }

    fn split_within_lines(&mut self, flow: &mut Flow) {
        let [up, bottleneck, down] = flow.forward[..] else { return };
        let (near, far) = self.add_proxies(flow);
        // They are still called what they are called without proxies.
        for line in [up, up ^ 1, down, down ^ 1] {
            self.links[line].name = Some(self.link_name(line).into());
        }
        let rates = |line: usize| (self.links[line].rate, self.links[line ^ 1].rate);
        let (rates_up, rates_down) = (rates(up), rates(down));
        let (near_switch, far_switch) = (self.links[up].to, self.links[down].from);
        let inward = self.join(near, near_switch, rates_up, (Span::ZERO, Span::ZERO));
        let outward = self.join(far_switch, far, rates_down, (Span::ZERO, Span::ZERO));
        (self.links[up].to, self.links[up ^ 1].from) = (near, near);
        (self.links[down].from, self.links[down ^ 1].to) = (far, far);
        flow.forward = Arc::new([up, inward, bottleneck, outward, down]);
        flow.backward = Arc::new([down ^ 1, outward + 1, bottleneck ^ 1, inward + 1, up ^ 1]);
        flow.cuts = Cuts { there: [1, 4], back: [1, 4] };
    }

    fn split_at_switches(&mut self, flow: &mut Flow, crossing: &Crossing) {
        let (near, far) = self.add_proxies(flow);
        let Crossing { ref there, ref back, near: near_switch, far: far_switch } = *crossing;
        let mut spur = |proxy: usize, switch: usize, line: usize| {
            let rate = self.links[line].rate.max(self.links[line ^ 1].rate);
            self.join(proxy, switch, (rate, rate), (Span::ZERO, Span::ZERO))
        };
        let from_near = spur(near, near_switch, flow.forward[there.start() - 1]);
        let from_far = spur(far, far_switch, flow.forward[there.end() + 1]);
        let through = |path: &[usize], between: &RangeInclusive<usize>, first: usize, second: usize| {
            let mut through = path[..*between.start()].to_vec();
            // Into the first proxy and out of it, and likewise behind the bottleneck.
            through.extend([first + 1, first]);
            through.extend(&path[between.clone()]);
            through.extend([second + 1, second]);
            through.extend(&path[between.end() + 1..]);
            Arc::<[usize]>::from(through)
        };
        flow.forward = through(&flow.forward, there, from_near, from_far);
        flow.backward = through(&flow.backward, back, from_far, from_near);
        let cuts = |between: &RangeInclusive<usize>| [between.start() + 1, between.end() + 4];
        flow.cuts = Cuts { there: cuts(there), back: cuts(back) };
    }

    /// Number of legs of each connection.
    #[must_use]
    pub fn legs(&self) -> usize {
        if self.is_split { Leg::ALL.len() } else { 1 }
    }

    /// Number of circuits: two for each leg of each connection, there and back. Of n connections, connection c has circuits 2c and 2c + 1
    /// over the bottleneck; those of all near legs follow, then those of all far legs.
    #[must_use]
    pub fn circuits(&self) -> usize {
        2 * self.flows.len() * self.legs()
    }

    /// Links of a circuit in order; `None` if it belongs to no connection.
    #[must_use]
    pub fn links_of_circuit(&self, circuit: usize) -> Option<&[usize]> {
        let (pair, is_there) = (circuit / 2, circuit.is_multiple_of(2));
        let connections = self.flows.len();
        if pair >= connections * self.legs() {
            return None;
        }
        let flow = &self.flows[pair % connections];
        let path = if is_there { &flow.forward } else { &flow.backward };
        if !self.is_split {
            return Some(path);
        }
        let [first, second] = if is_there { flow.cuts.there } else { flow.cuts.back };
        Some(match (Leg::ALL[pair / connections], is_there) {
            (Leg::Bottleneck, _) => &path[first..second],
            (Leg::Near, true) | (Leg::Far, false) => &path[..first],
            (Leg::Far, true) | (Leg::Near, false) => &path[second..],
        })
    }
}
