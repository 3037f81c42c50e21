//! Lines that change over time.

use longfat_foundation::random::Stream;
use longfat_foundation::units::{LineClock, Rate, Span, Time, TransmissionTime};

use crate::path::Conditions;

/// The conditions and the state of a line that changes.
pub(super) struct Changing {
    conditions: Conditions,
    /// Whether its rate changes too, and not only its delay.
    has_rate: bool,
    /// Chance of the jitter.
    jitter: Stream,
    /// Rate at which the latest packet was sent.
    latest_rate: Rate,
    /// Arrival of the latest packet.
    latest: Time,
    /// For how long it has been sending, what is being sent included.
    busy: Span,
}

impl Changing {
    pub(super) fn new(conditions: Conditions, has_rate: bool, jitter: Stream) -> Self {
        Self { conditions, has_rate, jitter, latest_rate: Rate(0), latest: Time::ZERO, busy: Span::ZERO }
    }

    /// Sends a packet of `bits` bits on a transmitter that is free at `free`, under the conditions when its transmission begins. Returns when it
    /// has arrived, and when the transmitter is free again. None overtakes another: where the delay is shorter, those sent
    /// later arrive with the last one sent before.
    pub(super) fn transmit(&mut self, free: LineClock, bits: u64, rate_of_line: Rate) -> (LineClock, LineClock) {
        let (start, step) = self.conditions.open_from(free.time);
        let rate = step.rate.filter(|_| self.has_rate).unwrap_or(rate_of_line);
        // A clock counts fractions of a picosecond in parts that depend on the rate.
        let goes_on = start == free.time && rate == self.latest_rate;
        let begin = if goes_on { free } else { LineClock::at(start) };
        self.latest_rate = rate;
        let transmission = TransmissionTime::of_bits(bits, rate);
        let held = if step.jitter > Span::ZERO { self.jitter.uniform(Span::ZERO, step.jitter) } else { Span::ZERO };
        let arrival = begin.delayed(step.delay + held).after(transmission);
        let arrival = if arrival.time < self.latest { LineClock::at(self.latest) } else { arrival };
        self.latest = arrival.time;
        let free = begin.after(transmission);
        self.busy = self.busy + (free.time - begin.time);
        (arrival, free)
    }

    /// For how long it has been sending.
    pub(super) fn busy(&self) -> Span {
        self.busy
    }
}
