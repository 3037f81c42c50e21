//! Explicit congestion notification at the end systems: codepoints sent, echo of marks by the receiver, response of the sender.

use super::ace_field::{self, AceDecoder};
use super::{Acknowledgment, Codepoint};

longfat_foundation::choice! {
    /// ECN mechanism that the two ends agree on.
    pub enum CongestionNotification {
        /// Nothing: congestion drops packets.
        None = "none",
        /// ECT(0). After a mark, every acknowledgment echoes it until the sender announces that it has reduced its window (RFC 3168 section
        /// 6.1).
        Classic = "classic",
        /// ECT(0). An acknowledgment says whether the segments that it covers were marked; a delayed one is sent at once when that changes
        /// (RFC 8257 section 3.2).
        PerSegment = "per-segment",
        /// ECT(1), the codepoint of low latency (RFC 9331). Acknowledgments carry a count of all marked bytes so far in an option, so that
        /// a lost acknowledgment loses no marks (RFC 9768).
        Accurate = "accurate",
        /// ECT(1), for when that option does not get through or is missing. Acknowledgments count marked packets in three bits of the
        /// header (the ACE field); where the field may have wrapped unseen, the sender assumes the largest possible number (RFC 9768
        /// section 3.2.2.5).
        AccurateAce = "accurate-ace",
    }
    absent None
}

impl CongestionNotification {
    /// Codepoint of packets with new data. Retransmissions are Not-ECT (RFC 3168 section 6.1.5).
    #[must_use]
    pub fn codepoint(self) -> Codepoint {
        match self {
            Self::None => Codepoint::NotCapable,
            Self::Classic | Self::PerSegment => Codepoint::Classic,
            Self::Accurate | Self::AccurateAce => Codepoint::Scalable,
        }
    }
}

impl CongestionNotification {
    /// Size of the option in an acknowledgment that carries the echo: two counters of 24 bits where bytes are counted (RFC 9768 section
    /// 3.2.3). Other echoes are header bits.
    #[must_use]
    pub fn option_bytes(self) -> u64 {
        if self == Self::Accurate { 8 } else { 0 }
    }

    /// True if a receiver must not delay acknowledgments of marks (RFC 9768 section 3.2.2.5.1).
    fn hurries(self) -> bool {
        matches!(self, Self::Accurate | Self::AccurateAce)
    }
}

/// Marked packets after which an acknowledgment is sent at once (n of RFC 9768 section 3.2.2.5.1).
const MARKS_THAT_HURRY: u64 = 2;

/// ECN state of a receiver.
#[derive(Clone, Copy, Debug)]
pub struct MarkEcho {
    notification: CongestionNotification,
    /// Next echo: 1 for a mark, or the total of marked bytes or packets where they are counted.
    echoed: u64,
    /// `was_marked`: the latest packet was marked. `is_urgent`: its acknowledgment must be sent at once. `unacknowledged`: marked packets
    /// since the latest acknowledgment.
    was_marked: bool,
    is_urgent: bool,
    unacknowledged: u64,
}

impl MarkEcho {
    /// State of a receiver that has seen no packet.
    #[must_use]
    pub fn new(notification: CongestionNotification) -> Self {
        Self { notification, echoed: 0, was_marked: false, is_urgent: false, unacknowledged: 0 }
    }

    /// Returns the echo of an acknowledgment that is sent now.
    pub fn take_echo(&mut self) -> u64 {
        (self.is_urgent, self.unacknowledged) = (false, 0);
        match self.notification {
            CongestionNotification::AccurateAce => ace_field::encoded(self.echoed),
            _ => self.echoed,
        }
    }

