//! A run whose time somebody else advances, with packets of programs outside: by events, since nobody knows what they will send.

use longfat_foundation::units::Time;
use longfat_hosts::outside::Outside;

use super::network::{Drive, End};
use super::{Run, Simulation};
use crate::observer::Observer;

impl<O: Observer> Simulation<O> {
    /// A program sends an IP packet at one end of a connection, at a time before which all has been [simulated](Self::advance). Returns false
    /// for what is no IP packet, and for a run that is not by events.
    pub fn send_from_outside(&mut self, now: Time, connection: usize, end: End, packet: Vec<u8>) -> bool {
        match &mut self.0 {
            Run::Events(network) => network.send_from_outside(now, connection, end, packet),
            Run::Fast(_) => false,
        }
    }

    /// The end of a connection that a program outside has, with the packets that have arrived there.
    pub fn outside(&mut self, connection: usize, end: End) -> Option<&mut Outside> {
        match &mut self.0 {
            Run::Events(network) => network.outside(connection, end),
            Run::Fast(_) => None,
        }
    }

    /// Nothing reaches a program before this time, unless one sends something meanwhile.
    #[must_use]
    pub fn nothing_arrives_before(&self) -> Time {
        match &self.0 {
            Run::Events(network) => network.nothing_arrives_before(),
            Run::Fast(_) => self.now(),
        }
    }

    /// Ends the run at `now`, before which all has been simulated, if it does not end earlier.
    pub fn end_at(&mut self, now: Time) {
        if let Run::Events(network) = &mut self.0 {
            network.end = network.end.min(now);
        }
    }

    /// Cells, or packets that travel whole, in the buffers of the managed ports.
    #[must_use]
    pub fn queues(&self) -> Vec<u64> {
        match &self.0 {
            Run::Events(network) => network.driver.ports().map(|port| port.state().occupancy().total()).collect(),
            Run::Fast(_) => Vec::new(),
        }
    }
}
