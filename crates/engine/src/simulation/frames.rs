//! Capacity that is asked for: the frames in which the bottleneck's port asks, and packets that wait for an answer while they are sent.

use longfat_foundation::measure::PortRecord;
use longfat_foundation::units::Time;
use longfat_network::topology::Graph;

use super::{OTHER_RANK, SERVICE_RANK, Simulation};
use crate::observer::Observer;

impl<O: Observer> Simulation<O> {
    /// A frame begins: the port asks for what waits there.
    #[cold]
    pub(super) fn begin_frame(&mut self, now: Time) {
        let port = &self.ports[self.bottleneck_port];
        let mut bits_waiting = 0;
        port.visit_cells(|packet, _, _| bits_waiting += self.packets.get(packet.packet).bits);
        if let Some(grants) = self.links[port.line].line.grants_mut() {
            grants.begin_frame(now, bits_waiting);
            let next = now.saturating_add(grants.frame());
            self.calendar.schedule(self.agenda.frames(), next, OTHER_RANK);
        }
    }

    /// All is over that was granted when a packet began to be sent, or went on: now more is known.
    #[cold]
    pub(super) fn go_on_sending(&mut self, port: usize) {
        let number = self.ports[port].line;
        let line = &mut self.links[number].line;
        let idle = line.is_empty();
        let free = line.go_on();
        self.ports[port].sends_until(free);
        self.calendar.schedule(self.agenda.port(port), free.time, SERVICE_RANK);
        if idle {
            self.watch_line(number);
        }
    }

    /// Bits of capacity that were granted at the bottleneck by `now`, since the beginning, if they had to be.
    pub(super) fn granted_bits(&self, now: Time) -> Option<f64> {
        let port = self.ports.get(self.bottleneck_port)?;
        Some(self.links[port.line].line.grants()?.granted_bits(now))
    }

    /// The same of the time that is measured.
    pub(super) fn granted_bits_measured(&self) -> Option<f64> {
        let before = self.before.as_ref().and_then(|before| before.granted_bits);
        Some(self.granted_bits(self.end)? - before.unwrap_or(0.0))
    }

    /// The share of the granted capacity that was used.
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub(super) fn granted_capacity_used(&self, graph: &Graph, ports: &[PortRecord]) -> Option<f64> {
        let granted = self.granted_bits_measured().filter(|bits| *bits > 0.0)?;
        let rate = graph.bottleneck()?.rate.0 as f64;
        Some(ports.get(self.bottleneck_port)?.utilization * self.seconds() * rate / granted)
    }
}
