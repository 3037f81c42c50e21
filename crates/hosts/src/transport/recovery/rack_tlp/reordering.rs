//! The reordering window of RACK (RFC 8985 section 6.2, step 4).

use longfat_foundation::units::Span;

use crate::transport::DUPLICATE_THRESHOLD;

/// Number of recoveries for which the window stays wider.
const PERSISTENCE: u32 = 16;

/// The reordering window of a connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport::recovery) struct ReorderingWindow {
    /// True if reordering was ever observed (`RACK.reordering_seen`).
    is_seen: bool,
    /// Width in quarters of the minimum round trip (`RACK.reo_wnd_mult`).
    quarters: u64,
    /// Recoveries until the width returns to one quarter (`RACK.reo_wnd_persist`).
    persists: u32,
    /// The window is not widened again before this sequence number is acknowledged (`RACK.dsack_round`).
    round_end: Option<u64>,
    /// True if the latest acknowledgment has widened it.
    is_just_widened: bool,
}

impl ReorderingWindow {
    pub fn new() -> Self {
        Self { is_seen: false, quarters: 1, persists: PERSISTENCE, round_end: None, is_just_widened: false }
    }

    /// Records that reordering was observed.
    pub fn note_reordering(&mut self) {
        self.is_seen = true;
    }

    /// Processes an acknowledgment up to `next`. A D-SACK (`tells_of_duplicate`) indicates a spurious retransmission (RFC 2883) and widens
    /// the window, once per round trip: not again until `highest` is acknowledged.
    pub fn note_acknowledgment(&mut self, next: u64, highest: u64, tells_of_duplicate: bool) {
        if self.round_end.is_some_and(|end| next >= end) {
            self.round_end = None;
        }
        self.is_just_widened = tells_of_duplicate && self.round_end.is_none();
        if self.is_just_widened {
            self.round_end = Some(highest);
            self.quarters += 1;
            self.persists = PERSISTENCE;
        }
    }

    /// Counts a completed recovery, unless it ended with a D-SACK that has widened the window.
    pub fn note_recovery_end(&mut self) {
        if self.is_just_widened {
            return;
        }
        self.persists = self.persists.saturating_sub(1);
        if self.persists == 0 {
            self.quarters = 1;
        }
    }

    /// Width of the window. Zero while no reordering was observed and three segments have arrived beyond a hole, or a loss is being
    /// repaired: as with DupThresh before RACK.
    pub fn span(&self, is_repairing: bool, arrived: usize, shortest: Option<Span>, smoothed: Option<Span>) -> Span {
        if !self.is_seen && (is_repairing || arrived >= DUPLICATE_THRESHOLD as usize) {
            return Span::ZERO;
        }
        let window = Span(self.quarters * shortest.map_or(0, |shortest| shortest.0) / 4);
        smoothed.map_or(window, |smoothed| window.min(smoothed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORTEST: Option<Span> = Some(Span::from_microseconds(40_000));
    const SMOOTHED: Option<Span> = Some(Span::from_microseconds(50_000));

    fn milliseconds(window: &ReorderingWindow) -> u64 {
        window.span(false, 0, SHORTEST, SMOOTHED).0 / 1_000_000_000
    }

    #[test]
    fn before_anything_is_overtaken_the_window_is_none_after_three_segments_and_in_recovery() {
        let mut window = ReorderingWindow::new();
        assert_eq!(milliseconds(&window), 10, "a quarter of 40 ms");
        assert_eq!(window.span(false, 2, SHORTEST, SMOOTHED), Span::from_microseconds(10_000));
        assert_eq!(window.span(false, 3, SHORTEST, SMOOTHED), Span::ZERO);
        assert_eq!(window.span(true, 0, SHORTEST, SMOOTHED), Span::ZERO);
        window.note_reordering();
        assert_eq!(window.span(true, 3, SHORTEST, SMOOTHED), Span::from_microseconds(10_000));
    }

    #[test]
    fn duplicates_widen_it_once_in_a_round_trip_up_to_a_smoothed_one_and_for_sixteen_recoveries() {
        let mut window = ReorderingWindow::new();
        window.note_acknowledgment(100, 1000, true);
        assert_eq!(milliseconds(&window), 20);
        window.note_acknowledgment(900, 2000, true);
        assert_eq!(milliseconds(&window), 20, "the same round trip");
        (1..=9).for_each(|round| window.note_acknowledgment(1000 * round, 1000 * round + 1000, true));
        assert_eq!(milliseconds(&window), 50, "eleven quarters of 40 ms are more than a smoothed round trip");
        window.note_recovery_end();
        window.note_acknowledgment(10_000, 11_000, false);
        (0..15).for_each(|_| window.note_recovery_end());
        assert_eq!(milliseconds(&window), 50, "fifteen, and one that has ended with a duplicate");
        window.note_recovery_end();
        assert_eq!(milliseconds(&window), 10);
    }
}
