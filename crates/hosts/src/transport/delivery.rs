//! Delivery rate estimation. Section numbers are those of draft-cheng-iccrg-delivery-rate-estimation-00; names in code font are that
//! draft's variables.

use longfat_foundation::units::{Span, Time};

use super::under_way::{Transmission, UnderWay};
use super::{Acknowledgment, Piece};

/// Rate sample of one acknowledgment (`rs`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Arrival time of the acknowledgment.
    pub now: Time,
    /// Bytes newly acknowledged, cumulatively or selectively.
    pub bytes: u64,
    /// All bytes delivered so far (`C.delivered`).
    pub total: u64,
    /// `total` when the most recently sent of the newly acknowledged segments was sent (`rs.prior_delivered`).
    pub total_when_sent: u64,
    /// Bytes in flight when that segment was sent, including it (`rs.tx_in_flight` of draft-ietf-ccwg-bbr).
    pub in_flight_when_sent: u64,
    /// Bytes marked lost since that segment was sent, for recoveries that mark segments (`rs.lost` of draft-ietf-ccwg-bbr).
    pub lost_since_sent: u64,
    /// Delivery rate in bytes per second; `None` if the sampling interval is shorter than the least round trip.
    pub rate: Option<f64>,
    /// Whether the sender was application-limited when that segment was sent.
    pub is_application_limited: bool,
    /// Round trip of that segment; `None` if it was retransmitted (Karn).
    pub round_trip: Option<Span>,
    /// State of the connection after the acknowledgment.
    pub standing: Standing,
}

/// State of the connection after an acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Bytes in flight before the acknowledgment.
    pub in_flight_before: u64,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// Bytes that this acknowledgment made the recovery mark as lost.
    pub lost: u64,
    /// Whether a loss is being repaired.
    pub is_recovering: bool,
    /// First byte not acknowledged.
    pub unacknowledged: u64,
    /// First byte never sent.
    pub highest: u64,
    /// Earliest time at which pacing lets the next segment go.
    pub departs: Time,
}

/// A segment newly marked as lost, with the counters since it was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// Its first byte.
    pub begin: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Bytes in flight when it was sent, including it.
    pub in_flight_when_sent: u64,
    /// Bytes marked lost since it was sent, including it.
    pub lost_since_sent: u64,
    /// Whether the sender was application-limited when it was sent.
    pub is_application_limited: bool,
    /// All bytes delivered so far.
    pub total: u64,
}

/// State of the connection when a segment or packet was last sent (section 3.1.2): `P.first_sent_time`, `P.delivered_time`, `P.delivered`,
/// `P.is_app_limited`.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    first_sent: Time,
    delivered_time: Time,
    delivered: u64,
    is_application_limited: bool,
    /// Bytes in flight, including this segment, and all bytes marked lost so far.
    in_flight: u64,
    lost: u64,
}

type Sent = Transmission<Departure>;

/// The deliveries of a connection, for a sender that keeps the [`Departure`] of what is under way.
#[derive(Debug, Default)]
pub struct Deliveries {
    delivered: u64,
    delivered_time: Time,
    first_sent: Time,
    /// Segments count as application-limited until this many bytes are delivered (`C.app_limited`).
    limited_until: Option<u64>,
    shortest_round_trip: Option<Span>,
    bytes_sent: u64,
    /// Bytes marked lost, for recoveries that mark segments.
    lost: u64,
}

/// The part of a rate sample that is known before the recovery has handled the acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Bytes newly acknowledged.
    pub bytes: u64,
    latest: Option<Sent>,
}

impl Deliveries {
    /// Marks the connection application-limited until the `in_flight` bytes now under way are delivered (section 3.4).
    pub fn limit(&mut self, in_flight: u64) {
        self.limited_until = Some(self.delivered + in_flight);
    }

    /// Records that `bytes` bytes are sent (section 3.2); `in_flight` bytes include them, and are nothing else if this `is_first`.
    pub fn note_sent(&mut self, now: Time, bytes: u64, in_flight: u64, is_first: bool) -> Departure {
        self.bytes_sent += bytes;
        if is_first {
            self.first_sent = now;
            self.delivered_time = now;
        }
        Departure {
            first_sent: self.first_sent,
            delivered_time: self.delivered_time,
            delivered: self.delivered,
            is_application_limited: self.limited_until.is_some(),
            in_flight,
            lost: self.lost,
        }
    }

