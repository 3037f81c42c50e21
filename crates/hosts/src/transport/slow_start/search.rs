//! SEARCH: slow start ends when the path delivers less than was sent a round trip before. Names in code font are the draft's.

mod bins;

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveNumber};
use longfat_foundation::units::Span;

use super::SlowStartExit;
use crate::transport::Window;
use crate::transport::law::Progress;
use bins::Bins;

longfat_foundation::choice! {
    /// Bytes with which those delivered in the latest window of bins are compared.
    pub enum Expectation {
        /// The bytes sent in the window that ended a round trip before (draft -09).
        Sent = "sent",
        /// Twice the bytes delivered in the window that ended a round trip before, since slow start doubles (drafts -00 to -06; the Linux
        /// module 3.1).
        TwiceDelivered = "twice-delivered",
    }
}

longfat_foundation::choice! {
    /// The window with which slow start ends.
    pub enum WindowAtExit {
        /// The present one (the Linux module 3.1 as it is delivered; Firefox).
        Keep = "keep",
        /// The present one less what was delivered in the latest two initial round trips, but at least the initial window: growth since the
        /// path was full is taken back (`exit_slow_start` of drafts -00 to -06).
        RollBack = "roll-back",
        /// The present one less what was delivered in two of the latest round trips, in whole bins; as it is where counts do not go back that far
        /// (the authors' FreeBSD module of December 2025).
        RollBackLatest = "roll-back-latest",
        /// The bytes delivered in the latest initial round trip, an estimate of what the path holds without a queue, but at least the initial
        /// window: the target of draft -09.
        Delivered = "delivered",
    }
}

longfat_foundation::model! {
    /// Slow start ends when the bytes that were delivered in some round trips are by a share fewer than expected. Both are counted in bins
    /// of time, so that round trips that vary without a queue, as over satellites, do not end it.
    #[name = "search"]
    #[source = "draft-chung-ccwg-search-09; Ataei Kachooei et al. 2024, WoWMoM"]
    pub struct Search: dyn SlowStartExit {
        /// Bytes with which the delivered ones are compared.
        expectation: Expectation = "sent" or ["twice-delivered"],
        /// Share of the expected bytes that must be missing (THRESH). 0.26 is for bytes sent; drafts that expect twice the delivered have
        /// 0.35.
        threshold: Fraction = "0.26" or ["0.35"],
        /// Length of the window over which bytes are counted, in initial round trips (WINDOW_SIZE_FACTOR).
        window: PositiveNumber = "3.5",
        /// Bins in the window (W).
        bins: AtLeastOne = "10",
        /// Bins beyond the window (EXTRA_BINS): round trips that have grown to more than so many bins are not judged. The authors' FreeBSD module of
        /// December 2025 has 35.
        extra_bins: AtLeastOne = "15" or ["35"],
        /// Number of bins in a row without an acknowledgment after which SEARCH begins anew, with the next round trip as the initial one.
        /// The draft leaves it open; Firefox has the bins of a window.
        stale_after: AtLeastOne = "10",
        /// The window with which slow start ends.
        at_exit: WindowAtExit = "keep" or ["roll-back", "roll-back-latest", "delivered"],
    }
    build(config, _context) { Box::new(Watch { settings: config.clone(), bins: None, latest: None }) }
    objections(config, _context) {
        let too_many = |(key, count): (&'static str, AtLeastOne)| {
            (count.0 > MOST_BINS).then(|| (key, format!("{} bins are too many; at most {MOST_BINS}", count.0)))
        };
        let mut objections: Vec<_> =
            [("bins", config.bins), ("extra_bins", config.extra_bins)].into_iter().filter_map(too_many).collect();
        if config.window.0 > MOST_ROUND_TRIPS {
            objections.push(("window", format!("{} round trips are too many; at most {MOST_ROUND_TRIPS}", config.window.0)));
        }
        objections
    }
}

/// Limits of memory and of time; the draft has 10 bins, 15 more and 3.5 round trips.
const MOST_BINS: u64 = 1000;
const MOST_ROUND_TRIPS: f64 = 1000.0;

