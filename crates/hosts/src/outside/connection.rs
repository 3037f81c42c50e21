//! One TCP connection, as its headers show it at one end.

use std::collections::VecDeque;

use longfat_foundation::measure::RoundTrips;
use longfat_foundation::units::Time;

use super::header::Segment;
use super::progress::Progress;
use super::sequence::position;
use crate::transport::ranges::RangeSet;
use crate::transport::{ReceivedBytes, SenderStatistics};

/// Data in flight: their end, when they were sent, and whether they were sent again.
struct InFlight {
    end: u64,
    sent: Time,
    is_sent_again: bool,
}

/// A connection at one end.
pub struct Connection {
    /// When its first packet was seen.
    pub began: Time,
    /// Segments with data sent here.
    pub segments_sent: u64,
    /// Those of them with data that had been sent before.
    pub segments_retransmitted: u64,
    /// Round trips of data sent once (Karn's rule).
    pub round_trips: RoundTrips,
    /// When data last arrived here for the first time.
    pub latest_data: Option<Time>,
    /// Bytes that had arrived before.
    pub duplicate_bytes: u64,
    opening: Option<u32>,
    peers_opening: Option<u32>,
    sent_to: u64,
    acknowledged: u64,
    in_flight: VecDeque<InFlight>,
    arrived: RangeSet,
    progress: Progress,
    /// End of the data of the other end, once its FIN has arrived.
    peers_end: Option<u64>,
}

impl Connection {
    /// A connection of which the first packet is seen now.
    #[must_use]
    pub fn new(now: Time) -> Self {
        Self {
            began: now,
            segments_sent: 0,
            segments_retransmitted: 0,
            round_trips: RoundTrips::default(),
            latest_data: None,
            duplicate_bytes: 0,
            opening: None,
            peers_opening: None,
            sent_to: 0,
            acknowledged: 0,
            in_flight: VecDeque::new(),
            arrived: RangeSet::default(),
            progress: Progress::default(),
            peers_end: None,
        }
    }

    /// Bytes of the other end that have arrived, each counted once.
    #[must_use]
    pub fn received_bytes(&self) -> u64 {
        self.arrived.bytes()
    }

    /// Bytes of this end that are acknowledged.
    #[must_use]
    pub fn acknowledged_bytes(&self) -> u64 {
        self.acknowledged
    }

    /// Times, and bytes that had arrived by then.
    pub fn progress(&self) -> impl Iterator<Item = (Time, u64)> {
        self.progress.points()
    }

    /// When all data of the other end had arrived, if they have.
    #[must_use]
    pub fn finished(&self) -> Option<Time> {
        self.latest_data.filter(|_| self.peers_end == Some(self.arrived.bytes()))
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.arrived.memory_bytes() + self.progress.memory_bytes() + self.in_flight.capacity() * size_of::<InFlight>()
    }

    /// This end sends a segment.
    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    pub fn send(&mut self, now: Time, segment: Segment, length: u64, all: &mut SenderStatistics) {
        if segment.opens {
            all.openings_sent_again += u64::from(self.opening == Some(segment.sequence));
            self.opening = Some(segment.sequence);
        }
        if length == 0 {
            return;
        }
        let opening = *self.opening.get_or_insert(segment.sequence.wrapping_sub(1));
        let first = segment.sequence.wrapping_add(u32::from(segment.opens));
        let begin = position(first, opening, self.sent_to);
        let end = begin + length;
        let is_sent_again = begin < self.sent_to;
        self.segments_sent += 1;
        self.segments_retransmitted += u64::from(is_sent_again);
        all.segments_sent += 1;
        all.segments_retransmitted += u64::from(is_sent_again);
        if is_sent_again {
            let from = self.in_flight.partition_point(|data| data.end <= begin);
            self.in_flight
                .range_mut(from..)
                .take_while(|data| data.end <= end)
                .for_each(|data| data.is_sent_again = true);
        }
        if end > self.sent_to {
            self.sent_to = end;
            self.in_flight.push_back(InFlight { end, sent: now, is_sent_again });
        }
        all.max_cwnd = all.max_cwnd.max((self.sent_to - self.acknowledged) as f64);
    }

