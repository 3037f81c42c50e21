//! The window (section 4.2.3).

use super::units::as_whole;
use super::{LEAST_WINDOW, Law, State, WindowAllowance};
use crate::transport::{Delivery, Window};

/// `cwnd_gain` in `ProbeBW`.
const WINDOW_GAIN: f64 = 2.0;

impl Law {
    fn window_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => self.units.high_gain(),
            State::ProbeBandwidth { .. } => WINDOW_GAIN,
            State::ProbeRoundTrip { .. } => 1.0,
        }
    }

    /// `BBRInflight` of section 4.2.3.2: `gain` bandwidth-delay products, and an allowance.
    pub(super) fn in_flight_for(&self, gain: f64, window: &Window) -> f64 {
        self.in_flight_with(self.bandwidth.get(), gain, 0, window)
    }

    /// [`in_flight_for`](Self::in_flight_for) a bandwidth, with so many segments more.
    fn in_flight_with(&self, bandwidth: f64, gain: f64, more: u64, window: &Window) -> f64 {
        let of_kernel = self.settings.window_allowance == WindowAllowance::SendQuanta;
        let product = match self.round_trip {
            Some((round_trip, _)) => self.units.product(bandwidth, round_trip, gain),
            None if of_kernel => self.rate.initial_window(window),
            None => return self.rate.initial_window(window),
        };
        let product = product + self.units.bytes(more.into());
        if !of_kernel {
            return product + 3.0 * self.units.mss;
        }
        let even = (self.units.segments(product) + 3 * self.send_quantum()).next_multiple_of(2);
        let probes = matches!(self.state, State::ProbeBandwidth { phase: 0, .. });
        self.units.bytes((even + if probes { 2 } else { 0 }).into())
    }

    /// Segments that a host sends at once (`bbr_tso_segs_goal`).
    pub(super) fn send_quantum(&self) -> u64 {
        // 2^16 bytes, less a byte and the kernel's room for headers (`MAX_TCP_HEADER`); the largest number of segments that the module counts.
        const MOST_BYTES: u64 = 65_535 - 320;
        const MOST: u64 = 0x7F;
        /// `bbr_min_tso_rate`, 1.2 Mbit/s.
        const SLOW: f64 = 150_000.0;
        let bytes = (as_whole(self.rate.bytes_per_second) >> 10).min(MOST_BYTES);
        let least = if self.rate.bytes_per_second < SLOW { 1 } else { 2 };
        (bytes / as_whole(self.units.mss)).max(least).min(MOST)
    }

    /// Sections 4.2.3.4 to 4.2.3.6.
    pub(super) fn set_window(&mut self, window: &mut Window, delivery: &Delivery, bandwidth: f64) {
        let more = if self.pipe_is_full { self.aggregation.allowance(self.units.scaled(self.bandwidth())) } else { 0 };
        let floor = self.known.floor();
        let target = self.in_flight_with(bandwidth.max(floor), self.window_gain(), more, window);
        if self.follow_losses(window, delivery) {
            self.approach(window, target, delivery);
            if floor > 0.0 {
                window.set(window.cwnd.max(target));
            }
        }
        if matches!(self.state, State::ProbeRoundTrip { .. }) {
            window.cwnd = window.cwnd.min(self.probe_window(window));
        }
    }

    /// The largest window while the round trip is probed (section 4.2.3.5).
    pub(super) fn probe_window(&self, window: &Window) -> f64 {
        let share = self.variant.probe_products;
        let of_model = match self.round_trip {
            Some((round_trip, _)) if share > 0.0 => self.units.product(self.bandwidth.get(), round_trip, share),
            _ => 0.0,
        };
        of_model.max(LEAST_WINDOW * window.mss())
    }

    /// Section 4.2.3.6.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn approach(&self, window: &mut Window, target: f64, delivery: &Delivery) {
        let delivered = self.units.whole(delivery.bytes as f64);
        if self.pipe_is_full {
            window.set((window.cwnd + delivered).min(target));
        } else if window.cwnd < target || (delivery.total as f64) < self.rate.initial_window(window) {
            window.grow(delivered);
        }
        window.set(window.cwnd.max(LEAST_WINDOW * window.mss()));
    }
}
