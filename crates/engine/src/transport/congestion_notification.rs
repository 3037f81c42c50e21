//! Explicit congestion notification at the ends: what packets say, how a receiver echoes marks, and how often a sender answers.

use super::Acknowledgment;
use crate::framing::Codepoint;

crate::choice! {
    /// What the two ends agree on about marks.
    pub enum CongestionNotification {
        /// Nothing: congestion drops packets.
        None = "none",
        /// ECT(0). Once a mark has come, every acknowledgment says so until the sender has announced that it has reduced its window
        /// (RFC 3168 section 6.1).
        Classic = "classic",
        /// ECT(0). An acknowledgment says whether the segments that it answers were marked; one that was delayed goes at once when that
        /// changes (RFC 8257 section 3.2).
        PerSegment = "per-segment",
        /// ECT(1), the codepoint of low latency (RFC 9331). Acknowledgments count all marked bytes so far, so that none is forgotten
        /// with an acknowledgment that is lost (RFC 9768).
        Accurate = "accurate",
    }
    absent None
}

impl CongestionNotification {
    /// What packets with new data say. Those sent again say that they are not capable (RFC 3168 section 6.1.5).
    #[must_use]
    pub fn codepoint(self) -> Codepoint {
        match self {
            Self::None => Codepoint::NotCapable,
            Self::Classic | Self::PerSegment => Codepoint::Classic,
            Self::Accurate => Codepoint::Scalable,
        }
    }
}

impl CongestionNotification {
    /// Bytes of options that the echo takes in an acknowledgment: two counters of 24 bits where marked bytes are counted (RFC 9768
    /// section 3.2.3). The other echoes are bits of the header.
    #[must_use]
    pub fn option_bytes(self) -> u64 {
        if self == Self::Accurate { 8 } else { 0 }
    }
}

/// What a receiver remembers of marks.
#[derive(Clone, Copy, Debug)]
pub struct MarkEcho {
    notification: CongestionNotification,
    /// What the next acknowledgment echoes: 1 for a mark, or all marked bytes where they are counted.
    echoed: u64,
}

impl MarkEcho {
    /// Nothing so far.
    #[must_use]
    pub fn new(notification: CongestionNotification) -> Self {
        Self { notification, echoed: 0 }
    }

    /// What an acknowledgment echoes.
    #[must_use]
    pub fn echoed(&self) -> u64 {
        self.echoed
    }

    /// A segment has come. Tells whether an acknowledgment that waits must go before this one counts.
    pub fn note(&mut self, length: u64, is_marked: bool, window_is_reduced: bool) -> bool {
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
        }
    }

    /// What had to go first has gone.
    pub fn turn(&mut self, is_marked: bool) {
        if self.notification == CongestionNotification::PerSegment {
            self.echoed = u64::from(is_marked);
        }
    }
}

/// What a sender makes of the echo.
#[derive(Clone, Copy, Debug)]
pub struct MarkResponse {
    notification: CongestionNotification,
    /// Marked bytes echoed so far, where they are counted.
    counted: u64,
    /// The window is not reduced again for marks until this is acknowledged: one reduction for a window of data (RFC 3168 section
    /// 6.1.2).
    reduced_below: u64,
    /// Whether the next segment with new data announces a reduction (CWR).
    announces: bool,
}

impl MarkResponse {
    /// Nothing so far.
    #[must_use]
    pub fn new(notification: CongestionNotification) -> Self {
        Self { notification, counted: 0, reduced_below: 0, announces: false }
    }

    /// How many of the `bytes` that an acknowledgment is the first to acknowledge it says were marked.
    pub fn marked_bytes(&mut self, acknowledgment: &Acknowledgment, bytes: u64) -> u64 {
        match self.notification {
            CongestionNotification::None => 0,
            CongestionNotification::Classic | CongestionNotification::PerSegment => acknowledgment.marks * bytes,
            CongestionNotification::Accurate => {
                let news = acknowledgment.marks.saturating_sub(self.counted);
                self.counted += news;
                news
            }
        }
    }

    /// Whether an acknowledgment of all below `acknowledged` may reduce the window for marks.
    #[must_use]
    pub fn may_reduce(&self, acknowledged: u64) -> bool {
        acknowledged >= self.reduced_below
    }

    /// The window was reduced, for whatever reason, when all below `highest` had been sent.
    pub fn note_reduction(&mut self, highest: u64) {
        self.reduced_below = highest + 1;
        self.announces = self.notification == CongestionNotification::Classic;
    }

    /// Whether the segment with new data that is about to be sent announces a reduction.
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
            echo.echoed()
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
        assert_eq!(echoes(CongestionNotification::None, &segments), [0; 4]);
    }

    #[test]
    fn marks_reduce_the_window_once_for_a_window_of_data() {
        let mut response = MarkResponse::new(CongestionNotification::Classic);
        assert!(response.may_reduce(100));
        response.note_reduction(1000);
        assert!(response.take_announcement() && !response.take_announcement(), "it is announced once");
        assert!(!response.may_reduce(1000) && response.may_reduce(1001));
    }

    #[test]
    fn counted_marks_survive_the_loss_of_an_acknowledgment() {
        let mut response = MarkResponse::new(CongestionNotification::Accurate);
        let acknowledgment = |next, marks| Acknowledgment { next, marks, ..Acknowledgment::default() };
        assert_eq!(response.marked_bytes(&acknowledgment(100, 0), 100), 0);
        assert_eq!(response.marked_bytes(&acknowledgment(400, 200), 300), 200, "two acknowledgments were lost");
        assert_eq!(response.marked_bytes(&acknowledgment(300, 100), 0), 0, "an old one");
    }
}