    /// A segment reaches this end. Returns the bytes that it brings.
    pub fn receive(&mut self, now: Time, segment: Segment, length: u64, all: &mut SenderStatistics) -> ReceivedBytes {
        if segment.opens {
            self.peers_opening = Some(segment.sequence);
        }
        if let Some(acknowledgment) = segment.acknowledgment {
            self.take_acknowledgment(now, acknowledgment, length == 0 && !segment.opens && !segment.ends, all);
        }
        let opening = *self.peers_opening.get_or_insert(segment.sequence.wrapping_sub(1));
        let first = segment.sequence.wrapping_add(u32::from(segment.opens));
        let begin = position(first, opening, self.arrived.end().unwrap_or(0));
        let new = self.arrived.insert((begin, begin + length));
        if segment.ends {
            self.peers_end = Some(begin + length);
        }
        if new > 0 {
            self.latest_data = Some(now);
            self.progress.note(now, self.arrived.bytes());
        }
        self.duplicate_bytes += length - new;
        ReceivedBytes { new, duplicate: length - new, beyond_hole: 0 }
    }

    fn take_acknowledgment(&mut self, now: Time, number: u32, is_pure: bool, all: &mut SenderStatistics) {
        let Some(opening) = self.opening else { return };
        // A FIN has a number of its own, behind the data.
        let next = position(number, opening, self.acknowledged).min(self.sent_to);
        if next <= self.acknowledged {
            all.duplicate_acknowledgments += u64::from(is_pure && self.sent_to > self.acknowledged);
            return;
        }
        self.acknowledged = next;
        let mut latest = None;
        while self.in_flight.front().is_some_and(|data| data.end <= next) {
            latest = self.in_flight.pop_front();
        }
        if let Some(data) = latest.filter(|data| !data.is_sent_again) {
            self.round_trips.note(now - data.sent);
            all.round_trips.note(now - data.sent);
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::units::Span;

    use super::*;

    fn segment(sequence: u32, acknowledgment: Option<u32>, opens: bool) -> Segment {
        Segment { sequence, acknowledgment, opens, ends: false }
    }

    /// A connection whose first numbers are at the end of their range, opened.
    fn opened(all: &mut SenderStatistics) -> Connection {
        let mut connection = Connection::new(Time(1));
        connection.send(Time(1), segment(u32::MAX - 50, None, true), 0, all);
        connection.receive(Time(2), segment(900, Some(u32::MAX - 49), true), 0, all);
        connection
    }

    /// Sequence number of a position in the data of [`opened`].
    fn number(position: u32) -> u32 {
        (u32::MAX - 49).wrapping_add(position)
    }

    #[test]
    fn data_sent_twice_are_a_retransmission_and_give_no_round_trip() {
        let mut all = SenderStatistics::default();
        let mut connection = opened(&mut all);
        for (time, begin) in [(10, 0), (11, 100), (12, 200)] {
            connection.send(Time(time), segment(number(begin), Some(901), false), 100, &mut all);
        }
        connection.receive(Time(1_000_010), segment(901, Some(number(100)), false), 0, &mut all);
        assert_eq!(connection.round_trips.extremes(), Some((Span(1_000_000), Span(1_000_000))));
        connection.receive(Time(1_000_012), segment(901, Some(number(100)), false), 0, &mut all);
        connection.send(Time(1_000_020), segment(number(100), Some(901), false), 100, &mut all);
        connection.receive(Time(2_000_020), segment(901, Some(number(200)), false), 0, &mut all);
        assert_eq!((connection.round_trips.count, connection.acknowledged_bytes()), (1, 200));
        let SenderStatistics { segments_sent, segments_retransmitted, duplicate_acknowledgments, max_cwnd, .. } = all;
        assert_eq!((segments_sent, segments_retransmitted, duplicate_acknowledgments), (4, 1, 1));
        assert_eq!(max_cwnd, 300.0);
    }

    #[test]
    fn data_are_counted_once_and_all_are_there_when_the_end_is() {
        let mut all = SenderStatistics::default();
        let mut connection = opened(&mut all);
        let brought = |connection: &mut Connection, time, begin: u32, length, ends| {
            let segment = Segment { ends, ..segment(901 + begin, Some(number(0)), false) };
            connection.receive(Time(time), segment, length, &mut SenderStatistics::default())
        };
        assert_eq!(brought(&mut connection, 5, 100, 50, true).new, 50);
        assert_eq!(connection.finished(), None, "the first bytes are missing");
        assert_eq!(brought(&mut connection, 6, 0, 100, false).new, 100);
        let again = brought(&mut connection, 7, 0, 100, false);
        assert_eq!((again.new, again.duplicate), (0, 100));
        assert_eq!((connection.finished(), connection.received_bytes()), (Some(Time(6)), 150));
        assert_eq!(connection.duplicate_bytes, 100);
    }
}