    /// True if the acknowledgment of the latest segment must be sent at once. Where marks are counted, this is so for the first marked
    /// segment after unmarked ones and for every second marked one (RFC 9768 section 3.2.2.5.1); with per-segment echo, when the mark
    /// changes (RFC 8257 section 3.2).
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        self.is_urgent
    }

    /// Records a segment of `length` bytes. Returns true if a delayed acknowledgment must be sent before this segment counts.
    pub fn note(&mut self, length: u64, is_marked: bool, window_is_reduced: bool) -> bool {
        if self.notification.hurries() {
            self.unacknowledged += u64::from(is_marked);
            self.is_urgent |= is_marked && (!self.was_marked || self.unacknowledged >= MARKS_THAT_HURRY);
            self.was_marked = is_marked;
        }
        match self.notification {
            CongestionNotification::None => false,
            CongestionNotification::Classic => {
                if is_marked {
                    self.echoed = 1;
                } else if window_is_reduced {
                    self.echoed = 0;
                }
                false
            }
            CongestionNotification::PerSegment => self.echoed != u64::from(is_marked),
            CongestionNotification::Accurate => {
                self.echoed += if is_marked { length } else { 0 };
                false
            }
            CongestionNotification::AccurateAce => {
                self.echoed += u64::from(is_marked);
                false
            }
        }
    }

    /// Records that the delayed acknowledgment was sent, after [`note`](Self::note) has returned true.
    pub fn turn(&mut self, is_marked: bool) {
        if self.notification == CongestionNotification::PerSegment {
            self.echoed = u64::from(is_marked);
            self.is_urgent = true;
        }
    }
}

/// ECN state of a sender.
#[derive(Clone, Debug)]
pub struct MarkResponse {
    notification: CongestionNotification,
    /// Marked bytes echoed so far, where bytes are counted.
    counted: u64,
    /// Decoder of the ACE field, where it counts marked packets.
    field: AceDecoder,
    /// Marks reduce the window again only once this byte is acknowledged: one reduction per window of data (RFC 3168 section 6.1.2).
    reduced_below: u64,
    /// True if the latest reduction was for marks.
    was_for_marks: bool,
    /// True if the next segment with new data carries CWR (also with per-segment echo, where the receiver ignores it, RFC 8257 section
    /// 3.3).
    announces: bool,
}

impl MarkResponse {
    /// State of a sender that has received no acknowledgment.
    #[must_use]
    pub fn new(notification: CongestionNotification) -> Self {
        Self {
            notification,
            counted: 0,
            field: AceDecoder::default(),
            reduced_below: 0,
            was_for_marks: false,
            announces: false,
        }
    }

    /// Processes the ACE field of an acknowledgment, duplicates included.
    pub fn take_in(&mut self, acknowledgment: &Acknowledgment, mss: u64) {
        if self.notification == CongestionNotification::AccurateAce {
            self.field.take_in(acknowledgment, mss);
        }
    }

    /// Marked bytes among the `bytes` newly acknowledged by `acknowledgment`; counts packets as full ones (RFC 9768 appendix A.3).
    pub fn marked_bytes(&mut self, acknowledgment: &Acknowledgment, bytes: u64, mss: u64) -> u64 {
        match self.notification {
            CongestionNotification::None => 0,
            CongestionNotification::Classic | CongestionNotification::PerSegment => acknowledgment.marks * bytes,
            CongestionNotification::Accurate => {
                let news = acknowledgment.marks.saturating_sub(self.counted);
                self.counted += news;
                news
            }
            CongestionNotification::AccurateAce => mss * self.field.take_marked(),
        }
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.field.memory_bytes()
    }

    /// True if an acknowledgment up to `acknowledged` may reduce the window for marks.
    #[must_use]
    pub fn may_reduce(&self, acknowledged: u64) -> bool {
        acknowledged >= self.reduced_below
    }

    /// True if marks have reduced the window since the segment that begins at `lost` was sent.
    #[must_use]
    pub fn have_reduced(&self, lost: u64) -> bool {
        self.was_for_marks && lost + 1 < self.reduced_below
    }

    /// Records a reduction of the window, for marks or another reason, when data up to `highest` had been sent.
    pub fn note_reduction(&mut self, highest: u64, is_for_marks: bool) {
        self.reduced_below = highest + 1;
        self.was_for_marks = is_for_marks;
        self.announces =
            matches!(self.notification, CongestionNotification::Classic | CongestionNotification::PerSegment);
    }

