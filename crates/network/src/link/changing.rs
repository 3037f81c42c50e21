//! Lines that change over time.

use std::collections::VecDeque;

use longfat_foundation::random::Stream;
use longfat_foundation::units::{LineClock, Rate, Span, Time, TransmissionTime};

use super::Terminals;
use crate::path::{Conditions, Step};
use crate::reordering::Order;

/// The conditions and the state of a line that changes.
pub(super) struct Changing {
    conditions: Conditions,
    /// Chance of the jitter.
    jitter: Stream,
    /// Rate at which the latest packet was sent.
    latest_rate: Rate,
    /// Arrival of the latest packet.
    latest: Time,
    /// If it is a carrier that terminals share.
    terminals: Option<Terminals>,
    /// If packets may overtake each other.
    free: Option<Free>,
    /// For how long it has been sending, what is being sent included.
    busy: Span,
}

/// Delays of a line on which packets may overtake each other.
struct Free {
    /// The path's least delay, which every packet has on the line.
    least: Span,
    /// The rest of the delay of each packet on the line, in turn.
    rests: VecDeque<Span>,
}

impl Changing {
    pub(super) fn new(conditions: Conditions, jitter: Stream, order: Order) -> Self {
        let free = (order == Order::Free).then(|| Free { least: conditions.least_delay(), rests: VecDeque::new() });
        Self { conditions, jitter, latest_rate: Rate(0), latest: Time::ZERO, terminals: None, free, busy: Span::ZERO }
    }

    pub(super) fn share(&mut self, terminals: Terminals) {
        self.terminals = Some(terminals);
    }

    /// The rest of the delay of the packet that is received next; zero where packets keep their order.
    pub(super) fn take_rest(&mut self) -> Span {
        self.free.as_mut().and_then(|free| free.rests.pop_front()).unwrap_or(Span::ZERO)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.free.as_ref().map_or(0, |free| free.rests.capacity() * size_of::<Span>())
    }

    /// Sends a packet of `bits` bits of a circuit on a transmitter that is free at `free`, under the conditions when its transmission begins.
    /// Returns when it has arrived, and when the transmitter is free again.
    pub(super) fn transmit(
        &mut self,
        free: LineClock,
        circuit: usize,
        bits: u64,
        rate_of_line: Rate,
    ) -> (LineClock, LineClock) {
        let (start, step) = self.conditions.open_from(free.time);
        let of_terminal = self.terminals.as_ref().and_then(|terminals| terminals.rate(circuit, start));
        let rate = of_terminal.or(step.rate).unwrap_or(rate_of_line);
        // A clock counts fractions of a picosecond in parts that depend on the rate.
        let goes_on = start == free.time && rate == self.latest_rate;
        let begin = if goes_on { free } else { LineClock::at(start) };
        self.latest_rate = rate;
        let transmission = TransmissionTime::of_bits(bits, rate);
        let free = begin.after(transmission);
        self.busy = self.busy + (free.time - begin.time);
        (self.arrival(free, &step), free)
    }

    /// Arrival of a packet whose last bit has been sent at `sent`, under the conditions then.
    pub(super) fn arrival_of(&mut self, sent: LineClock) -> LineClock {
        let step = self.conditions.at(sent.time);
        self.arrival(sent, &step)
    }

    /// Arrival of a packet whose last bit has been sent at `sent`, or where order is free its arrival without the rest of its delay. None
    /// overtakes another on the line: where the delay is shorter, those sent later arrive with the last one sent before.
    fn arrival(&mut self, sent: LineClock, step: &Step) -> LineClock {
        let held = if step.jitter > Span::ZERO { self.jitter.uniform(Span::ZERO, step.jitter) } else { Span::ZERO };
        let delay = step.delay + held;
        if let Some(Free { least, rests }) = &mut self.free {
            rests.push_back(Span(delay.0 - least.0));
            return sent.delayed(*least);
        }
        let arrival = sent.delayed(delay);
        let arrival = if arrival.time < self.latest { LineClock::at(self.latest) } else { arrival };
        self.latest = arrival.time;
        arrival
    }

    /// Mean rate between two times, in bits per second.
    pub(super) fn mean_rate_bps(&self, from: Time, until: Time) -> f64 {
        self.conditions.mean_rate_bps(from, until)
    }

    /// For how long it has been sending.
    pub(super) fn busy(&self) -> Span {
        self.busy
    }
}