    /// Records that `bytes` bytes from `begin` on are lost.
    pub fn note_lost(&mut self, begin: u64, bytes: u64, departure: &Departure) -> LostSegment {
        self.lost += bytes;
        LostSegment {
            begin,
            bytes,
            in_flight_when_sent: departure.in_flight,
            lost_since_sent: self.lost - departure.lost,
            is_application_limited: departure.is_application_limited,
            total: self.delivered,
        }
    }

    /// Updates the counters by what an acknowledgment reports (section 3.3).
    pub fn take_in(&mut self, now: Time, sample: &Sample) {
        if sample.bytes > 0 {
            self.delivered += sample.bytes;
            self.delivered_time = now;
            self.first_sent = sample.latest.map_or(self.first_sent, |latest| latest.sent);
        }
        if self.limited_until.is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        self.shortest_round_trip = [self.shortest_round_trip, sample.round_trip(now)].into_iter().flatten().min();
    }

    /// Round trip of the segment sent last among those that a sample reports, and the bytes delivered since it was sent.
    #[must_use]
    pub fn newest(&self, sample: Sample, now: Time) -> (Option<Span>, u64) {
        (sample.round_trip(now), sample.latest.map_or(0, |latest| self.delivered - latest.note.delivered))
    }

    /// Completes a sample. The interval is the longer of the send and the acknowledgment interval, since either may be compressed
    /// (section 2.1.4); an interval below the least round trip gives no rate.
    #[expect(clippy::cast_precision_loss, reason = "less than 2^53 bytes")]
    #[must_use]
    pub fn delivery(&self, sample: Sample, now: Time, standing: Standing) -> Delivery {
        let interval =
            |latest: Sent| (latest.sent - latest.note.first_sent).max(self.delivered_time - latest.note.delivered_time);
        let rate_since = |latest: Sent| {
            let interval = interval(latest);
            let is_enough = interval > Span::ZERO && self.shortest_round_trip.is_some_and(|least| interval >= least);
            is_enough.then(|| (self.delivered - latest.note.delivered) as f64 / interval.as_seconds())
        };
        Delivery {
            now,
            bytes: sample.bytes,
            total: self.delivered,
            total_when_sent: sample.latest.map_or(0, |latest| latest.note.delivered),
            in_flight_when_sent: sample.latest.map_or(0, |latest| latest.note.in_flight),
            lost_since_sent: sample.latest.map_or(0, |latest| self.lost - latest.note.lost),
            rate: sample.latest.and_then(rate_since),
            is_application_limited: sample.latest.is_some_and(|latest| latest.note.is_application_limited),
            round_trip: sample.round_trip(now),
            standing,
        }
    }
}

impl Sample {
    /// Adds what has arrived.
    pub fn note_arrival(&mut self, sent: &Sent) {
        self.bytes += sent.end - sent.begin;
        if self.latest.is_none_or(|latest| (sent.sent, sent.end) > (latest.sent, latest.end)) {
            self.latest = Some(*sent);
        }
    }

    fn round_trip(&self, now: Time) -> Option<Span> {
        self.latest.filter(|latest| !latest.was_sent_before).map(|latest| now - latest.sent)
    }
}

/// The segments under way and the deliveries of a connection.
#[derive(Debug, Default)]
pub struct DeliveryLog {
    under_way: UnderWay<Departure>,
    deliveries: Deliveries,
}

