//! Variable bit rate (VBR) traffic: bursts of cells at a constant rate, with pauses.

use longfat_foundation::config::{Node, Parameter, PositiveSpan, Reader, Shape, Value, VariantShape, format_span};
use longfat_foundation::units::{CELL_BITS, CellSlots, LineClock, Rate, Span, Time, TransmissionTime};
use serde_json::Value as Json;

use super::{Background, BackgroundContext, Emission};
use crate::framing::{Class, Unit};

longfat_foundation::choice! {
    /// First phase of the cycle of a source with bursts and pauses.
    pub enum Beginning {
        /// A burst.
        On = "on",
        /// A pause.
        Off = "off",
    }
}

longfat_foundation::model! {
    /// Cells at a constant rate for some time, then none for some time, and so on. They belong to the class VBR: they have an unlimited
    /// queue of their own, which the port's scheduler serves, and are never dropped (V-05).
    #[name = "vbr-on-off"]
    #[source = "97-0424 section 3 and figure 2"]
    pub struct VbrOnOff: dyn Background {
        /// Duration of a burst, at least that of a cell. 97-0424 has 300, 100 and 50 ms, with pauses as long (V-01).
        on: PositiveSpan,
        /// Duration of a pause; "0 s" for no pauses.
        off: Span,
        /// Rate of a burst's cells: "line" for the bottleneck's rate, which leaves no slot free, or a lower one. Cells arrive at the slots
        /// of a line of that rate, counted from the start of the simulation.
        rate: BurstRate = "line",
        /// First phase of the cycle (V-02). The papers do not say; the largest efficiencies that they report need bursts first.
        starts: Beginning = "on" or ["off"],
        /// Position in the cycle at the start of the simulation (V-02).
        phase: Span = "0 s" or ["1 ms"],
    }
    build(config, context) { Box::new(Bursts::new(config, context)) }
    objections(config, context) { config.objections(context) }
}

/// Rate of the cells in a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstRate {
    /// Rate of the line.
    Line,
    /// Another rate.
    Rate(Rate),
}

impl BurstRate {
    fn on(self, line: Rate) -> Rate {
        match self {
            Self::Line => line,
            Self::Rate(rate) => rate,
        }
    }
}

impl VbrOnOff {
    fn cycle(&self) -> Span {
        self.on.0 + self.off
    }

    fn objections(&self, context: &BackgroundContext) -> Vec<(&'static str, String)> {
        let mut objections = Vec::new();
        if context.framing.build(&()).unit() == Unit::Packet {
            let name = context.framing.name();
            objections.push(("kind", format!("sends cells, and framing \"{name}\" has none; \"poisson\"")));
        }
        if self.phase >= self.cycle() {
            let (phase, cycle) = (format_span(self.phase), format_span(self.cycle()));
            objections.push(("phase", format!("{phase} is beyond the cycle of on and off, {cycle}; less than that")));
        }
        let (rate, line) = (self.rate.on(context.rate).0, context.rate.0);
        if rate > line {
            let message = format!("{rate} bit/s is above the bottleneck's rate; at most {line} bit/s, or \"line\"");
            objections.push(("rate", message));
        }
        // A burst longer than a cell by a picosecond or more contains the start of a slot, whatever the phase.
        let cell_time = context.framing.build(&()).cell_time(Rate(rate));
        let cell = LineClock::default().after(cell_time).time - Time::ZERO;
        if self.on.0 <= cell {
            let message = format!(
                "{} is shorter than a cell at {rate} bit/s; more than {}",
                format_span(self.on.0),
                format_span(cell)
            );
            objections.push(("on", message));
        }
        objections
    }

    /// Duty cycle: the share of the time that bursts take.
    #[expect(clippy::cast_precision_loss, reason = "a ratio of two lengths of time")]
    fn duty(&self) -> f64 {
        self.on.0.0 as f64 / self.cycle().0 as f64
    }

    /// Start and end of the first burst, or of the rest of it.
    fn first_burst(&self) -> (Time, Time) {
        let (on, off, phase) = (self.on.0, self.off, self.phase);
        // If bursts come first, a cycle that begins in its pause has begun before the start of the simulation.
        let until_burst = match self.starts {
            Beginning::On if phase < on => return (Time::ZERO, Time(on.0 - phase.0)),
            Beginning::On => self.cycle().0 - phase.0,
            Beginning::Off if phase < off => off.0 - phase.0,
            Beginning::Off => return (Time::ZERO, Time(self.cycle().0 - phase.0)),
        };
        (Time(until_burst), Time(until_burst).saturating_add(on))
    }
}

/// Cell arrivals of all bursts.
struct Bursts {
    slots: CellSlots,
    cell_time: TransmissionTime,
    on: Span,
    off: Span,
    /// Arrival of the next cell, at the start of a slot.
    next: LineClock,
    /// End of its burst.
    until: Time,
    reserved_share: f64,
}

impl Bursts {
    #[expect(clippy::cast_precision_loss, reason = "a ratio of two rates")]
    fn new(config: &VbrOnOff, context: &BackgroundContext) -> Self {
        let line = context.rate;
        let rate = config.rate.on(line);
        let cell_time = context.framing.build(&()).cell_time(rate);
        let (from, until) = config.first_burst();
        let mut bursts = Self {
            slots: CellSlots(cell_time),
            cell_time,
            on: config.on.0,
            off: config.off,
            next: LineClock::default(),
            until,
            reserved_share: config.duty() * rate.0 as f64 / line.0 as f64,
        };
        bursts.begin(from);
        bursts
    }

