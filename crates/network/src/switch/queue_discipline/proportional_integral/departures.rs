//! How fast and how late packets leave.

use longfat_foundation::units::Time;

use super::{Waiting, seconds};

/// Bytes over which the departure rate is measured (`DQ_THRESHOLD`), and the weight of a measurement (RFC 8033 section 5.2 and
/// appendix B).
const MEASURED_BYTES: u64 = 1 << 14;
const MEASUREMENT_WEIGHT: f64 = 0.25;

/// Estimates of the delay from the departures of packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    /// The delay of the packet that was sent last, in seconds.
    latest_delay: f64,
    /// A measurement under way: when it began, and bytes that have left since.
    measured: Option<(Time, u64)>,
    /// Mean time for [`MEASURED_BYTES`], in seconds; 0 if unknown.
    mean_time: f64,
}

impl Departures {
    /// The delay of the packet that was sent last, in seconds.
    pub fn latest_delay(&self) -> f64 {
        self.latest_delay
    }

    /// Time for `bytes` bytes to leave, in seconds.
    #[expect(clippy::cast_precision_loss, reason = "queues are far below 2^53 bytes")]
    pub fn time_for(&self, bytes: u64) -> f64 {
        bytes as f64 * self.mean_time / MEASURED_BYTES as f64
    }

    /// The rate is to be measured from now on; what it was is forgotten.
    pub fn begin(&mut self, now: Time) {
        self.measured = Some((now, 0));
        self.mean_time = 0.0;
    }

    /// A packet has left a queue that still holds so many bytes (RFC 8033 appendix B: a measurement begins as a packet leaves, and counts
    /// those after it).
    pub fn note(&mut self, now: Time, packet: &Waiting, held: u64) {
        self.latest_delay = seconds(packet.delay(now));
        if let Some((began, bytes)) = &mut self.measured {
            *bytes += packet.bytes;
            if *bytes >= MEASURED_BYTES {
                let time = seconds(now - *began);
                let weight = if self.mean_time == 0.0 { 1.0 } else { MEASUREMENT_WEIGHT };
                self.mean_time += weight * (time - self.mean_time);
                self.measured = None;
            }
        }
        if self.measured.is_none() && held >= MEASURED_BYTES {
            self.measured = Some((now, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_hosts::transport::Codepoint;

    use super::super::super::test_support::{at, packet};
    use super::*;

    #[test]
    fn the_departure_rate_is_the_mean_of_stretches_of_sixteen_kibibytes() {
        let mut departures = Departures::default();
        // The first to leave begins it. 11 packets of 1500 bytes are the first to reach 16384 bytes; one leaves each millisecond.
        for milliseconds in 0..=11 {
            departures.note(at(milliseconds), &packet(0, Codepoint::NotCapable), 60_000);
        }
        assert!((departures.mean_time - 0.011).abs() < 1e-12);
        // The eleventh has begun the next; the line is now half as fast.
        for milliseconds in 1..=11 {
            departures.note(at(11 + 2 * milliseconds), &packet(0, Codepoint::NotCapable), 60_000);
        }
        assert!((departures.mean_time - (0.011 + 0.25 * 0.011)).abs() < 1e-12);
    }

    #[test]
    fn no_measurement_begins_while_less_waits_than_is_measured() {
        let mut departures = Departures::default();
        for milliseconds in 0..40 {
            departures.note(at(milliseconds), &packet(0, Codepoint::NotCapable), MEASURED_BYTES - 1);
        }
        assert_eq!((departures.mean_time, departures.measured), (0.0, None));
    }

    #[test]
    fn so_many_bytes_take_their_share_of_the_time_of_sixteen_kibibytes_until_it_is_measured_anew() {
        let mut departures = Departures { mean_time: 0.011, ..Departures::default() };
        assert!((departures.time_for(2 * MEASURED_BYTES) - 0.022).abs() < 1e-12);
        assert!((departures.time_for(MEASURED_BYTES / 4) - 0.00275).abs() < 1e-12);
        departures.begin(at(3));
        assert_eq!((departures.mean_time, departures.measured), (0.0, Some((at(3), 0))));
    }
}
