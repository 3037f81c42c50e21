//! Integer quantities: times, spans, rates, and exact transmission times.
//!
//! Time is counted in picoseconds (`u64`: 213 days). Clocks never use floating point. A cell on a 155.52 Mbit/s line is not a whole number
//! of picoseconds, so a [`LineClock`] carries the remainder from one transmission to the next: after `n` cells it is exact to the
//! picosecond, whatever the rate.

use std::ops::{Add, AddAssign, Sub};

/// Picoseconds in a second.
pub const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

/// Bits of an ATM cell on the line (53 bytes; ITU-T I.361, `UBR+` section 3.2).
pub const CELL_BITS: u64 = 424;

/// Payload bytes of an ATM cell.
pub const CELL_PAYLOAD_BYTES: u64 = 48;

/// Bits of the largest packet: times the picoseconds of a second, they fit in 64 bits.
pub const LARGEST_PACKET_BITS: u64 = u64::MAX / PICOSECONDS_PER_SECOND;

/// Simulated time: picoseconds since the start of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Time(pub u64);

/// Duration in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Span(pub u64);

impl Time {
    /// The start of the simulation.
    pub const ZERO: Self = Self(0);
    /// Later than any event.
    pub const NEVER: Self = Self(u64::MAX);

    /// Adds `span`; saturates at [`Self::NEVER`].
    #[must_use]
    pub fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// Time in seconds, for reports only.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        Span(self.0).as_seconds()
    }
}

impl Span {
    /// The empty span.
    pub const ZERO: Self = Self(0);

    /// Converts whole microseconds.
    #[must_use]
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds * 1_000_000)
    }

    /// Span in seconds, for reports only.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PICOSECONDS_PER_SECOND as f64
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// Rate of a line in bits per second; never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// Bits that this rate carries in `span`, rounded down.
    #[must_use]
    pub fn bits_in(self, span: Span) -> u128 {
        u128::from(self.0) * u128::from(span.0) / u128::from(PICOSECONDS_PER_SECOND)
    }

    /// Number of units of `bits` bits that this rate carries in `span` times `numerator / denominator`, rounded up.
    #[must_use]
    pub fn things_in(self, span: Span, bits: u64, numerator: u128, denominator: u128) -> u128 {
        let bits_times = u128::from(self.0) * u128::from(span.0) * numerator;
        bits_times.div_ceil(u128::from(PICOSECONDS_PER_SECOND) * u128::from(bits) * denominator)
    }
}

/// Exact transmission time of a cell or packet: whole picoseconds and a fraction `remainder / rate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransmissionTime {
    whole: u64,
    remainder: u64,
    rate: u64,
}

impl TransmissionTime {
    /// Zero.
    pub const NONE: Self = Self::whole(Span::ZERO);

    /// A whole number of picoseconds.
    #[must_use]
    pub const fn whole(span: Span) -> Self {
        Self { whole: span.0, remainder: 0, rate: u64::MAX }
    }

    /// Adds a whole number of picoseconds.
    #[must_use]
    pub const fn longer_by(self, span: Span) -> Self {
        Self { whole: self.whole + span.0, ..self }
    }

    /// Sum of two transmission times.
    ///
    /// # Panics
    /// If both have fractions and their rates differ.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let whole = Span(other.whole);
        if other.remainder == 0 {
            return self.longer_by(whole);
        }
        if self.remainder == 0 {
            return other.longer_by(Span(self.whole));
        }
        assert_eq!(self.rate, other.rate, "fractions of a picosecond are counted in parts that depend on the rate");
        let mut both = LineClock { time: Time(self.whole), remainder: self.remainder };
        both.advance(other);
        Self { whole: both.time.0, remainder: both.remainder, rate: self.rate }
    }

    /// Transmission time of a cell of [`CELL_BITS`] at `rate`.
    #[must_use]
    pub const fn of_cell(rate: Rate) -> Self {
        Self::of_bits(CELL_BITS, rate)
    }

    /// Transmission time of `bits` bits at `rate`; at most [`LARGEST_PACKET_BITS`].
    #[must_use]
    #[inline]
    pub const fn of_bits(bits: u64, rate: Rate) -> Self {
        let picobits = bits * PICOSECONDS_PER_SECOND;
        Self { whole: picobits / rate.0, remainder: picobits % rate.0, rate: rate.0 }
    }

    /// Total time of `times` consecutive transmissions.
    #[must_use]
    #[inline]
    pub fn times(self, times: u64) -> Self {
        let (carried, remainder) = match self.remainder.checked_mul(times) {
            Some(parts) => (parts / self.rate, parts % self.rate),
            None => self.parts_of_many(times),
        };
        Self { whole: self.whole * times + carried, remainder, rate: self.rate }
    }

    /// Sum of the fractions of `times` transmissions: whole picoseconds and a fraction.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is smaller than the rate")]
    fn parts_of_many(self, times: u64) -> (u64, u64) {
        let parts = u128::from(self.remainder) * u128::from(times);
        ((parts / u128::from(self.rate)) as u64, (parts % u128::from(self.rate)) as u64)
    }

    /// Rounded up to whole ticks of a clock.
    #[must_use]
    pub fn in_ticks(self, tick: Span) -> Self {
        Self::whole(Span((self.whole + u64::from(self.remainder > 0)).next_multiple_of(tick.0)))
    }

    /// Rounded up to whole picoseconds.
    #[must_use]
    #[inline]
    pub fn at_most(self) -> Span {
        Span(self.whole + 1)
    }

    /// Rounded down to whole picoseconds.
    #[must_use]
    #[inline]
    pub fn at_least(self) -> Span {
        Span(self.whole)
    }
}

