//! Packets that were received in one packet number space, and when they are acknowledged (RFC 9000 section 13.2).

use longfat_foundation::units::{Span, Time};

use super::frame::{Ack, DELAY_UNIT_US};
use crate::transport::Codepoint;
use crate::transport::law::microseconds;
use crate::transport::ranges::RangeSet;

/// Rules of acknowledgment.
#[derive(Clone, Copy, Debug)]
pub struct AckRules {
    /// Packets that must be acknowledged for one acknowledgment.
    pub threshold: u64,
    /// Longest delay.
    pub longest_delay: Span,
    /// Packets by which others must overtake a missing one to be acknowledged at once: 1 is any disorder (RFC 9000 section 13.2.1), 0 none.
    pub reordering: u64,
    /// Most ranges in an acknowledgment.
    pub most_ranges: usize,
}

impl AckRules {
    /// These for packets of the handshake, which are acknowledged at once (RFC 9000 section 13.2.1).
    #[must_use]
    pub fn at_once(self) -> Self {
        Self { threshold: 1, longest_delay: Span::ZERO, reordering: 1, ..self }
    }
}

/// Ranges of packet numbers by which duplicates are told; older packets than these count as duplicates (RFC 9000 section 13.2.3).
const MOST_REMEMBERED: usize = 1024;

/// The packets of one space.
#[derive(Debug)]
pub struct Received {
    rules: AckRules,
    /// Every packet number received, by which duplicates are told.
    seen: RangeSet,
    /// Packet numbers that acknowledgments report.
    reported: RangeSet,
    /// Largest packet number, and when it has arrived.
    largest: Option<(u64, Time)>,
    largest_eliciting: Option<u64>,
    /// Largest packet number that must be acknowledged, when the latest acknowledgment was sent.
    acknowledged_to: Option<u64>,
    /// Packets that must be acknowledged and were not.
    waiting: u64,
    /// When they must be at the latest.
    deadline: Option<Time>,
    /// Packets received with ECT(0), ECT(1) and CE.
    marks: [u64; 3],
}

impl Received {
    /// None.
    #[must_use]
    pub fn new(rules: AckRules) -> Self {
        Self {
            rules,
            seen: RangeSet::default(),
            reported: RangeSet::default(),
            largest: None,
            largest_eliciting: None,
            acknowledged_to: None,
            waiting: 0,
            deadline: None,
            marks: [0; 3],
        }
    }

    /// Largest packet number received.
    #[must_use]
    pub fn largest(&self) -> Option<u64> {
        self.largest.map(|(number, _)| number)
    }

    /// True if a packet has not arrived before.
    #[must_use]
    pub fn is_new(&self, number: u64) -> bool {
        let is_forgotten =
            self.seen.ranges().len() >= MOST_REMEMBERED && self.seen.ranges().first().is_some_and(|it| number < it.0);
        !is_forgotten && self.seen.containing(number).is_none()
    }

    /// Records a new packet.
    pub fn note(&mut self, now: Time, number: u64, is_eliciting: bool, codepoint: Codepoint) {
        for (set, most) in [(&mut self.seen, MOST_REMEMBERED), (&mut self.reported, self.rules.most_ranges)] {
            set.insert((number, number + 1));
            if let Some(first) = set.ranges().first().copied().filter(|_| set.ranges().len() > most) {
                set.remove_below(first.1);
            }
        }
        match codepoint {
            Codepoint::NotCapable => {}
            Codepoint::Classic => self.marks[0] += 1,
            Codepoint::Scalable => self.marks[1] += 1,
            Codepoint::CongestionExperienced => self.marks[2] += 1,
        }
        if self.largest.is_none_or(|(largest, _)| number > largest) {
            self.largest = Some((number, now));
        }
        if !is_eliciting {
            return;
        }
        let before = self.largest_eliciting;
        self.largest_eliciting = before.max(Some(number));
        self.waiting += 1;
        let is_disordered = before.is_some_and(|before| self.is_disordered(before, number));
        let at_once = self.waiting >= self.rules.threshold || is_disordered || codepoint.is_marked();
        let latest = if at_once { now } else { now + self.rules.longest_delay };
        self.deadline = Some(self.deadline.map_or(latest, |deadline| deadline.min(latest)));
    }

    /// True if `number`, after `before` as the largest so far, shows disorder that is worth an acknowledgment: of any packet (RFC 9000 section
    /// 13.2.1), or of so many that the sender may learn of a loss (draft-ietf-quic-ack-frequency-10 section 6.2).
    fn is_disordered(&self, before: u64, number: u64) -> bool {
        match self.rules.reordering {
            0 => false,
            1 => number < before || self.seen.containing(number).is_some_and(|range| range.0 > before),
            threshold => {
                // Packets below were reported: their loss would have been noticed.
                let from = self.acknowledged_to.map_or(0, |acknowledged| (acknowledged + 1).saturating_sub(threshold));
                let missing = self.seen.gap_from(from).map(|gap| gap.0);
                missing.is_some_and(|missing| before.max(number).saturating_sub(missing) >= threshold)
            }
        }
    }

    /// The peer asks for other rules.
    pub fn follow(&mut self, threshold: u64, longest_delay: Span, reordering: u64) {
        self.rules = AckRules { threshold, longest_delay, reordering, ..self.rules };
    }

