//! Packets that were sent in one packet number space: which have arrived, and which are lost (RFC 9002 appendices A.7 and A.10).

use std::collections::BTreeMap;

use longfat_foundation::units::{Span, Time};

use super::frame::Frame;
use super::packet::Kind;
use crate::transport::Departure;
use crate::transport::ranges::Range;

/// A packet that was sent and neither acknowledged nor taken for lost.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its kind.
    pub kind: Kind,
    /// When.
    pub time: Time,
    /// Its size.
    pub bytes: u64,
    /// True if it must be acknowledged.
    pub is_eliciting: bool,
    /// Where it begins in the sequence of all bytes in flight that were ever sent, and the counters then; `None` if it does not count as in
    /// flight: it carries nothing but acknowledgments.
    pub in_flight: Option<(u64, Departure)>,
    /// Its frames without padding and acknowledgments.
    pub frames: Vec<Frame>,
    /// Largest packet number that it acknowledges.
    pub acknowledges: Option<u64>,
    /// True if a probe carries its frames too.
    pub was_probed: bool,
    /// True if it went with an ECN codepoint.
    pub is_capable: bool,
}

impl Sent {
    /// Its bytes in flight.
    #[must_use]
    pub fn bytes_in_flight(&self) -> u64 {
        if self.in_flight.is_some() { self.bytes } else { 0 }
    }
}

/// A packet with its number.
pub type Numbered = (u64, Sent);

/// The packets of one space.
#[derive(Debug, Default)]
pub struct SentPackets {
    packets: BTreeMap<u64, Sent>,
    /// Those of them that must be acknowledged.
    eliciting: u64,
    /// Largest packet number acknowledged.
    pub largest_acknowledged: Option<u64>,
    /// When the last packet that must be acknowledged was sent.
    pub last_eliciting: Option<Time>,
    /// When the next packet is lost if nothing arrives.
    pub loss_time: Option<Time>,
}

impl SentPackets {
    /// True if a packet that must be acknowledged is under way.
    #[must_use]
    pub fn has_eliciting(&self) -> bool {
        self.eliciting > 0
    }

    /// Bytes in flight.
    #[must_use]
    pub fn bytes_in_flight(&self) -> u64 {
        self.packets.values().map(Sent::bytes_in_flight).sum()
    }

    /// Where the first packet in flight begins.
    #[must_use]
    pub fn first_in_flight(&self) -> Option<u64> {
        self.packets.values().find_map(|sent| sent.in_flight.map(|(begin, _)| begin))
    }

    /// Allocated memory in bytes, about.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.packets.len() * (size_of::<Numbered>() + size_of::<Frame>())
    }

    /// Records a packet.
    pub fn note(&mut self, number: u64, sent: Sent) {
        if sent.is_eliciting {
            self.eliciting += 1;
            self.last_eliciting = Some(sent.time);
        }
        self.packets.insert(number, sent);
    }

    /// Takes out the packets of `ranges` that were not acknowledged before, the smallest numbers first. Ignores numbers that were never sent.
    pub fn acknowledge(&mut self, ranges: &[Range]) -> Vec<Numbered> {
        let largest = ranges.first().map(|range| range.1 - 1);
        self.largest_acknowledged = self.largest_acknowledged.max(largest);
        let mut numbers = Vec::new();
        for &(begin, end) in ranges.iter().rev() {
            numbers.extend(self.packets.range(begin..end).map(|(number, _)| *number));
        }
        self.take(numbers)
    }

    /// Takes out the packets that are lost by now: sent before the largest acknowledged, and either `packet_threshold` numbers or the
    /// `loss_delay` before it.
    pub fn detect_lost(&mut self, now: Time, loss_delay: Span, packet_threshold: u64) -> Vec<Numbered> {
        self.loss_time = None;
        let Some(largest) = self.largest_acknowledged else { return Vec::new() };
        let mut lost = Vec::new();
        for (&number, sent) in self.packets.range(..largest) {
            let when = sent.time + loss_delay;
            if when <= now || largest - number >= packet_threshold {
                lost.push(number);
            } else {
                self.loss_time = Some(self.loss_time.map_or(when, |time| time.min(when)));
            }
        }
        self.take(lost)
    }

    fn take(&mut self, numbers: Vec<u64>) -> Vec<Numbered> {
        let taken: Vec<_> =
            numbers.into_iter().filter_map(|number| self.packets.remove(&number).map(|sent| (number, sent))).collect();
        self.eliciting -= taken.iter().filter(|(_, sent)| sent.is_eliciting).count() as u64;
        taken
    }

    /// Frames that a probe repeats of the oldest packet that must be acknowledged and that no probe repeats whole yet. What is not repeated is
    /// sent again when the packet is lost.
    pub fn probe(&mut self, repeats: impl Fn(&Frame) -> bool) -> Vec<Frame> {
        let oldest = self.packets.values_mut().find(|sent| sent.is_eliciting && !sent.was_probed);
        oldest.map_or(Vec::new(), |sent| {
            sent.was_probed = sent.frames.iter().all(&repeats);
            sent.frames.iter().filter(|frame| repeats(frame)).cloned().collect()
        })
    }
}

