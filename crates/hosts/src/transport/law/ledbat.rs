//! The window of LEDBAT (RFC 6817). Section numbers are those of the RFC, names in code font its own.

use std::collections::VecDeque;

use longfat_foundation::units::{Span, Time};

use super::{Classical, Progress, Window, WindowLaw};

/// Each of the shortest delays is that of so long.
const BASE_PERIOD: Span = Span::from_microseconds(60_000_000);

/// Whether it has a slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LedbatSlowStart {
    /// Until packets wait for this share of the target, or up to the threshold.
    UntilDelayed(f64),
    /// Up to the threshold.
    Classical,
    /// None.
    Absent,
}

/// What is chosen for a LEDBAT.
#[derive(Clone, Copy, Debug)]
pub struct LedbatSettings {
    /// How long packets are to wait in queues (`TARGET`).
    pub target: Span,
    /// Segments by which the window grows in a round trip if none waits (`GAIN`).
    pub gain: f64,
    /// Whether it goes by the way to the receiver, as far as that is told, and not by round trips.
    pub goes_one_way: bool,
    /// For how many minutes shortest delays are kept (`BASE_HISTORY`).
    pub base_history: usize,
    /// Of how many delays the shortest is the one that counts (`CURRENT_FILTER`).
    pub current_filter: usize,
    /// By how many segments a window may be larger than what is under way (`ALLOWED_INCREASE`).
    pub allowed_increase: f64,
    /// Segments that it has at least (`MIN_CWND`).
    pub minimum_window: f64,
    /// Its slow start.
    pub slow_start: LedbatSlowStart,
}

/// Growth and reduction in proportion to what packets wait less, or more, than they are to.
pub struct Ledbat {
    settings: LedbatSettings,
    /// The shortest delay of each of the latest minutes (`base_delays`).
    base: VecDeque<Span>,
    /// When the minute of the latest began (`last_rollover`).
    minute: u64,
    /// The latest delays, and when they were told (`current_delays`).
    current: VecDeque<(Time, Span)>,
}

impl Ledbat {
    /// Of a new connection.
    #[must_use]
    pub fn new(settings: LedbatSettings) -> Self {
        Self { settings, base: VecDeque::new(), minute: 0, current: VecDeque::new() }
    }

    fn note(&mut self, progress: &Progress) {
        let told = progress.one_way_delay.filter(|_| self.settings.goes_one_way);
        if let Some(delay) = told.or(progress.sample) {
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
                if self.base.len() > self.settings.base_history {
                    self.base.pop_front();
                }
            }
        }
    }

    /// Section 2.4.2: `update_current_delay`. None is older than a round trip.
    fn note_current(&mut self, progress: &Progress, delay: Span) {
        self.current.push_back((progress.now, delay));
        let is_old = |time: Time| progress.smoothed_round_trip.is_some_and(|age| progress.now - time > age);
        while self.current.len() > self.settings.current_filter
            || self.current.front().is_some_and(|&(time, _)| is_old(time))
        {
            self.current.pop_front();
        }
    }

    /// How long packets wait, as a share of the target; not at all before that is known.
    fn waiting(&self) -> f64 {
        let current = self.current.iter().map(|&(_, delay)| delay).min();
        let waited = current.zip(self.base.iter().min()).map_or(0, |(current, base)| current.0.saturating_sub(base.0));
        Span(waited).as_seconds() / self.settings.target.as_seconds()
    }

    fn is_starting_slowly(&self, window: &Window, waiting: f64) -> bool {
        let may = match self.settings.slow_start {
            LedbatSlowStart::UntilDelayed(share) => waiting < share,
            LedbatSlowStart::Classical => true,
            LedbatSlowStart::Absent => false,
        };
        may && window.in_slow_start()
    }

    /// Section 2.4.2: by `off_target`, within what was under way before and the minimum.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn avoid(&self, window: &mut Window, progress: &Progress, waiting: f64) {
        let (mss, before) = (window.mss(), window.cwnd);
        let acknowledged = progress.acknowledged as f64;
        window.grow(self.settings.gain * (1.0 - waiting) * acknowledged * mss / before);
        let flight = (progress.highest + progress.acknowledged).saturating_sub(progress.unacknowledged) as f64;
        window.cwnd = window.cwnd.min(flight + self.settings.allowed_increase * mss);
        // From the one segment that a timeout leaves no faster than was acknowledged.
        let least = (self.settings.minimum_window * mss).min(before + acknowledged);
        if window.cwnd < least {
            window.cwnd = window.cwnd.max(before.min(least));
            window.grow(least - window.cwnd);
        }
        // Where it shrinks below the threshold it is in no slow start.
        window.ssthresh = window.ssthresh.min((window.cwnd - mss).max(2.0 * mss));
    }
}

impl WindowLaw for Ledbat {
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

    /// The latest delays are of another time.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.current.clear();
    }
}
