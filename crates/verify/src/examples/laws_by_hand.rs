//! A window law with the numbers of its paper, one event at a time.

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
    /// When something happened last.
    pub now: Time,
    acknowledged: u64,
}

impl LawByHand {
    /// With such settings of the end systems, a window of so many segments, and a threshold.
    pub fn new(settings: &Json, segments: f64, threshold: f64) -> Result<Self, String> {
        let mut settings = settings.clone();
        settings["receiver_window"] = "10 MB".into();
        let config = end_systems(&settings)?;
        let mut window = Window::new(&config);
        (window.cwnd, window.ssthresh) = (100.0 * segments, 100.0 * threshold);
        Ok(Self { law: config.flavor.build(&()).law(), window, now: Time::ZERO, acknowledged: 0 })
    }

    /// After `wait` a segment is acknowledged, with a round trip; gives by how many segments the window grows.
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

    /// A loss while the whole window is under way; gives the window that it leaves.
    pub fn lose(&mut self) -> f64 {
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        self.segments()
    }

    /// The window.
    pub fn segments(&self) -> f64 {
        self.window.cwnd / 100.0
    }

    /// The threshold.
    pub fn threshold(&self) -> f64 {
        self.window.ssthresh / 100.0
    }
}

/// So many milliseconds.
pub const fn ms(milliseconds: u64) -> Span {
    Span::from_microseconds(1000 * milliseconds)
}