    /// Moves to the first slot that begins at `from` or later, in this burst or the next.
    fn begin(&mut self, from: Time) {
        self.next = self.first_slot(from);
        if self.next.time >= self.until {
            let from = self.next_burst().max(self.next.time);
            self.next = self.first_slot(from);
        }
    }

    /// Moves to the next burst; returns its start.
    fn next_burst(&mut self) -> Time {
        let from = self.until.saturating_add(self.off);
        self.until = from.saturating_add(self.on);
        from
    }

    fn first_slot(&self, from: Time) -> LineClock {
        let from = from.min(BEYOND_ALL_RUNS);
        let slot = self.slots.slot_of(from);
        let boundary = self.slots.boundary(slot);
        if boundary.time == from { boundary } else { boundary.after(self.cell_time) }
    }

    fn next(&self) -> Time {
        if self.next.time >= BEYOND_ALL_RUNS { Time::NEVER } else { self.next.time }
    }
}

/// Later than the end of any run, but early enough to add a cell's time without overflow.
const BEYOND_ALL_RUNS: Time = Time(u64::MAX / 2);

impl Background for Bursts {
    fn start(&self) -> Time {
        self.next()
    }

    fn emit(&mut self, _now: Time) -> Emission {
        self.next.advance(self.cell_time);
        if self.next.time >= self.until {
            let from = self.next_burst();
            self.begin(from.max(self.next.time));
        }
        Emission { cells: 1, bits: CELL_BITS, next: Some(self.next()).filter(|time| *time < Time::NEVER) }
    }

    fn class(&self) -> Class {
        Class::Vbr
    }

    fn reserved_share(&self) -> f64 {
        self.reserved_share
    }
}

impl Parameter for BurstRate {
    fn shape() -> Shape {
        let line = VariantShape { name: "line", doc: "The rate of the bottleneck." };
        Shape::Either(vec![Shape::Choice(vec![line]), Rate::shape()])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == "line" => Some(Self::Line),
            _ => Rate::read(node, reader).map(Self::Rate),
        }
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Line => "line".into(),
            Self::Rate(rate) => format!("{} bit/s", rate.0).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::parse_fragment;
    use longfat_foundation::random::Chance;
    use longfat_foundation::registry::Chosen;

    use super::*;

    /// Transmission time of a cell: 10 us.
    const LINE: Rate = Rate(42_400_000);

    /// Arrival times of the first cells, in microseconds.
    fn cells(parameters: &str, number: usize) -> Vec<u64> {
        let mut reader = Reader::default();
        let text = format!("{{ kind = \"vbr-on-off\", {parameters} }}");
        let chosen = Chosen::<dyn Background>::read(&parse_fragment(&text), &mut reader);
        let chosen = chosen.unwrap_or_else(|| panic!("{:?}", reader.problems));
        let framing = Chosen::read(&parse_fragment("\"aal5\""), &mut reader).expect("a framing");
        let context = BackgroundContext::of(0, LINE, &framing, Chance { seed: 1, replication: 0 });
        let mut source = chosen.build(&context);
        let mut time = source.start();
        let next = |_| {
            let now = time;
            time = source.emit(now).next.unwrap_or(Time::NEVER);
            now.0 / 1_000_000
        };
        (0..number).map(next).collect()
    }

    #[test]
    fn a_burst_at_the_rate_of_the_line_takes_every_slot() {
        assert_eq!(cells("on = '30 us', off = '20 us'", 7), [0, 10, 20, 50, 60, 70, 100]);
        assert_eq!(cells("on = '30 us', off = '0 s'", 7), [0, 10, 20, 30, 40, 50, 60]);
        // Slots that begin within [0, 25), [50, 75), [100, 125) us.
        assert_eq!(cells("on = '25 us', off = '25 us'", 7), [0, 10, 20, 50, 60, 70, 100]);
    }

    #[test]
    fn a_lower_rate_has_slots_of_its_own() {
        // Transmission time of a cell: 25 us; bursts are [0, 60), [100, 160).
        assert_eq!(cells("on = '60 us', off = '40 us', rate = '16.96 Mbit/s'", 6), [0, 25, 50, 100, 125, 150]);
    }

    #[test]
    fn the_phase_shifts_the_cycle_and_it_may_begin_with_a_pause() {
        let first = |rest: &str| cells(&format!("on = '30 us', off = '20 us', {rest}"), 4);
        assert_eq!(first("phase = '10 us'"), [0, 10, 40, 50]);
        assert_eq!(first("phase = '30 us'"), [20, 30, 40, 70]);
        assert_eq!(first("starts = 'off'"), [20, 30, 40, 70]);
        assert_eq!(first("starts = 'off', phase = '10 us'"), [10, 20, 30, 60]);
        assert_eq!(first("starts = 'off', phase = '20 us'"), [0, 10, 20, 50]);
        assert_eq!(first("starts = 'off', phase = '40 us'"), [0, 30, 40, 50]);
        // 5 us of the first burst are left: no slot begins in it after the one at 0.
        assert_eq!(first("phase = '25 us'"), [0, 30, 40, 50]);
    }
}
