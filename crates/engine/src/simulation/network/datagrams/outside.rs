//! Packets that programs outside send and receive.

use longfat_foundation::units::Time;
use longfat_hosts::end_system::End;
use longfat_hosts::outside::Outside;

use super::super::{Drive, LineEnd, Network};
use crate::observer::Observer;

impl<O: Observer, D: Drive> Network<O, D> {
    /// True if programs outside send the packets of a connection.
    pub fn is_outside(&self, connection: usize) -> bool {
        self.flows.stacks.get(connection).and_then(Option::as_ref).is_some_and(|flow| flow.ends.is_outside)
    }

    /// The end of a connection that a program outside has.
    pub fn outside(&mut self, connection: usize, end: End) -> Option<&mut Outside> {
        self.flows.stack_mut(connection)?.ends.ends[end as usize].outside()
    }

    /// Nothing reaches a program before this time, unless one sends something meanwhile. The arrival at the end of a line is known once a packet
    /// is on it; a packet that is not yet on the last line of its way gets there by an event, and takes the delay of the line then.
    pub fn nothing_arrives_before(&self) -> Time {
        let next = self.calendar.first().0;
        let connections = (0..self.flows.stacks.len()).filter(|&connection| self.is_outside(connection));
        let circuits = connections.flat_map(|connection| {
            let (there, _) = self.numbers.circuits(self.numbers.first(connection, false));
            let (_, back) = self.numbers.circuits(self.numbers.last(connection, false));
            [there, back]
        });
        circuits.map(|circuit| self.nothing_leaves_before(circuit, next)).min().unwrap_or(next)
    }

    /// [`nothing_arrives_before`](Self::nothing_arrives_before) at the end of a circuit; the time of the next event where the last line may
    /// change, or does not lead to the host by itself.
    fn nothing_leaves_before(&self, circuit: usize, next: Time) -> Time {
        let last = self.graph.links_of_circuit(circuit).and_then(|lines| lines.last());
        let Some(link) = last.and_then(|&line| self.links.get(line)) else { return next };
        match link.line.least_latency() {
            Some(latency) if matches!(link.end, LineEnd::Host) => {
                link.line.next_arrival().unwrap_or(next.saturating_add(latency))
            }
            _ => next,
        }
    }

    /// A program outside sends an IP packet, which begins the connection if it is the first. Returns false for what is no IP packet.
    pub fn send_from_outside(&mut self, now: Time, connection: usize, end: End, packet: Vec<u8>) -> bool {
        self.begin_connection(now, connection);
        let is_sent = self.outside(connection, end).is_some_and(|outside| outside.send(now, packet));
        if let Some(flow) = self.flows.stack_mut(connection).filter(|_| is_sent) {
            flow.started = flow.started.or(Some(now));
        }
        self.act(now, connection, end);
        is_sent
    }
}
