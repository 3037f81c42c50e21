//! HighSpeed TCP as the module of Linux 6.12 computes it (`net/ipv4/tcp_highspeed.c`): by the table of RFC 3649 appendix B, a step per acknowledgment.

use super::HighSpeed;
use crate::transport::Window;
use crate::transport::law::{Progress, WindowLaw};

/// Largest window of the table, as in the program of appendix B.
const LARGEST_WINDOW: u64 = 100_000;
/// Rows that the module has of it; the last is that of 89,053 segments (`HSTCP_AIMD_MAX`).
const MOST_ROWS: usize = 72;

/// A row of the table: up to this window, growth is the row's number, counted from one, and a loss takes `taken` 256ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub window: u64,
    pub taken: u64,
}

/// The table of appendix B: windows at which growth becomes a segment more, with their reductions.
#[expect(clippy::cast_precision_loss, reason = "windows of the table are below 2^53")]
pub(super) fn table(settings: &HighSpeed) -> Vec<Row> {
    let row = |window: u64| Row { window, taken: taken(settings.decrease(window as f64)) };
    let mut rows = vec![row(settings.low_window.0)];
    let mut increase = 1.0;
    while let Some(last) = rows.last().filter(|_| rows.len() < MOST_ROWS) {
        let is_more = |window: u64| increase_as_printed(window as f64, settings) > increase + 1.0;
        let Some(window) = first(last.window + 1, LARGEST_WINDOW, is_more) else { break };
        increase = increase_as_printed(window as f64, settings);
        rows.push(row(window));
    }
    rows
}

/// Growth at a window, with the rounded response function of the appendix's program: a loss rate of 1 / (12.8 w^1.2).
fn increase_as_printed(window: f64, settings: &HighSpeed) -> f64 {
    let decrease = settings.decrease(window);
    window * window * 2.0 * decrease / ((2.0 - decrease) * libm::pow(window, 1.2) * 12.8)
}

/// 256ths, rounded down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 256")]
fn taken(decrease: f64) -> u64 {
    (decrease * 256.0) as u64
}

/// The smallest number of a range for which a condition holds that goes on to hold; `None` if there is none below `end`.
fn first(begin: u64, end: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (begin, end);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    (low < end).then_some(low)
}

/// Growth and reduction by the table.
pub(super) struct Law {
    rows: Vec<Row>,
    /// The row that the window was in at the last growth outside of slow start (`ai`).
    at: usize,
}

impl Law {
    pub fn new(settings: &HighSpeed) -> Self {
        Self { rows: table(settings), at: 0 }
    }

    /// Growth per round trip and the share that a loss takes, of a window of so many segments.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "windows are positive and small"
    )]
    pub fn rates(mut self, segments: f64) -> (f64, f64) {
        self.find_row(segments as u64);
        ((self.at + 1) as f64, self.rows[self.at].taken as f64 / 256.0)
    }

    fn find_row(&mut self, segments: u64) {
        let last = self.rows.len() - 1;
        self.at = self.rows.partition_point(|row| row.window < segments).min(last);
    }

    /// Segments that a loss leaves.
    fn left(&self, window: &Window) -> u64 {
        window.segments() - ((window.segments() * self.rows[self.at].taken) >> 8)
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        if window.in_slow_start() {
            window.start_slowly(window.in_segments(progress.acknowledged));
            return;
        }
        self.find_row(window.segments());
        window.credit += self.at as u64 + 1;
        let segments = window.segments();
        if window.credit >= segments {
            window.credit -= segments;
            window.set_segments(segments + 1);
        }
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(self.left(window));
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        window.time_out_to(self.left(window));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;
    use crate::transport::law::with_defaults;

    /// RFC 3649 appendix B prints 38, 118, 221, 347 and 84035, 89053 at the end, where a loss takes 0.50, 0.44, 0.41, 0.38 and 0.10.
    #[test]
    fn the_table_is_that_of_appendix_b() {
        let rows = table(&with_defaults());
        let windows: Vec<_> = rows.iter().map(|row| row.window).collect();
        assert_eq!(windows[..8], [38, 118, 221, 347, 495, 663, 851, 1058]);
        assert_eq!((windows[windows.len() - 2..].to_vec(), rows.len()), (vec![84_035, 89_053], 72));
        let taken: Vec<_> = rows.iter().map(|row| row.taken).collect();
        assert_eq!(taken[..4], [128, 112, 104, 98]);
    }

    /// In a window of 60 growth is 2 for each acknowledgment, whatever it covers: after 30, 60.
    #[test]
    fn growth_counts_acknowledgments_and_a_loss_takes_by_the_latest_row() {
        for covers in [1, 2] {
            let mut module = Module::of("high-speed", "", 60);
            (0..29).for_each(|_| module.acknowledge(covers, 40_000));
            assert_eq!(module.window.segments(), 60);
            module.acknowledge(covers, 40_000);
            assert_eq!(module.window.segments(), 61);
            assert_eq!(module.lose(), 61 - 61 * 112 / 256);
        }
        assert_eq!(Module::of("high-speed", "", 60).lose(), 30, "before the first growth, half");
    }

    #[test]
    fn other_parameters_make_another_table() {
        let wider = table(&crate::transport::law::written("{ low_window = 100 }"));
        assert_eq!(wider[0], Row { window: 100, taken: 128 });
        assert!(wider[1].taken > table(&with_defaults())[1].taken);
    }
}
