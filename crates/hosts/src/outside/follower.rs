//! Follows the connections of a program by the headers of its packets at one end.

use std::collections::BTreeMap;

use longfat_foundation::units::Time;

use super::connection::Connection;
use super::header::{Address, Header, Transport};
use crate::transport::{ReceivedBytes, SenderStatistics};

/// Most connections that are followed one by one; packets of others are counted as those of UDP are.
const MOST_CONNECTIONS: usize = 10_000;

/// Side of an end on which a packet is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The end sends it.
    Sent,
    /// The end receives it.
    Received,
}

/// Connections of one end: its own address first, then that of the other end.
#[derive(Default)]
pub struct Follower {
    connections: BTreeMap<(Address, Address), Connection>,
    statistics: SenderStatistics,
}

impl Follower {
    /// A packet is sent or received. Returns the bytes that it brings.
    pub fn note(&mut self, now: Time, side: Side, header: &Header) -> ReceivedBytes {
        let key = match side {
            Side::Sent => (header.from, header.to),
            Side::Received => (header.to, header.from),
        };
        if let Transport::Tcp(segment) = header.transport
            && (self.connections.len() < MOST_CONNECTIONS || self.connections.contains_key(&key))
        {
            let connection = self.connections.entry(key).or_insert_with(|| Connection::new(now));
            return match side {
                Side::Sent => {
                    connection.send(now, segment, header.payload, &mut self.statistics);
                    ReceivedBytes::default()
                }
                Side::Received => connection.receive(now, segment, header.payload, &mut self.statistics),
            };
        }
        match side {
            Side::Sent => {
                self.statistics.segments_sent += u64::from(header.payload > 0);
                ReceivedBytes::default()
            }
            Side::Received => ReceivedBytes { new: header.payload, ..ReceivedBytes::default() },
        }
    }

    /// Connections over TCP, with the addresses of this end and of the other.
    pub fn connections(&self) -> impl Iterator<Item = (&Address, &Address, &Connection)> {
        self.connections.iter().map(|((own, other), connection)| (own, other, connection))
    }

    /// The connection between these addresses, that of this end first.
    #[must_use]
    pub fn connection(&self, own: Address, other: Address) -> Option<&Connection> {
        self.connections.get(&(own, other))
    }

    /// Counters of all that this end sends. Reasons of retransmissions are not in headers, so timeouts and fast retransmissions stay 0; the
    /// largest window is the most that was in flight on one connection.
    #[must_use]
    pub fn statistics(&self) -> &SenderStatistics {
        &self.statistics
    }

    /// Restarts peaks and distributions.
    pub fn count_anew(&mut self) {
        self.statistics.count_anew(0.0);
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let each = |connection: &Connection| size_of::<((Address, Address), Connection)>() + connection.memory_bytes();
        self.connections.values().map(each).sum()
    }
}
