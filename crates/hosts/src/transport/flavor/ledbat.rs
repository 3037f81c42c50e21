//! LEDBAT. Section numbers and names in code font are those of RFC 6817.

use std::collections::VecDeque;

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveNumber, PositiveSpan};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// Delay that LEDBAT measures.
    pub enum LedbatDelay {
        /// How long segments take to the receiver, which it tells with `timestamps`; without, round trips.
        OneWay = "one-way",
        /// Round trips, with which packets that wait on the way back count too.
        RoundTrip = "round-trip",
    }
}

longfat_foundation::choice! {
    /// Until when LEDBAT's window doubles in a round trip.
    pub enum SlowStartOfLedbat {
        /// Until packets wait for a share of the target, or up to the threshold.
        UntilDelayed = "until-delayed",
        /// Up to the threshold.
        Classical = "classical",
        /// It never does.
        Absent = "none",
    }
}

longfat_foundation::model! {
    /// LEDBAT, low extra delay background transport: the window grows while packets wait for less than a target, and shrinks while they wait for more. So it fills a
    /// line that nobody else needs, with a queue of that length, and gives way to those who make queues longer.
    #[name = "ledbat"]
    #[source = "RFC 6817"]
    pub struct Ledbat: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// How long packets are to wait (TARGET). The RFC allows no more than 100 ms; LEDBAT++ has 60.
        target: PositiveSpan = "100 ms" or ["60 ms"],
        /// Segments by which the window grows in a round trip while none waits, and shrinks while they wait for twice the target (GAIN). With 1, the most that the
        /// RFC allows, it grows as Reno does.
        gain: Fraction = "1",
        /// Delay from which queueing is estimated. The RFC takes the way to the receiver; LEDBAT++ and senders whose receivers do not help take round trips.
        delay: LedbatDelay = "one-way" or ["round-trip"],
        /// For so many minutes the shortest delay is kept (BASE_HISTORY): a path that has become longer looks like a queue for as long.
        base_history: AtLeastOne = "10",
        /// Of so many delays in the latest round trip the shortest counts (CURRENT_FILTER). The RFC asks for four.
        current_filter: AtLeastOne = "4",
        /// By so many segments the window may be larger than what is under way (ALLOWED_INCREASE).
        allowed_increase: PositiveNumber = "1",
        /// The window has so many segments at least (MIN_CWND).
        minimum_window: AtLeastOne = "2",
        /// Until when the window doubles in a round trip. The RFC's algorithm has no slow start, its implementations in TCP have one.
        slow_start: SlowStartOfLedbat = "until-delayed" or ["classical", "none"],
        /// The share of the target for which packets wait when slow start ends. Three quarters, as LEDBAT++ has it.
        slow_start_share: Fraction = "0.75",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Ledbat {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: match self.slow_start {
                SlowStartOfLedbat::UntilDelayed | SlowStartOfLedbat::Classical => SlowStart::Doubles,
                SlowStartOfLedbat::Absent => SlowStart::Slower,
            },
            ends_slow_start: self.slow_start == SlowStartOfLedbat::UntilDelayed,
            has_reno_response: self.gain.0 == 1.0,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: true,
        }
    }

    /// Delays keep the window from the saw-tooth of losses.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        AfterLoss { regrowth: Regrowth::NoSawTooth, ..AfterLoss::reno(segments, round_trip_s) }
    }
}

/// The time over which one minimum of `base_delays` is taken.
const BASE_PERIOD: Span = Span::from_microseconds(60_000_000);

/// Growth and reduction in proportion to the distance of the queueing delay from the target.
struct Law {
    settings: Ledbat,
    /// The minimum delay of each of the latest minutes (`base_delays`).
    base: VecDeque<Span>,
    /// The minute of the latest of these (`last_rollover`).
    minute: u64,
    /// The latest delays, and when they were reported (`current_delays`).
    current: VecDeque<(Time, Span)>,
}

impl Law {
    fn new(settings: Ledbat) -> Self {
        Self { settings, base: VecDeque::new(), minute: 0, current: VecDeque::new() }
    }

    fn note(&mut self, progress: &Progress) {
        let one_way = progress.one_way_delay.filter(|_| self.settings.delay == LedbatDelay::OneWay);
        if let Some(delay) = one_way.or(progress.sample) {
            self.note_base(progress.now, delay);
            self.note_current(progress, delay);
        }
    }

    /// Section 2.4.2: `update_base_delay`.
    fn note_base(&mut self, now: Time, delay: Span) {
        let minute = now.0 / BASE_PERIOD.0;
        match self.base.back_mut() {
            Some(shortest) if minute == self.minute => *shortest = delay.min(*shortest),
            _ => {
                self.minute = minute;
                self.base.push_back(delay);
                if self.base.len() as u64 > self.settings.base_history.0 {
                    self.base.pop_front();
                }
            }
        }
    }

    /// Section 2.4.2: `update_current_delay`. No delay is older than a round trip.
    fn note_current(&mut self, progress: &Progress, delay: Span) {
        self.current.push_back((progress.now, delay));
        let is_old = |time: Time| progress.smoothed_round_trip.is_some_and(|age| progress.now - time > age);
        while self.current.len() as u64 > self.settings.current_filter.0
            || self.current.front().is_some_and(|&(time, _)| is_old(time))
        {
            self.current.pop_front();
        }
    }

    /// The queueing delay as a share of the target; 0 until it is known.
    fn waiting(&self) -> f64 {
        let current = self.current.iter().map(|&(_, delay)| delay).min();
        let waited = current.zip(self.base.iter().min()).map_or(0, |(current, base)| current.0.saturating_sub(base.0));
        Span(waited).as_seconds() / self.settings.target.0.as_seconds()
    }

    fn is_starting_slowly(&self, window: &Window, waiting: f64) -> bool {
        let may = match self.settings.slow_start {
            SlowStartOfLedbat::UntilDelayed => waiting < self.settings.slow_start_share.0,
            SlowStartOfLedbat::Classical => true,
            SlowStartOfLedbat::Absent => false,
        };
        may && window.in_slow_start()
    }

    /// Changes the window by `off_target` (section 2.4.2), within the flight before and the minimum window.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn avoid(&self, window: &mut Window, progress: &Progress, waiting: f64) {
        let (mss, before) = (window.mss(), window.cwnd);
        let acknowledged = progress.acknowledged as f64;
        window.grow(self.settings.gain.0 * (1.0 - waiting) * acknowledged * mss / before);
        let flight = (progress.highest + progress.acknowledged).saturating_sub(progress.unacknowledged) as f64;
        window.cwnd = window.cwnd.min(flight + self.settings.allowed_increase.0 * mss);
        // From the single segment after a timeout, at most by what was acknowledged.
        let least = (self.settings.minimum_window.as_f64() * mss).min(before + acknowledged);
        if window.cwnd < least {
            window.cwnd = window.cwnd.max(before.min(least));
            window.grow(least - window.cwnd);
        }
        // A window that shrinks below the threshold is not back in slow start.
        window.ssthresh = window.ssthresh.min((window.cwnd - mss).max(2.0 * mss));
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        self.note(progress);
        let waiting = self.waiting();
        if self.is_starting_slowly(window, waiting) {
            Classical.on_acknowledgment(window, progress);
        } else {
            self.avoid(window, progress, waiting);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        Classical.on_loss(window, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }

    /// Delays from before the pause are out of date.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.current.clear();
    }
}

#[cfg(test)]
mod steps;
