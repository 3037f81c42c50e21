//! A managed port while it is served, with all that its service touches; the one place that accounts for drops.

use longfat_foundation::measure::Fingerprint;
use longfat_foundation::units::Time;
use longfat_network::framing::Packets;
use longfat_network::switch::{Dropped, Next, Port, PortQueue, PortState};

use super::end_systems::{flow_on, observed_flow};
use super::ledger::Ledgers;
use super::policing::Policing;
use super::{Drive, Links};
use crate::observer::{Observer, SlotRun};

/// A port of the kind `P` and its surroundings: parts of the network, borrowed one by one.
pub struct Served<'s, O, P> {
    pub port: &'s mut P,
    pub links: &'s mut Links,
    pub packets: &'s mut Packets,
    /// Cells that the port has dropped and that are not accounted for.
    pub dropped: &'s mut Vec<Dropped>,
    /// Fingerprint of the port.
    pub fingerprint: &'s mut Fingerprint,
    pub policing: Option<&'s mut Policing>,
    /// Number of connections, or of legs.
    pub connections: usize,
    pub reports: Reports<'s, O>,
}

impl<'s, O> Served<'s, O, ()> {
    /// The surroundings, with their port.
    #[inline(always)]
    pub fn at<P>(self, port: &'s mut P) -> Served<'s, O, P> {
        let Self { links, packets, dropped, fingerprint, policing, connections, reports, .. } = self;
        Served { port, links, packets, dropped, fingerprint, policing, connections, reports }
    }
}

impl<O: Observer, Q: PortQueue> Served<'_, O, Port<Q>> {
    /// Accounts for the cells that the port has dropped at `now`, if there are any.
    #[inline]
    pub fn note_dropped<D: Drive>(&mut self, now: Time) {
        if !self.dropped.is_empty() {
            self.note_all_dropped::<D>(now);
        }
    }

    #[inline(never)]
    fn note_all_dropped<D: Drive>(&mut self, now: Time) {
        let Self { port, packets, dropped, fingerprint, policing, connections, reports, .. } = self;
        for &(cell, reason) in dropped.iter() {
            fingerprint.add(now.0);
            fingerprint.add(cell.circuit() as u64);
            reports.observer.cell_dropped(now, reports.port, cell, reason);
            if packets.damage(cell.packet) {
                port.state_mut().count_dropped_packet();
                policing.iter_mut().for_each(|policing| policing.count_dropped(cell));
                let content = &packets.get(cell.packet).content;
                let flow = flow_on(cell.circuit(), content, *connections);
                flow.into_iter().for_each(|flow| reports.ledger.packet_is_dropped(now, flow));
                let flow = observed_flow(cell.circuit(), content, *connections);
                reports.observer.packet_dropped(now, reports.port, flow, cell, content, reason);
            }
            D::forget_dropped(packets, cell);
        }
        dropped.clear();
    }
}

/// The ledger and the observer, for acts of the port with that number.
pub struct Reports<'s, O> {
    pub port: usize,
    pub ledger: &'s mut Ledgers,
    pub observer: &'s mut O,
}

impl<O: Observer> Reports<'_, O> {
    /// The queue of the port may have changed.
    #[inline]
    pub fn of_port(&mut self, now: Time, port: &PortState) {
        self.observer.queue_changed(now, self.port, port);
    }

    /// The port begins to send a cell, or a packet that travels whole, of `bits` bits, or becomes idle; its queue may have changed.
    #[inline]
    pub fn of_service(&mut self, now: Time, port: &PortState, bits: u64) {
        if self.observer.interests().anything
            && let Some(class) = port.sends()
        {
            self.observer.cell_served(now, self.port, class, bits);
        }
        self.of_port(now, port);
    }

    /// Enters into the ledger that a port becomes idle. Returns when it is to be served next; never, if that is not known.
    #[inline]
    pub fn next_service(&mut self, now: Time, next: Next) -> Time {
        match next {
            Next::Sends(time) => time,
            Next::Rests(until) => {
                self.ledger.bottleneck_rests(now, until);
                until.unwrap_or(Time::NEVER)
            }
        }
    }

    /// The port admits a round of `members` cells in each slot of a run; `waiting_before` cells wait before the first.
    #[inline]
    pub fn of_rounds(&mut self, run: &SlotRun, waiting_before: u64, members: u64) {
        self.observer.cells_served(self.port, run);
        self.observer.queue_moved_by_rounds(self.port, run, waiting_before, members);
    }
}
