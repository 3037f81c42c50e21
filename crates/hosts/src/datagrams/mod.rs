//! Datagrams: a transport that sends what the application writes, one datagram a write (UDP, RFC 768), and what its receiving end measures.

mod ends;
mod jitter;
mod reordering;

pub use ends::plain;
pub use jitter::Jitter;
pub use reordering::{Arrival, Reordering};

use longfat_foundation::measure::{Histogram, RoundTrips};
use longfat_foundation::units::Span;

/// Largest amount of data in a datagram: the 16-bit total length of an IP packet, less 20 bytes of IP header and 8 of UDP header (RFC 768).
pub const LARGEST_DATAGRAM_BYTES: u64 = 65_507;

/// Measurements of the datagrams of one connection, made where they arrive.
#[derive(Clone, Default)]
pub struct Reception {
    /// Datagrams that have arrived, each counted once, and their bytes.
    pub received: u64,
    /// Bytes of data of those.
    pub bytes: u64,
    /// Copies of datagrams that had arrived before.
    pub duplicates: u64,
    /// One-way delays, from the transmission to the arrival of the last bit, as sum and extremes and as histogram.
    pub delay: RoundTrips,
    /// Distribution of the same delays.
    pub delays: Histogram,
    /// Variation of the delay.
    pub jitter: Jitter,
    /// Order of arrival.
    pub reordering: Reordering,
}

impl Reception {
    /// Datagram number `sequence` with `length` bytes arrives `delay` after it was sent. Returns false for one that had arrived before, which
    /// is not measured.
    pub fn receive(&mut self, sequence: u64, length: u64, delay: Span) -> bool {
        if self.reordering.receive(sequence) == Arrival::Duplicate {
            self.duplicates += 1;
            return false;
        }
        self.received += 1;
        self.bytes += length;
        self.delay.note(delay);
        self.delays.record(delay);
        self.jitter.receive(delay);
        true
    }

    /// Restarts peaks and distributions. Counters and estimators go on.
    pub fn count_anew(&mut self) {
        self.delay.count_anew();
        self.delays = Histogram::default();
        self.jitter.count_anew();
        self.reordering.count_anew();
    }

    /// The difference to `earlier`, at which peaks and distributions were restarted.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            received: self.received - earlier.received,
            bytes: self.bytes - earlier.bytes,
            duplicates: self.duplicates - earlier.duplicates,
            delay: self.delay.since(&earlier.delay),
            reordering: self.reordering.since(&earlier.reordering),
            ..self.clone()
        }
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.reordering.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn milliseconds(number: u64) -> Span {
        Span(number * 1_000_000_000)
    }

    #[test]
    fn a_copy_is_counted_and_not_measured() {
        let mut reception = Reception::default();
        assert!(reception.receive(0, 100, milliseconds(10)));
        assert!(!reception.receive(0, 100, milliseconds(90)));
        assert!(reception.receive(1, 50, milliseconds(20)));
        assert_eq!((reception.received, reception.bytes, reception.duplicates), (2, 150, 1));
        assert_eq!(reception.delay.mean_seconds(), Some(0.015));
        assert_eq!(reception.delays.count(), 2);
    }

    #[test]
    fn what_is_measured_from_a_time_on_is_what_arrives_then() {
        let mut reception = Reception::default();
        [2, 0, 3].into_iter().for_each(|sequence| _ = reception.receive(sequence, 10, milliseconds(50)));
        let earlier = reception.clone();
        reception.count_anew();
        [5, 1].into_iter().for_each(|sequence| _ = reception.receive(sequence, 10, milliseconds(30)));
        let since = reception.since(&earlier);
        assert_eq!((since.received, since.bytes), (2, 20));
        assert_eq!(since.delay.extremes(), Some((milliseconds(30), milliseconds(30))));
        // Datagram 1 was overtaken by 2, 3 and 5 and is the fifth to arrive; 2 was the first that overtook it.
        assert_eq!((since.reordering.reordered, since.reordering.max_extent), (1, 4));
    }
}