impl TransmissionTime {
    /// The whole picoseconds, without the fraction.
    #[must_use]
    pub const fn rounded_down(self) -> Span {
        Span(self.whole)
    }
}

/// Cell slots of a line, of the transmission time of a cell, counted from the start of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellSlots(pub TransmissionTime);

impl CellSlots {
    /// Index of the slot that contains `time`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the quotient is smaller than `time`")]
    pub fn slot_of(self, time: Time) -> u64 {
        // Boundary k lies at floor(k * bits / rate), so slot(t) = ceil((t + 1) * rate / bits) - 1.
        ((u128::from(time.0) + 1) * u128::from(self.0.rate)).div_ceil(self.parts()) as u64 - 1
    }

    /// A clock at the boundary before slot `slot`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a slot boundary within the run fits in u64")]
    pub fn boundary(self, slot: u64) -> LineClock {
        let parts = u128::from(slot) * self.parts();
        let rate = u128::from(self.0.rate);
        LineClock { time: Time((parts / rate) as u64), remainder: (parts % rate) as u64 }
    }

    /// Length of a slot in parts of a picosecond, `rate` of which make one: the bits of a cell times the picoseconds of a second.
    fn parts(self) -> u128 {
        u128::from(self.0.whole) * u128::from(self.0.rate) + u128::from(self.0.remainder)
    }
}

/// Sum of floor((first + i * step) / divisor) for i from 0 to `number` - 1, with `first` and `step` below `divisor`: lattice points under a
/// line, counted by columns and rows in turn, as in Euclid's algorithm.
fn sum_of_quotients(mut number: u64, mut divisor: u64, mut step: u64, mut first: u64) -> u64 {
    let mut sum = 0;
    loop {
        let most = u128::from(step) * u128::from(number) + u128::from(first);
        if most < u128::from(divisor) {
            return sum;
        }
        #[expect(clippy::cast_possible_truncation, reason = "no more than the number, and smaller than the divisor")]
        {
            (number, first) = ((most / u128::from(divisor)) as u64, (most % u128::from(divisor)) as u64);
        }
        (divisor, step) = (step, divisor);
        sum += number * number.saturating_sub(1) / 2 * (step / divisor) + number * (first / divisor);
        (step, first) = (step % divisor, first % divisor);
    }
}

/// Time of a line: picoseconds and the exact fraction beyond them, in units of `1 / rate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineClock {
    /// Time, rounded down.
    pub time: Time,
    remainder: u64,
}

impl LineClock {
    /// Largest time of a clock: beyond any simulation, with room to add spans without overflow.
    const HORIZON: Time = Time(u64::MAX / 2);

    /// A clock at a whole picosecond.
    #[must_use]
    pub const fn at(time: Time) -> Self {
        Self { time, remainder: 0 }
    }

    /// Advances by one transmission.
    #[inline]
    pub fn advance(&mut self, transmission: TransmissionTime) {
        self.time.0 += transmission.whole;
        self.remainder += transmission.remainder;
        if self.remainder >= transmission.rate {
            self.remainder -= transmission.rate;
            self.time.0 += 1;
        }
    }

    /// The clock one transmission earlier.
    #[must_use]
    #[inline]
    pub fn before(mut self, transmission: TransmissionTime) -> Self {
        let borrowed = self.remainder < transmission.remainder;
        self.time.0 -= transmission.whole + u64::from(borrowed);
        self.remainder += if borrowed { transmission.rate } else { 0 };
        self.remainder -= transmission.remainder;
        self
    }

    /// The clock one transmission later.
    #[must_use]
    #[inline]
    pub fn after(mut self, transmission: TransmissionTime) -> Self {
        self.advance(transmission);
        self
    }

    /// Advances by `times` transmissions; saturates at the horizon, since a host may hand a slow line far more than it can ever send.
    #[inline]
    pub fn advance_by(&mut self, transmission: TransmissionTime, times: u64) {
        self.advance_far(transmission.times(times));
    }

    /// Advances by one possibly long transmission; saturates at the horizon.
    #[inline]
    pub fn advance_far(&mut self, transmission: TransmissionTime) {
        self.advance(transmission);
        self.time.0 = self.time.0.min(Self::HORIZON.0);
    }