    /// True if the next segment with new data carries CWR; clears the flag.
    pub fn take_announcement(&mut self) -> bool {
        std::mem::take(&mut self.announces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echoes(notification: CongestionNotification, segments: &[(bool, bool)]) -> Vec<u64> {
        let mut echo = MarkEcho::new(notification);
        let step = |&(is_marked, window_is_reduced): &(bool, bool)| {
            if echo.note(100, is_marked, window_is_reduced) {
                echo.turn(is_marked);
            }
            echo.take_echo()
        };
        segments.iter().map(step).collect()
    }

    const CLEAN: (bool, bool) = (false, false);
    const MARKED: (bool, bool) = (true, false);
    const REDUCED: (bool, bool) = (false, true);

    #[test]
    fn a_classic_echo_lasts_until_the_sender_says_that_it_has_reduced_its_window() {
        let segments = [CLEAN, MARKED, CLEAN, CLEAN, REDUCED, CLEAN, (true, true), CLEAN];
        assert_eq!(echoes(CongestionNotification::Classic, &segments), [0, 1, 1, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn an_echo_per_segment_is_about_what_it_answers_and_an_accurate_one_counts() {
        let segments = [CLEAN, MARKED, MARKED, CLEAN];
        assert_eq!(echoes(CongestionNotification::PerSegment, &segments), [0, 1, 1, 0]);
        assert_eq!(echoes(CongestionNotification::Accurate, &segments), [0, 100, 200, 200]);
        assert_eq!(echoes(CongestionNotification::AccurateAce, &segments), [5, 6, 7, 7]);
        assert_eq!(echoes(CongestionNotification::None, &segments), [0; 4]);
    }

    #[test]
    fn the_first_mark_after_none_and_a_second_one_are_acknowledged_at_once_where_feedback_is_accurate() {
        let urgent = |notification, marks: &[bool]| -> Vec<bool> {
            let mut echo = MarkEcho::new(notification);
            let step = |&is_marked: &bool| {
                echo.note(100, is_marked, false);
                let is_urgent = echo.is_urgent();
                if is_urgent {
                    echo.take_echo();
                }
                is_urgent
            };
            marks.iter().map(step).collect()
        };
        let marks = [false, true, true, true, false, true, true, false, true];
        // After the first mark, every second one is acknowledged at once; an unmarked packet restarts the sequence.
        let expected = [false, true, false, true, false, true, false, false, true];
        assert_eq!(urgent(CongestionNotification::AccurateAce, &marks), expected);
        assert_eq!(urgent(CongestionNotification::Accurate, &marks), expected);
        assert_eq!(urgent(CongestionNotification::Classic, &marks), [false; 9]);
    }

    #[test]
    fn marks_in_the_field_count_when_data_is_acknowledged_also_those_told_by_duplicates() {
        let mut response = MarkResponse::new(CongestionNotification::AccurateAce);
        let acknowledgment =
            |next, packets| Acknowledgment { next, marks: ace_field::encoded(packets), ..Acknowledgment::default() };
        let mut take_in = |next, packets, bytes| {
            response.take_in(&acknowledgment(next, packets), 100);
            (bytes > 0).then(|| response.marked_bytes(&acknowledgment(next, packets), bytes, 100))
        };
        assert_eq!(take_in(100, 0, 100), Some(0));
        assert_eq!((take_in(100, 1, 0), take_in(100, 2, 0)), (None, None));
        assert_eq!(take_in(400, 3, 300), Some(300));
    }

    #[test]
    fn marks_reduce_the_window_once_for_a_window_of_data() {
        let mut response = MarkResponse::new(CongestionNotification::Classic);
        assert!(response.may_reduce(100));
        response.note_reduction(1000, true);
        assert!(response.take_announcement() && !response.take_announcement(), "it is announced once");
        assert!(!response.may_reduce(1000) && response.may_reduce(1001));
        assert!(response.have_reduced(999) && !response.have_reduced(1000), "what begins there was sent after it");
        response.note_reduction(2000, false);
        assert!(!response.have_reduced(1500), "that was for a loss");
    }

    #[test]
    fn counted_marks_survive_the_loss_of_an_acknowledgment() {
        let mut response = MarkResponse::new(CongestionNotification::Accurate);
        let acknowledgment = |next, marks| Acknowledgment { next, marks, ..Acknowledgment::default() };
        assert_eq!(response.marked_bytes(&acknowledgment(100, 0), 100, 100), 0);
        assert_eq!(response.marked_bytes(&acknowledgment(400, 200), 300, 100), 200, "two acknowledgments were lost");
        assert_eq!(response.marked_bytes(&acknowledgment(300, 100), 0, 100), 0, "an old one");
    }
}
