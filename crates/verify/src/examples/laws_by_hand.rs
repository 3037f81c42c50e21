//! A window law driven by hand, one event at a time, with the numbers of its paper.

use longfat_engine::transport::Window;
use longfat_engine::transport::law::{Progress, WindowLaw};
use longfat_engine::units::{Span, Time};
use serde_json::Value as Json;

use super::support::end_systems;

/// A law and its window, in segments of 100 bytes.
pub struct LawByHand {
    /// The law.
    pub law: Box<dyn WindowLaw>,
    /// Its window.
    pub window: Window,
    /// Time of the latest event.
    pub now: Time,
    acknowledged: u64,
}

impl LawByHand {
    /// Creates a law with these settings of the end systems, a window of `segments` and a threshold.
    pub fn new(settings: &Json, segments: f64, threshold: f64) -> Result<Self, String> {
        let mut settings = settings.clone();
        settings["receiver_window"] = "10 MB".into();
        let config = end_systems(&settings)?;
        let mut window = Window::new(&config);
        (window.cwnd, window.ssthresh) = (100.0 * segments, 100.0 * threshold);
        Ok(Self { law: config.flavor.build(&()).law(), window, now: Time::ZERO, acknowledged: 0 })
    }

    /// Acknowledges a segment after `wait`, with the given round trip; returns the growth of the window in segments.
    pub fn acknowledge(&mut self, wait: Span, round_trip: Span) -> f64 {
        let before = self.window.cwnd;
        self.now += wait;
        self.acknowledged += 100;
        let progress = Progress {
            now: self.now,
            acknowledged: 100,
            sample: Some(round_trip),
            smoothed_round_trip: Some(round_trip),
            unacknowledged: self.acknowledged,
            highest: self.acknowledged - 100 + self.window.usable(),
            window_is_used: true,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - before) / 100.0
    }

    /// Loses a segment with the whole window in flight; returns the window after it.
    pub fn lose(&mut self) -> f64 {
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        self.segments()
    }

    /// Window in segments.
    pub fn segments(&self) -> f64 {
        self.window.cwnd / 100.0
    }

    /// Threshold in segments.
    pub fn threshold(&self) -> f64 {
        self.window.ssthresh / 100.0
    }
}

/// A span of milliseconds.
pub const fn ms(milliseconds: u64) -> Span {
    Span::from_microseconds(1000 * milliseconds)
}
