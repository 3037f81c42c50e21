//! Capacity that is asked for: the frames in which ports ask, and packets that wait for an answer while they are sent.

use longfat_foundation::units::Time;
use longfat_network::capacity::{Grants, Lines};

use super::Events;
use crate::observer::Observer;
use crate::simulation::network::{Asking, Links, Network, OTHER_RANK, SERVICE_RANK};

/// The lines of the terminals of a return link.
struct TerminalLines<'l> {
    links: &'l mut Links,
    numbers: &'l [usize],
}

impl Lines for TerminalLines<'_> {
    fn grants(&mut self, terminal: usize) -> &mut Grants {
        self.links[self.numbers[terminal]].line.grants_mut().expect("a terminal asks for capacity")
    }
}

impl<O: Observer> Network<O, Events> {
    /// A frame begins: ports ask for what waits there.
    #[cold]
    pub(super) fn begin_frame(&mut self, now: Time, number: usize) {
        let Events { ports, asking, .. } = &mut self.driver;
        let Asking { ports: asking_ports, lines, link, bits_waiting } = &mut asking[number];
        for (&port, bits) in asking_ports.iter().zip(bits_waiting.iter_mut()) {
            *bits = 0;
            ports[port].visit_cells(|packet, _, _| *bits += self.packets.get(packet.packet).bits);
        }
        let mut lines = TerminalLines { links: &mut self.links, numbers: lines };
        let frame = if let Some(link) = link {
            link.begin_frame(now, bits_waiting, &mut lines);
            link.frame()
        } else {
            let grants = lines.grants(0);
            grants.begin_frame(now, bits_waiting[0]);
            grants.frame()
        };
        for (place, &port) in asking_ports.iter().enumerate() {
            self.observer.granted(now, port, &lines.grants(place).current());
        }
        self.calendar.schedule(self.agenda.frames(number), now.saturating_add(frame), OTHER_RANK);
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