/// The slow start of one connection.
struct Watch {
    settings: Search,
    /// The bins, once a round trip has been measured.
    bins: Option<Bins>,
    /// The latest round trip.
    latest: Option<Span>,
}

impl Watch {
    /// Length of a bin (`BIN_DURATION`) for an initial round trip.
    #[expect(clippy::cast_precision_loss, reason = "round trips are far below 2^53 ps")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and below 2^64 ps")]
    fn bin_length(&self, initial: Span) -> Span {
        Span(((initial.0 as f64 * self.settings.window.0 / self.settings.bins.as_f64()) as u64).max(1))
    }

    /// Whether the bytes delivered in the latest window of bins are fewer than the expected ones by the share `threshold` (lines 12 to 19 of
    /// the draft's algorithm).
    #[expect(clippy::cast_precision_loss, reason = "numbers of bins are far below 2^53")]
    fn is_full(&self, bins: &Bins, round_trip: Span) -> bool {
        let window = self.settings.bins.as_f64();
        let back = round_trip.0 as f64 / bins.length().0 as f64;
        let (whole, current) = (back.floor(), bins.current() as f64);
        if current - whole <= window || whole >= self.settings.extra_bins.as_f64() {
            return false;
        }
        let delivered = bins.delivered(0.0) - bins.delivered(window);
        let expected = match self.settings.expectation {
            Expectation::Sent => bins.sent(back) - bins.sent(back + window),
            Expectation::TwiceDelivered => 2.0 * (bins.delivered(back) - bins.delivered(back + window)),
        };
        // At least the threshold, without a division by nothing sent.
        expected > 0.0 && expected - delivered >= self.settings.threshold.0 * expected
    }

    /// The window with which slow start ends (`exit_slow_start`).
    #[expect(clippy::cast_precision_loss, reason = "a few thousand bins")]
    fn window_at_exit(&self, window: &Window, bins: &Bins) -> f64 {
        let initial = self.settings.bins.as_f64() / self.settings.window.0;
        let within =
            |round_trips: f64| bins.delivered(0.0) - bins.delivered((round_trips * initial).min(bins.most_back()));
        let left = match self.settings.at_exit {
            WindowAtExit::Keep => return window.cwnd,
            WindowAtExit::RollBack => window.cwnd - within(2.0),
            WindowAtExit::RollBackLatest => {
                let back = self.latest.map_or(0.0, |latest| (2 * latest.0 / bins.length().0) as f64);
                if back > bins.most_back() {
                    return window.cwnd;
                }
                window.cwnd - (bins.delivered(0.0) - bins.delivered(back))
            }
            WindowAtExit::Delivered => within(1.0),
        };
        left.max(window.initial()).min(window.cwnd)
    }
}

impl SlowStartExit for Watch {
    fn on_growth(&mut self, window: &mut Window, progress: &Progress) {
        self.latest = progress.sample.or(self.latest);
        let Some(round_trip) = self.latest else { return };
        let length = self.bin_length(round_trip);
        let Some(bins) = &mut self.bins else {
            let kept = self.settings.bins.0 + self.settings.extra_bins.0;
            self.bins = Some(Bins::begin(length, kept, progress));
            return;
        };
        match bins.note(progress) {
            None => {}
            Some(passed) if passed > self.settings.stale_after.0 => self.bins = None,
            Some(_) => {
                let Some(bins) = self.bins.take() else { return };
                if self.is_full(&bins, round_trip) {
                    window.set(self.window_at_exit(window, &bins));
                    window.end_slow_start();
                } else {
                    self.bins = Some(bins);
                }
            }
        }
    }

    fn on_reduction(&mut self) {
        self.bins = None;
    }

    fn on_timeout(&mut self) {
        self.bins = None;
    }

    /// Counts from before the pause tell nothing of the path after it.
    fn on_restart_from_idle(&mut self) {
        self.bins = None;
    }
}

#[cfg(test)]
mod steps;