/// True if these losses, by ascending number, show persistent congestion (RFC 9002 section 7.6.2): of two that must be acknowledged, sent after
/// the first sample of the round trip and more than `duration` apart, with nothing between them that is not lost.
#[must_use]
pub fn persists(lost: &[Numbered], first_sample: Option<Time>, duration: Span) -> bool {
    let Some(first_sample) = first_sample else { return false };
    let (mut begin, mut previous): (Option<Time>, Option<u64>) = (None, None);
    for (number, sent) in lost {
        if previous.is_some_and(|previous| previous + 1 != *number) {
            begin = None;
        }
        previous = Some(*number);
        if !sent.is_eliciting || sent.time <= first_sample {
            continue;
        }
        match begin {
            Some(begin) if sent.time - begin > duration => return true,
            Some(_) => {}
            None => begin = Some(sent.time),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    fn sent(time: Time) -> Sent {
        Sent {
            kind: Kind::OneRoundTrip,
            time,
            bytes: 1200,
            is_eliciting: true,
            in_flight: None,
            frames: vec![Frame::Ping],
            acknowledges: None,
            was_probed: false,
            is_capable: false,
        }
    }

    fn space(times_ms: &[u64]) -> SentPackets {
        let mut space = SentPackets::default();
        times_ms.iter().zip(0..).for_each(|(time, number)| space.note(number, sent(ms(*time))));
        space
    }

    fn numbers(packets: &[Numbered]) -> Vec<u64> {
        packets.iter().map(|(number, _)| *number).collect()
    }

    /// Packets 0 to 5, 1 ms apart; 4 is acknowledged at 100 ms, with a loss delay of 90 ms less than has passed for none but 0 to 1 by number.
    #[test]
    fn a_packet_is_lost_three_numbers_or_the_delay_before_the_largest_acknowledged() {
        let mut space = space(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(numbers(&space.acknowledge(&[(4, 5)])), [4]);
        let delay = Span::from_microseconds(105_000);
        assert_eq!(numbers(&space.detect_lost(ms(100), delay, 3)), [0, 1]);
        assert_eq!(space.loss_time, Some(ms(107)), "packet 2 then");
        assert_eq!(numbers(&space.detect_lost(ms(107), delay, 3)), [2]);
        assert_eq!(space.loss_time, Some(ms(108)));
        assert_eq!(numbers(&space.detect_lost(ms(1000), delay, 3)), [3], "5 was sent after the largest acknowledged");
        assert_eq!(space.loss_time, None);
        assert!(space.has_eliciting());
        assert_eq!(numbers(&space.acknowledge(&[(5, 6), (0, 2)])), [5], "what is lost is acknowledged in vain");
        assert!(!space.has_eliciting());
    }

    /// RFC 9002 section 7.6.2: packets 2 to 8 are lost, sent from 1 to 8 s, the last by the first probe timeout; duration 6 s.
    #[test]
    fn the_example_of_persistent_congestion_in_the_rfc() {
        let mut space = SentPackets::default();
        for (number, seconds) in [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6), (8, 8), (9, 12)] {
            space.note(number, sent(ms(1000 * seconds)));
        }
        assert_eq!(numbers(&space.acknowledge(&[(1, 2)])), [1], "at 1.2 s");
        assert!(space.detect_lost(ms(1200), Span(225_000_000_000), 3).is_empty());
        assert_eq!(numbers(&space.acknowledge(&[(9, 10)])), [9], "at 12.2 s");
        let lost = space.detect_lost(ms(12_200), Span(225_000_000_000), 3);
        assert_eq!(numbers(&lost), [2, 3, 4, 5, 6, 7, 8]);
        let duration = |milliseconds: u64| Span::from_microseconds(1000 * milliseconds);
        // Packet 2 was sent before there was a sample, at 1.2 s: 3 to 8 are 6 s apart, which is not more than 6 s.
        assert!(!persists(&lost, Some(ms(1200)), duration(6000)));
        assert!(persists(&lost, Some(ms(1200)), duration(5999)));
        // The RFC counts packet 2 too, as if the sample had been taken before.
        assert!(persists(&lost, Some(ms(200)), duration(6000)));
        assert!(!persists(&lost, Some(ms(200)), duration(7000)));
        assert!(!persists(&lost, None, duration(0)), "no sample of the round trip");
        let parts = [&lost[..3], &lost[4..]].concat();
        assert!(!persists(&parts, Some(ms(200)), duration(4000)), "packet 5 has arrived, and parts the seven seconds");
    }
}
