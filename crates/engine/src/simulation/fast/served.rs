//! The port that the fast driver serves, with all that serving it touches.

use longfat_foundation::measure::Fingerprint;
use longfat_foundation::units::Time;
use longfat_network::framing::Packets;
use longfat_network::switch::{Dropped, Next, Port};

use crate::observer::{Observer, SlotRun};
use crate::simulation::end_systems::flow_on;
use crate::simulation::ledger::{Books, Happening};
use crate::simulation::{Links, note_drop};

/// The port and its surroundings: parts of the simulation, borrowed one by one.
pub(super) struct Served<'s, O> {
    pub port: &'s mut Port,
    pub links: &'s mut Links,
    pub packets: &'s mut Packets,
    /// What the port has dropped and nobody has taken note of.
    pub dropped: &'s mut Vec<Dropped>,
    /// Of the port.
    pub fingerprint: &'s mut Fingerprint,
    pub connections: usize,
    pub told: Told<'s, O>,
}

impl<O: Observer> Served<'_, O> {
    /// Takes note of what the port has dropped, if that is anything.
    #[inline]
    pub fn note_dropped(&mut self, now: Time) {
        if !self.dropped.is_empty() {
            self.note_all_dropped(now);
        }
    }

    fn note_all_dropped(&mut self, now: Time) {
        let Self { port, packets, dropped, fingerprint, connections, told, .. } = self;
        for &(cell, reason) in dropped.iter() {
            note_drop(now, cell, fingerprint);
            told.observer.cell_dropped(now, told.port, cell, reason);
            if packets.damage(cell.packet) {
                port.count_dropped_packet();
                let content = &packets.get(cell.packet).content;
                if let Some(flow) = flow_on(cell.circuit(), content, *connections) {
                    told.books.packet_is_given_up_at_bottleneck(now, flow);
                    told.observer.packet_dropped(now, told.port, flow, cell, content, reason);
                }
            }
            if cell.is_last() {
                packets.take_out(cell.packet);
            }
        }
        dropped.clear();
    }
}

/// Who is told of what happens at the port with that number.
pub(super) struct Told<'s, O> {
    pub port: usize,
    pub books: &'s mut Books,
    pub observer: &'s mut O,
}

impl<O: Observer> Told<'_, O> {
    /// What waits at the port may have changed.
    #[inline]
    pub fn of_port(&mut self, now: Time, port: &Port) {
        self.observer.queue_changed(now, self.port, port);
    }

    /// The port begins to send a cell, or a packet that travels whole, of so many bits, or rests; what waits may have changed.
    #[inline]
    pub fn of_service(&mut self, now: Time, port: &Port, bits: u64) {
        if self.observer.interests().anything
            && let Some(class) = port.sends()
        {
            self.observer.cell_served(now, self.port, class, bits);
        }
        self.of_port(now, port);
    }

    /// The port has said what it does next: when it serves again; never, if it has nothing to do.
    #[inline]
    pub fn next_service(&mut self, now: Time, next: Next) -> Time {
        match next {
            Next::Sends(time) => time,
            Next::Rests(until) => {
                self.books.note_at_bottleneck(now, Happening::Rests(until));
                until.unwrap_or(Time::NEVER)
            }
        }
    }

    /// Rounds of so many cells are let in, one in each slot of a run, and so many cells wait before them.
    #[inline]
    pub fn of_rounds(&mut self, run: &SlotRun, waiting_before: u64, members: u64) {
        self.observer.cells_served(self.port, run);
        self.observer.queue_moved_by_rounds(self.port, run, waiting_before, members);
    }
}
