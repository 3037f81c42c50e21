//! Packets that programs outside send and receive.

use longfat_foundation::units::Time;
use longfat_hosts::end_system::End;
use longfat_hosts::outside::Outside;

use super::super::{Drive, Network};
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