    /// The peer asks for an acknowledgment now.
    pub fn hurry(&mut self, now: Time) {
        self.deadline = Some(now);
    }

    /// When an acknowledgment must be sent.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// The acknowledgment that is to go with other frames, if packets wait for it; the delay is told where acknowledgments may wait.
    #[must_use]
    pub fn acknowledgment(&self, now: Time, with_marks: bool) -> Option<Ack> {
        let (_, arrived) = self.largest.filter(|_| self.waiting > 0)?;
        let delay = if self.rules.longest_delay > Span::ZERO { microseconds(now - arrived) / DELAY_UNIT_US } else { 0 };
        let ranges = self.reported.ranges().iter().rev().copied().collect();
        Some(Ack { ranges, delay, marks: Some(self.marks).filter(|marks| with_marks && *marks != [0; 3]) })
    }

    /// The acknowledgment was sent.
    pub fn note_acknowledged(&mut self) {
        (self.waiting, self.deadline) = (0, None);
        self.acknowledged_to = self.largest_eliciting;
    }

    /// The peer knows of every packet up to `number`.
    pub fn forget_to(&mut self, number: u64) {
        self.reported.remove_below(number + 1);
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.seen.memory_bytes() + self.reported.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: AckRules =
        AckRules { threshold: 2, longest_delay: Span::from_microseconds(25_000), reordering: 1, most_ranges: 3 };

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    fn received(packets: &[(u64, u64)]) -> Received {
        let mut received = Received::new(RULES);
        packets.iter().for_each(|(time, number)| received.note(ms(*time), *number, true, Codepoint::NotCapable));
        received
    }

    #[test]
    fn every_second_packet_is_acknowledged_at_once_and_a_single_one_after_the_longest_delay() {
        let mut one = received(&[(10, 0)]);
        assert_eq!(one.deadline(), Some(ms(35)));
        one.note(ms(12), 1, true, Codepoint::NotCapable);
        assert_eq!(one.deadline(), Some(ms(12)));
        assert_eq!(one.acknowledgment(ms(13), true), Some(Ack { ranges: vec![(0, 2)], delay: 125, marks: None }));
        one.note_acknowledged();
        assert_eq!((one.deadline(), one.acknowledgment(ms(13), true)), (None, None));
        one.note(ms(14), 2, false, Codepoint::NotCapable);
        assert_eq!(one.deadline(), None, "an acknowledgment is not acknowledged for itself");
    }

    /// RFC 9000 section 13.2.1: a gap, a late packet, and a mark.
    #[test]
    fn what_may_tell_of_congestion_is_acknowledged_at_once() {
        let mut gap = received(&[(0, 0), (0, 1)]);
        gap.note_acknowledged();
        gap.note(ms(5), 3, true, Codepoint::NotCapable);
        assert_eq!(gap.deadline(), Some(ms(5)));
        gap.note_acknowledged();
        gap.note(ms(6), 4, true, Codepoint::NotCapable);
        assert_eq!(gap.deadline(), Some(ms(31)), "the gap was reported");
        gap.note_acknowledged();
        gap.note(ms(7), 2, true, Codepoint::NotCapable);
        assert_eq!(gap.deadline(), Some(ms(7)), "late");
        gap.note_acknowledged();
        gap.note(ms(8), 5, true, Codepoint::CongestionExperienced);
        assert_eq!(gap.deadline(), Some(ms(8)));
        assert_eq!(gap.acknowledgment(ms(8), true).and_then(|ack| ack.marks), Some([0, 0, 1]));
    }

    /// After packets 0 and 1 were acknowledged, 2 is missing: with a threshold of 3 packets 3 and 4 wait, and 5 tells. With 0 none does.
    #[test]
    fn a_sender_may_ask_for_less() {
        for (reordering, tells) in [(3, true), (0, false)] {
            let mut asked = received(&[(0, 0), (0, 1)]);
            asked.note_acknowledged();
            asked.follow(10, Span::from_microseconds(50_000), reordering);
            asked.note(ms(1), 3, true, Codepoint::NotCapable);
            asked.note(ms(2), 4, true, Codepoint::NotCapable);
            assert_eq!(asked.deadline(), Some(ms(51)));
            asked.note(ms(3), 5, true, Codepoint::NotCapable);
            assert_eq!(asked.deadline(), Some(ms(if tells { 3 } else { 51 })));
            asked.hurry(ms(4));
            assert_eq!(asked.deadline(), Some(ms(4)));
        }
    }

    #[test]
    fn so_many_ranges_are_reported_and_no_packet_counts_twice() {
        let mut many = received(&[(0, 0), (1, 2), (2, 4), (3, 6)]);
        let ranges = |received: &Received| received.acknowledgment(ms(9), false).map(|ack| ack.ranges);
        assert_eq!(ranges(&many), Some(vec![(6, 7), (4, 5), (2, 3)]));
        assert!(!many.is_new(0) && many.is_new(1) && !many.is_new(4));
        many.forget_to(4);
        assert_eq!(ranges(&many), Some(vec![(6, 7)]));
        assert!(!many.is_new(4));
    }
}
