//! Capacity that is asked for: the frames in which a port asks, and packets that wait for an answer while they are sent.

use longfat_foundation::units::Time;

use super::Events;
use crate::observer::Observer;
use crate::simulation::network::{Network, OTHER_RANK, SERVICE_RANK};

impl<O: Observer> Network<O, Events> {
    /// A frame begins: the port asks for what waits there.
    #[cold]
    pub(super) fn begin_frame(&mut self, now: Time, number: usize) {
        let port = &self.driver.ports[number];
        let mut bits_waiting = 0;
        port.visit_cells(|packet, _, _| bits_waiting += self.packets.get(packet.packet).bits);
        if let Some(grants) = self.links[port.state().line].line.grants_mut() {
            grants.begin_frame(now, bits_waiting);
            let next = now.saturating_add(grants.frame());
            self.calendar.schedule(self.agenda.frames(number), next, OTHER_RANK);
        }
    }

    /// All is over that was granted when a packet began to be sent, or went on: now more is known.
    #[cold]
    pub(super) fn go_on_sending(&mut self, port: usize) {
        let state = self.driver.ports[port].state_mut();
        let number = state.line;
        let line = &mut self.links[number].line;
        let idle = line.is_empty();
        let free = line.go_on();
        state.sends_until(free);
        self.calendar.schedule(self.agenda.port(port), free.time, SERVICE_RANK);
        if idle {
            self.watch_line(number);
        }
    }
}
