//! Proxies between the legs of a connection: the next leg sends what a leg delivers, and a proxy advertises the room that is left.

use longfat_foundation::units::Time;
use longfat_hosts::end_system::{End, Progress};
use longfat_network::topology::Graph;

use super::flows::Flows;
use super::legs::Numbers;
use super::{Drive, Network, Violation};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// All proxies of a run.
pub struct Relays {
    /// The most bytes that one keeps of a connection in each direction.
    buffer: u64,
    /// For each flow, the largest number of bytes that the proxy at its end has kept; `None` if it ends at a host.
    most_kept: Vec<Option<u64>>,
}

impl Relays {
    /// The proxies of a scenario, for `flows` flows; nothing if it has none.
    pub fn of(scenario: &Scenario, graph: &Graph, flows: usize) -> Option<Box<Self>> {
        let buffer = scenario.split()?.buffer.0;
        let numbers = Numbers::of(graph);
        let most_kept = (0..flows).map(|number| numbers.next(number).map(|_| 0)).collect();
        Some(Box::new(Self { buffer, most_kept }))
    }

    /// The most bytes that the proxy at the end of a flow has kept of it; nothing for a flow that ends at a host.
    pub fn most_kept(&self, number: usize) -> Option<u64> {
        self.most_kept[number]
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.most_kept.as_slice())
    }

    /// Checks that bytes received = bytes passed on at each proxy, and that none kept more than its buffer holds.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn audit(&self, flows: &Flows, numbers: Numbers) -> Result<(), Violation> {
        for (number, most_kept) in self.most_kept.iter().enumerate() {
            let (Some(most_kept), Some(next)) = (most_kept, numbers.next(number)) else { continue };
            if flows.passes_proxies(number) {
                continue;
            }
            let (Some(flow), Some(next)) = (flows.outcome(number), flows.outcome(next)) else { continue };
            super::audit::equal("bytes that a proxy received, and sends", flow.delivered, next.offered)?;
            if *most_kept > self.buffer {
                return Err(Violation(format!("a proxy with room for {} B kept {most_kept} B", self.buffer)));
            }
        }
        Ok(())
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// A packet has reached a proxy at the end of a flow, with data or to open it: the next flow sends what has been `delivered` since the
    /// beginning, and is opened if it has to be. Returns false if there is no next flow.
    pub fn relay(&mut self, now: Time, number: usize, delivered: u64, has_data: bool) -> bool {
        let Some(next) = self.numbers.next(number) else { return false };
        self.note_kept(number);
        // A next leg that is over has had all.
        if !self.flows.is_at_work(next) {
            return true;
        }
        let flow = &mut self.flows[next];
        let offered = flow.ends.progress().offered;
        if delivered > offered {
            flow.started = flow.started.or(Some(now));
        }
        if delivered > offered || (!has_data && offered == 0) {
            self.offer(now, next, End::Near, delivered - offered);
        }
        true
    }

    /// An acknowledgment has reached the sender of a flow at a proxy, which may forget the acknowledged bytes and then has room for more.
    #[inline(never)]
    pub fn tell_of_room(&mut self, now: Time, number: usize) {
        let Some(before) = self.numbers.before(number).filter(|before| self.flows.is_at_work(*before)) else { return };
        let acknowledged = self.acknowledged_by(number);
        let ends = &mut self.flows[before].ends;
        ends.hold(ends.progress().delivered - acknowledged);
        self.act(now, before, End::Far);
    }

    fn acknowledged_by(&self, number: usize) -> u64 {
        if self.flows.is_at_work(number) {
            return self.flows[number].ends.acknowledged();
        }
        // One that is over has delivered all.
        self.flows.outcome(number).map_or(0, |flow| flow.delivered)
    }

    fn note_kept(&mut self, number: usize) {
        let kept = self.kept(number);
        if let Some((kept, most)) = kept.zip(self.most_kept_mut(number)) {
            *most = kept.max(*most);
        }
    }

    /// From now on the most bytes that proxies keep are counted anew.
    pub fn count_kept_anew(&mut self) {
        for number in 0..self.flows.len() {
            let kept = self.kept(number).unwrap_or(0);
            self.most_kept_mut(number).into_iter().for_each(|most| *most = kept);
        }
    }

    /// Bytes that the proxy at the end of a flow keeps of it, if one is there and the flow is at work.
    fn kept(&self, number: usize) -> Option<u64> {
        let next = self.numbers.next(number).filter(|_| !self.flows.passes_proxies(number))?;
        let Progress { delivered, held, .. } = self.flows.get(number)?.ends.progress();
        Some(delivered + held - self.acknowledged_by(next))
    }

    fn most_kept_mut(&mut self, number: usize) -> Option<&mut u64> {
        self.proxies.as_mut()?.most_kept[number].as_mut()
    }
}