    /// For `times` back-to-back transmissions that begin now: the sum, in picoseconds, of the times from now to the start of each.
    #[must_use]
    pub fn picoseconds_to_beginnings(self, transmission: TransmissionTime, times: u64) -> u64 {
        let TransmissionTime { whole, remainder, rate } = transmission;
        // Each time the fractions sum to a whole picosecond, it is carried.
        whole * (times * times.saturating_sub(1) / 2) + sum_of_quotients(times, rate, remainder, self.remainder)
    }

    /// The clock read `span` later.
    #[must_use]
    pub fn delayed(self, span: Span) -> Self {
        Self { time: self.time + span, remainder: self.remainder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OC3: Rate = Rate(155_520_000);

    #[test]
    fn ten_seconds_of_oc3_hold_3667924_whole_cells() {
        let mut clock = LineClock::default();
        let cell = TransmissionTime::of_cell(OC3);
        let mut cells = 0_u64;
        loop {
            clock.advance(cell);
            if clock.time.0 > 10 * PICOSECONDS_PER_SECOND {
                break;
            }
            cells += 1;
        }
        assert_eq!(cells, 155_520_000 * 10 / 424);
    }

    #[test]
    fn many_steps_of_one_cell_equal_one_step_of_many_cells() {
        for rate in [Rate(155_520_000), Rate(45_000_000), Rate(149_760_000), Rate(97), Rate(1_000_003)] {
            let cell = TransmissionTime::of_cell(rate);
            let (mut one, mut many) = (LineClock::at(Time(17)), LineClock::at(Time(17)));
            (0..1000).for_each(|_| one.advance(cell));
            many.advance_by(cell, 1000);
            assert_eq!(one, many);
        }
    }

    #[test]
    fn the_beginnings_of_many_transmissions_are_summed_as_one_by_one() {
        for rate in [OC3, Rate(97), Rate(1_000_003)] {
            let cell = TransmissionTime::of_cell(rate);
            let start = LineClock::at(Time(17)).after(cell);
            let (mut clock, mut sum) = (start, 0);
            for times in 0..200 {
                assert_eq!(start.picoseconds_to_beginnings(cell, times), sum, "{times} at {rate:?}");
                sum += (clock.time - start.time).0;
                clock.advance(cell);
            }
        }
    }

    #[test]
    fn two_transmissions_take_what_one_takes_after_the_other() {
        for rate in [OC3, Rate(97), Rate(1_000_003)] {
            let times =
                [TransmissionTime::of_cell(rate), TransmissionTime::whole(Span(12_345)), TransmissionTime::NONE];
            let mut clock = LineClock::at(Time(17));
            for (first, second) in times.into_iter().flat_map(|first| times.map(|second| (first, second))) {
                assert_eq!(clock.after(first.and(second)), clock.after(first).after(second));
                clock.advance(TransmissionTime::of_cell(rate));
            }
        }
    }

    #[test]
    fn a_step_back_undoes_a_step() {
        for rate in [OC3, Rate(97), Rate(1_000_003)] {
            let cell = TransmissionTime::of_cell(rate);
            let mut clock = LineClock::at(Time(17));
            for _ in 0..1000 {
                assert_eq!(clock.after(cell).before(cell), clock);
                clock.advance(cell);
            }
        }
    }

    #[test]
    fn slots_begin_at_their_boundary() {
        let cells = CellSlots(TransmissionTime::of_cell(OC3));
        for slot in [0, 1, 2, 3, 1000, 3_667_924] {
            let boundary = cells.boundary(slot).time;
            assert_eq!(cells.slot_of(boundary), slot);
            assert_eq!(cells.slot_of(boundary + Span(1)), slot);
            if slot > 0 {
                assert_eq!(cells.slot_of(Time(boundary.0 - 1)), slot - 1);
            }
        }
    }

    #[test]
    fn stepping_from_a_boundary_meets_the_next_one() {
        let mut clock = CellSlots(TransmissionTime::of_cell(OC3)).boundary(12_345);
        clock.advance_by(TransmissionTime::of_cell(OC3), 1_000_000);
        assert_eq!(clock, CellSlots(TransmissionTime::of_cell(OC3)).boundary(1_012_345));
    }

    #[test]
    fn packets_of_all_sizes_add_up_to_their_bits_exactly() {
        for rate in [OC3, Rate(45_000_000), Rate(97), Rate(1_000_003)] {
            let mut clock = LineClock::default();
            let mut bits = 0_u64;
            for size in (1..400).map(|n| 8 * (40 + n * n % 1461)) {
                clock.advance(TransmissionTime::of_bits(size, rate));
                bits += size;
            }
            let exact = u128::from(bits) * u128::from(PICOSECONDS_PER_SECOND) / u128::from(rate.0);
            assert_eq!(u128::from(clock.time.0), exact, "{rate:?}");
        }
    }
}
