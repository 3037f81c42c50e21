//! Background traffic: from its sources into the bottleneck's port, and out of the network at the other end of the line.

use longfat_foundation::units::Time;
use longfat_network::framing::{Cell, Content};

use super::Events;
use crate::observer::Observer;
use crate::simulation::network::{Network, OTHER_RANK};

impl<O: Observer> Network<O, Events> {
    /// A background source sends a datagram: all its cells reach the port now.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "circuits are numbered in 27 bits")]
    pub(super) fn emit(&mut self, now: Time, number: usize) {
        let emission = self.driver.backgrounds[number].emit(now);
        match emission.next {
            Some(time) => self.calendar.schedule(self.agenda.background(number), time, OTHER_RANK),
            None => self.calendar.cancel(self.agenda.background(number)),
        }
        let circuit = (self.circuits() + number) as u32;
        let packet = self.packets.insert(Content::Background, emission.cells, emission.bits);
        self.cells_sent += u64::from(emission.cells);
        for index in 0..emission.cells {
            let cell = Cell::new(packet, circuit, index == 0, index + 1 == emission.cells);
            // Where connections are promised a rate, what is promised none exceeds it.
            let cell =
                if self.policing.as_ref().is_some_and(|policing| policing.marks()) { cell.tagged() } else { cell };
            self.enter_port(now, self.bottleneck_port, cell);
        }
    }

    /// A cell of a background has crossed the bottleneck. Where the lines behind it are part of it, it has left before them.
    #[cold]
    pub(super) fn absorb(&mut self, cell: Cell) {
        let line = self.driver.ports[self.bottleneck_port].state().line;
        self.links[line].line.count_left_before_relay(cell);
        let bits = self.bits_of(cell.packet, 1);
        self.ledger.background_crosses(bits);
        self.cells_delivered += 1;
        self.packets.release_cell(cell.packet);
    }
}
