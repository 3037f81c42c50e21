//! Settings and windows for laws on a bench.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};

use longfat_foundation::units::{Span, Time};

use super::{Arrivals, Phase, Progress, WindowLaw};
use crate::transport::{TcpConfig, Window};

/// Parameters written as a table of TOML.
pub(in crate::transport) fn written<P: Parameter>(table: &str) -> P {
    P::read(&parse_fragment(table), &mut Reader::default()).expect("a valid table")
}

/// Parameters with their defaults.
pub(in crate::transport) fn with_defaults<P: Parameter>() -> P {
    written("{}")
}

/// The law and the window of a connection with these settings of `[tcp]`: segments of 1000 bytes, an initial window of ten, and a receiver
/// that allows 1000.
pub(in crate::transport) fn law_and_window(settings: &str) -> (Box<dyn WindowLaw>, Window) {
    let table = "mss = \"1000 B\", receiver_window = \"1000000 B\", initial_window = \"10 MSS\"";
    let config = TcpConfig::written(&format!("{{ {table}, {settings} }}"));
    (config.flavor.build(&()).law(), Window::new(&config))
}

/// Such a window with this number of bytes, and a threshold of half the window after a loss.
pub(in crate::transport) fn window(bytes: f64) -> Window {
    let (_, mut window) = law_and_window("ssthresh_rule = \"as-printed\"");
    window.cwnd = bytes;
    window
}

/// A law that computes as the kernel, with its window in segments of 1000 bytes, acknowledgment by acknowledgment.
pub(in crate::transport) struct Module {
    pub law: Box<dyn WindowLaw>,
    pub window: Window,
    pub now: Time,
    unacknowledged: u64,
}

impl Module {
    /// `kind` with `settings` of the preset for it and others, in congestion avoidance with this window.
    pub fn of(kind: &str, settings: &str, segments: u64) -> Self {
        Self::with(kind, &format!("arithmetic = \"linux\", {settings}"), segments)
    }

    /// [`of`](Self::of) with the arithmetic that `settings` have, in a host that counts whole segments.
    pub fn with(kind: &str, settings: &str, segments: u64) -> Self {
        let flavor = format!("flavor = {{ kind = \"{kind}\", {settings} }}");
        let kernel = "window_arithmetic = \"whole-segments\", ssthresh_rule = \"congestion-window\", \
                      slow_start_growth = \"up-to-ssthresh\", slow_start_at_ssthresh = false";
        let (law, mut window) = law_and_window(&format!("{flavor}, {kernel}"));
        window.set_segments(segments);
        window.set_threshold_segments(2);
        Self { law, window, now: Time::ZERO, unacknowledged: 0 }
    }

    /// Milliseconds pass.
    pub fn wait(&mut self, milliseconds: u64) {
        self.now += Span::from_microseconds(1000 * milliseconds);
    }

    /// An acknowledgment of `segments` segments, of which the latest took `round_trip_us` microseconds, with a window in flight beyond it.
    pub fn acknowledge(&mut self, segments: u64, round_trip_us: u64) {
        self.acknowledge_in(Phase::Open, segments, round_trip_us);
    }

    /// [`acknowledge`](Self::acknowledge) in a state of the recovery; during a reduction, the window does not grow.
    pub fn acknowledge_in(&mut self, phase: Phase, segments: u64, round_trip_us: u64) {
        let (bytes, round_trip) = (1000 * segments, Span::from_microseconds(round_trip_us));
        let highest = self.unacknowledged + self.window.usable();
        self.unacknowledged += bytes;
        let arrivals = Arrivals {
            now: self.now,
            segments,
            bytes,
            round_trip: Some(round_trip),
            delivered_since: self.window.usable(),
            unacknowledged: self.unacknowledged,
            highest,
            phase,
            is_paced: false,
        };
        self.law.on_arrivals(&mut self.window, &arrivals);
        if phase == Phase::Recovery {
            return;
        }
        let progress = Progress {
            now: self.now,
            acknowledged: bytes,
            sample: Some(round_trip),
            smoothed_round_trip: Some(round_trip),
            unacknowledged: self.unacknowledged,
            highest: highest.max(self.unacknowledged),
            window_is_used: true,
            phase,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
    }

    /// A loss; returns the segments of the window then.
    pub fn lose(&mut self) -> u64 {
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        self.window.segments()
    }

    /// Expiry of the timer; returns the segments of the threshold then.
    pub fn time_out(&mut self) -> u64 {
        let flight = self.window.usable();
        self.law.on_timeout(&mut self.window, flight);
        assert_eq!(self.window.segments(), 1);
        self.window.threshold_segments()
    }
}