impl DeliveryLog {
    /// Bytes sent so far, retransmissions included.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.deliveries.bytes_sent
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.under_way.memory_bytes()
    }

    /// [`Deliveries::limit`].
    pub fn limit(&mut self, in_flight: u64) {
        self.deliveries.limit(in_flight);
    }

    /// Records that a piece is sent; `in_flight` bytes include it.
    pub fn note_sent(&mut self, now: Time, piece: Piece, in_flight: u64) {
        let departure = self.deliveries.note_sent(now, piece.length, in_flight, self.under_way.is_empty());
        if self.under_way.is_new(piece) {
            self.under_way.note_new(now, piece, departure);
        } else {
            self.under_way.note_sent(now, piece, departure);
        }
    }

    /// Records that the recovery has marked a piece as lost.
    pub fn note_lost(&mut self, piece: Piece) -> Option<LostSegment> {
        let Some(sent) = self.under_way.from(piece.sequence).next() else {
            self.deliveries.lost += piece.length;
            return None;
        };
        Some(self.deliveries.note_lost(piece.sequence, piece.length, &sent.note))
    }

    /// Updates the counters by an acknowledgment; ignores blocks beyond `highest`.
    pub fn take_in(&mut self, now: Time, acknowledgment: &Acknowledgment, highest: u64) -> Sample {
        let advance = if acknowledgment.blocks.is_empty() { self.under_way.advance(acknowledgment.next) } else { None };
        let mut sample = Sample::default();
        if let Some((first, last)) = advance {
            sample = Sample { bytes: last.end - first.begin, latest: Some(last) };
        } else {
            self.under_way.take_in(acknowledgment, highest, |sent| sample.note_arrival(sent));
        }
        self.deliveries.take_in(now, &sample);
        sample
    }

    /// [`Deliveries::newest`].
    #[must_use]
    pub fn newest(&self, sample: Sample, now: Time) -> (Option<Span>, u64) {
        self.deliveries.newest(sample, now)
    }

    /// [`Deliveries::delivery`].
    #[must_use]
    pub fn delivery(&self, sample: Sample, now: Time, standing: Standing) -> Delivery {
        self.deliveries.delivery(sample, now, standing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    fn piece(number: u64) -> Piece {
        Piece { sequence: 100 * number, length: 100 }
    }

    fn report(log: &mut DeliveryLog, now: Time, next: u64, blocks: &[(u64, u64)]) -> Delivery {
        let blocks = blocks.iter().map(|&(begin, end)| (100 * begin, 100 * end)).collect();
        let acknowledgment = Acknowledgment { next: 100 * next, blocks, ..Acknowledgment::default() };
        let sample = log.take_in(now, &acknowledgment, 10_000);
        log.delivery(sample, now, Standing::default())
    }

    /// Segments go every 10 ms over a round trip of 40 ms.
    #[test]
    fn a_sample_is_what_was_delivered_since_its_segment_was_sent() {
        let mut log = DeliveryLog::default();
        (0..4).for_each(|number| log.note_sent(ms(10 * number), piece(number), 0));
        let first = report(&mut log, ms(40), 1, &[]);
        // 100 bytes in the 40 ms between its sending and its acknowledgment.
        assert_eq!((first.bytes, first.total, first.rate), (100, 100, Some(2500.0)));
        assert_eq!(first.round_trip, Some(Span::from_microseconds(40_000)));
        log.note_sent(ms(40), piece(4), 0);
        report(&mut log, ms(50), 2, &[]);
        report(&mut log, ms(60), 3, &[]);
        report(&mut log, ms(70), 4, &[]);
        let steady = report(&mut log, ms(80), 5, &[]);
        // When segment 4 was sent 100 bytes had been delivered, at 40 ms: 400 more in 40 ms are 10 segments each 100 ms.
        assert_eq!((steady.total_when_sent, steady.rate), (100, Some(10_000.0)));
    }

    #[test]
    fn what_blocks_report_is_delivered_once_and_what_was_sent_again_has_no_round_trip() {
        let mut log = DeliveryLog::default();
        (0..4).for_each(|number| log.note_sent(ms(number), piece(number), 0));
        assert_eq!(report(&mut log, ms(41), 0, &[(1, 2)]).bytes, 100);
        assert_eq!(report(&mut log, ms(43), 0, &[(1, 4)]).bytes, 200);
        log.note_sent(ms(43), piece(0), 0);
        let repaired = report(&mut log, ms(83), 4, &[]);
        assert_eq!((repaired.bytes, repaired.total, repaired.round_trip), (100, 400, None));
    }

    #[test]
    fn segments_sent_while_the_application_lacks_data_say_so_until_they_are_delivered() {
        let mut log = DeliveryLog::default();
        log.note_sent(ms(0), piece(0), 0);
        log.limit(100);
        log.note_sent(ms(10), piece(1), 0);
        assert!(!report(&mut log, ms(40), 1, &[]).is_application_limited, "it was sent before");
        assert!(report(&mut log, ms(50), 2, &[]).is_application_limited);
        log.note_sent(ms(60), piece(2), 0);
        assert!(!report(&mut log, ms(100), 3, &[]).is_application_limited, "more than the limit was delivered");
    }
}
