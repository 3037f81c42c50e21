//! PIE.

mod departures;

use departures::Departures;
use longfat_foundation::config::{Bytes, PositiveNumber, PositiveSpan, Probability};
use longfat_foundation::random::Stream;
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::choice! {
    /// How the delay of the queue is known.
    pub enum DelayEstimate {
        /// From the waiting time of the packet sent last; zero when the queue is empty.
        Timestamps = "timestamps",
        /// From the waiting bytes and the rate at which they leave, measured over stretches of 16 KiB.
        DepartureRate = "departure-rate",
    }
}

longfat_foundation::choice! {
    /// When the probability decays by itself.
    pub enum Decay {
        /// While there is no delay at all.
        WithoutQueue = "without-queue",
        /// While the delay is below half of the target.
        BelowHalfTarget = "below-half-target",
    }
}

longfat_foundation::model! {
    /// Proportional integral controller enhanced: drops arriving packets with a probability that is updated every `update_period`, from the
    /// difference between delay and target and from the change of the delay.
    #[name = "pie"]
    #[source = "RFC 8033"]
    pub struct ProportionalIntegral: dyn QueueDiscipline {
        /// The target delay (`QDELAY_REF`).
        pub target: PositiveSpan = "15 ms",
        /// How often the probability is updated (`T_UPDATE`).
        pub update_period: PositiveSpan = "15 ms",
        /// How long a burst into an empty queue is admitted without drops (`MAX_BURST`).
        pub burst: PositiveSpan = "150 ms",
        /// Weight of the difference between delay and target, in 1/s (alpha).
        pub alpha: PositiveNumber = "0.125",
        /// Weight of the change of the delay, in 1/s (beta).
        pub beta: PositiveNumber = "1.25",
        /// How the delay of the queue is estimated (RFC 8033 sections 4.3 and 5.2).
        pub delay_estimate: DelayEstimate = "timestamps" or ["departure-rate"],
        /// When the probability decays by a fiftieth in each period. RFC 8033 section 4.2 and appendix A give one condition, appendix B
        /// another.
        pub decay: Decay = "without-queue" or ["below-half-target"],
        /// The packet size that PIE assumes: a queue of no more than two such packets drops nothing (`MEAN_PKTSIZE`).
        pub mean_packet: Bytes = "1024 B",
        /// Whether packets of connections that support ECN (RFC 3168) are marked instead of dropped while the probability is below
        /// `ecn_limit`.
        pub ecn: bool = "true" or ["false"],
        /// The probability from which packets are dropped even if they could be marked (`mark_ecnth`; RFC 8033 section 5.1).
        pub ecn_limit: Probability = "0.1",
    }
    build(config, context) { Box::new(Queue::new(config, context)) }
    objections(config, context) { context.objection_to_period(config.update_period.0).into_iter().collect() }
}

/// Between these sums of probabilities since the last drop chance decides; below nothing is dropped, above something is (section 5.4).
const CHANCE_DECIDES: std::ops::Range<f64> = 0.85..8.5;

/// One queue with its controller.
pub(super) struct Queue {
    config: ProportionalIntegral,
    room: Room,
    queue: PacketQueue,
    control: Control,
    departures: Departures,
    chance: Stream,
}

/// The state of the controller, updated every period.
#[derive(Clone, Debug, Default)]
struct Control {
    /// When the latest period began; `None` while the queue is short and nothing is measured.
    period_began: Option<Time>,
    probability: f64,
    /// The delay in seconds when a period began, and when the one before did (`qdelay_old_`).
    delay: f64,
    /// Sum of the drop probabilities since the last drop (`accu_prob_`).
    accumulated: f64,
    burst_left: Span,
}

impl Queue {
    pub fn new(config: &ProportionalIntegral, context: &QueueContext) -> Self {
        Self {
            config: config.clone(),
            room: context.room,
            queue: PacketQueue::default(),
            control: Control::default(),
            departures: Departures::default(),
            chance: context.chance.clone(),
        }
    }

    /// Does what was to be done at the ends of the periods until `now`, in which nothing came and nothing left.
    fn catch_up(&mut self, now: Time) {
        let period = self.config.update_period.0;
        while let Some(end) = self.control.period_began.map(|began| began + period).filter(|end| *end <= now) {
            let (delay, before) = (self.current_delay(), self.control.delay);
            self.control.update(&self.config, delay);
            let is_over = self.queue.is_empty() && self.control.probability == 0.0 && delay == 0.0 && before == 0.0;
            self.control.period_began = (!is_over).then_some(end);
        }
    }

    /// The delay of the queue in seconds.
    fn current_delay(&self) -> f64 {
        match self.config.delay_estimate {
            _ if self.queue.is_empty() => 0.0,
            DelayEstimate::Timestamps => self.departures.latest_delay(),
            DelayEstimate::DepartureRate => self.departures.time_for(self.queue.bytes()),
        }
    }

    /// Whether an arriving packet is to be dropped although there is room (RFC 8033 sections 4.1 and 5.4).
    fn drops_early(&mut self) -> bool {
        let (config, control) = (&self.config, &mut self.control);
        let is_mild = control.delay < seconds(config.target.0) / 2.0 && control.probability < 0.2;
        let is_exempt = control.period_began.is_none() || control.burst_left > Span::ZERO;
        if is_exempt || is_mild || self.queue.bytes() <= 2 * config.mean_packet.0 {
            return false;
        }
        if control.probability == 0.0 {
            control.accumulated = 0.0;
        }
        control.accumulated += control.probability;
        if control.accumulated < CHANCE_DECIDES.start {
            return false;
        }
        let drops = control.accumulated >= CHANCE_DECIDES.end || self.chance.happens(control.probability);
        if drops {
            control.accumulated = 0.0;
        }
        drops
    }

    /// A packet was dropped since there was no room for it.
    pub fn refuse(&mut self) {
        self.control.accumulated = 0.0;
    }

    /// A queue that has become a third of the buffer begins to be controlled (RFC 8033 section 5.3).
    fn wake(&mut self, now: Time) {
        let room = &self.room;
        let is_long = room.packets.is_some_and(|most| 3 * self.queue.len() as u64 >= most)
            || room.bytes.is_some_and(|most| 3 * self.queue.bytes() >= most)
            || (*room == Room::default() && self.queue.bytes() > 2 * self.config.mean_packet.0);
        if self.control.period_began.is_none() && is_long {
            self.control = Control { period_began: Some(now), burst_left: self.config.burst.0, ..Control::default() };
            self.departures.begin(now);
        }
    }
}

impl Control {
    /// Sets the probability anew from the delay now (RFC 8033 sections 4.2 and 4.4).
    fn update(&mut self, config: &ProportionalIntegral, delay: f64) {
        let target = seconds(config.target.0);
        let is_calm = delay < target / 2.0 && self.delay < target / 2.0;
        let decays = match config.decay {
            Decay::WithoutQueue => delay == 0.0 && self.delay == 0.0,
            Decay::BelowHalfTarget => is_calm,
        };
        let step = config.alpha.0 * (delay - target) + config.beta.0 * (delay - self.delay);
        let mut step = step / damping(self.probability);
        if self.probability >= 0.1 {
            step = step.min(0.02);
        }
        self.probability += step;
        if decays {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_left = Span(self.burst_left.0.saturating_sub(config.update_period.0.0));
        if self.probability == 0.0 && is_calm {
            self.burst_left = config.burst.0;
        }
        self.delay = delay;
    }
}

/// By what a step is divided: the smaller the probability, the smaller the steps (RFC 8033 section 4.2).
fn damping(probability: f64) -> f64 {
    const SCALE: [(f64, f64); 6] =
        [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
    SCALE.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, divisor)| *divisor)
}

#[expect(clippy::cast_precision_loss, reason = "delays are far below 2^53 ps")]
fn seconds(span: Span) -> f64 {
    span.0 as f64 / PICOSECONDS_PER_SECOND as f64
}

impl QueueDiscipline for Queue {
    fn enqueue(&mut self, mut packet: Waiting, dropped: &mut Vec<Dropped>) {
        let now = packet.arrived;
        self.catch_up(now);
        if !self.room.admits(&self.queue, &packet) {
            self.refuse();
            dropped.push((packet.cell, Verdict::Overflow));
            return;
        }
        if self.drops_early() {
            let marks = self.config.ecn && self.control.probability < self.config.ecn_limit.0;
            if !(marks && packet.mark()) {
                dropped.push((packet.cell, Verdict::Refused));
                return;
            }
        }
        self.queue.push(packet);
        self.wake(now);
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        self.catch_up(now);
        let packet = self.queue.pop()?;
        self.departures.note(now, &packet, self.queue.bytes());
        Some(packet)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.queue.visit(visit);
    }
}

#[cfg(test)]
mod tests {
    use longfat_hosts::transport::Codepoint;

    use super::super::test_support::{Bench, at, context, packet, read};
    use super::*;

    fn updated(control: &mut Control, delays: &[f64]) -> f64 {
        let config: ProportionalIntegral = read("{}");
        delays.iter().for_each(|&delay| control.update(&config, delay));
        control.probability
    }

    #[test]
    fn the_probability_moves_with_the_delay_and_its_change_in_steps_that_grow_with_it() {
        let mut control = Control::default();
        // alpha (30 - 15) ms + beta (30 - 0) ms = 0.001875 + 0.0375, by 2048 below a millionth.
        let first = (0.001_875 + 0.0375) / 2048.0;
        assert!((updated(&mut control, &[0.030]) - first).abs() < 1e-12);
        // The delay stays: only alpha's part, by 128 below a ten-thousandth.
        assert!((updated(&mut control, &[0.030]) - (first + 0.001_875 / 128.0)).abs() < 1e-12);
    }

    #[test]
    fn steps_are_damped_by_the_range_that_the_probability_is_in() {
        let expected =
            [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (5e-2, 2.0), (0.5, 1.0)];
        for (probability, divisor) in expected {
            assert_eq!(damping(probability), divisor);
        }
    }

    #[test]
    fn a_large_probability_grows_by_a_fiftieth_at_most_and_falls_faster() {
        let mut control = Control { probability: 0.3, delay: 0.1, ..Control::default() };
        assert!((updated(&mut control, &[0.5]) - 0.32).abs() < 1e-12);
        let fall = 0.125 * (0.015 - 0.015) + 1.25 * (0.015 - 0.5);
        assert!((updated(&mut control, &[0.015]) - (0.32_f64 + fall).max(0.0)).abs() < 1e-12);
    }

    #[test]
    fn without_a_queue_the_probability_decays() {
        let mut control = Control { probability: 0.5, delay: 0.0, ..Control::default() };
        let expected = (0.5 - 0.125 * 0.015) * 0.98;
        assert!((updated(&mut control, &[0.0]) - expected).abs() < 1e-12);
    }

    #[test]
    fn where_appendix_b_is_followed_it_decays_below_half_of_the_target_as_well() {
        let after = |decay: &str| {
            let config: ProportionalIntegral = read(&format!("{{ decay = \"{decay}\" }}"));
            let mut control = Control { probability: 0.5, delay: 0.005, ..Control::default() };
            control.update(&config, 0.005);
            control.probability
        };
        let step = 0.125 * (0.005 - 0.015);
        assert!((after("without-queue") - (0.5 + step)).abs() < 1e-12);
        assert!((after("below-half-target") - (0.5 + step) * 0.98).abs() < 1e-12);
    }

    #[test]
    fn a_burst_is_let_in_for_its_allowance_which_comes_back_when_all_is_well() {
        let mut control = Control { burst_left: Span::from_microseconds(40_000), ..Control::default() };
        updated(&mut control, &[0.020]);
        assert_eq!(control.burst_left, Span::from_microseconds(25_000));
        updated(&mut control, &[0.020, 0.020]);
        assert_eq!(control.burst_left, Span::ZERO);
        control.probability = 0.0;
        updated(&mut control, &[0.001, 0.001]);
        assert_eq!(control.burst_left, Span::from_microseconds(150_000));
    }

    #[test]
    fn what_happens_at_the_ends_of_periods_does_not_depend_on_when_it_is_looked_at() {
        let build = || {
            let mut queue = Queue::new(&read("{}"), &context(Room { packets: Some(30), bytes: None }));
            (0..20).for_each(|_| queue.enqueue(packet(0, Codepoint::NotCapable), &mut Vec::new()));
            _ = queue.dequeue(at(40), &mut Vec::new());
            queue
        };
        let (mut seldom, mut often) = (build(), build());
        seldom.catch_up(at(400));
        (40..=400).for_each(|milliseconds| often.catch_up(at(milliseconds)));
        assert_eq!(seldom.control.probability, often.control.probability);
        assert!(seldom.control.probability > 0.0);
        assert_eq!(seldom.control.period_began, Some(at(390)), "26 periods of 15 ms");
    }

    #[test]
    fn chance_decides_only_between_two_sums_of_probabilities() {
        let mut distances = Vec::new();
        for replication in 0..300 {
            let mut queue = Queue::new(&read("{}"), &context(Room { packets: Some(30), bytes: None }));
            queue.chance = longfat_foundation::random::Chance { seed: 1, replication }.stream("queue");
            (0..10).for_each(|_| queue.queue.push(packet(0, Codepoint::NotCapable)));
            queue.control = Control { period_began: Some(at(0)), probability: 0.1, delay: 0.02, ..Control::default() };
            distances.push((1..).find(|_| queue.drops_early()).expect("some time"));
        }
        // The sum is 0.9 with the ninth packet, and 8.5 with the 85th.
        assert_eq!(distances.iter().min(), Some(&9));
        assert!(distances.iter().all(|distance| *distance <= 86));
    }

    #[test]
    fn nothing_is_dropped_while_delay_and_probability_are_both_small() {
        let drops = |delay, probability| {
            let mut queue = Queue::new(&read("{}"), &context(Room::default()));
            (0..10).for_each(|_| queue.queue.push(packet(0, Codepoint::NotCapable)));
            queue.control = Control { period_began: Some(at(0)), probability, delay, ..Control::default() };
            (0..100).any(|_| queue.drops_early())
        };
        // Half of the target is 7.5 ms (RFC 8033 section 4.1).
        assert_eq!((drops(0.007, 0.19), drops(0.008, 0.19), drops(0.007, 0.2)), (false, true, true));
    }

    #[test]
    fn a_short_queue_is_never_dropped_from() {
        let mut queue = Queue::new(&read("{}"), &context(Room::default()));
        queue.control = Control { period_began: Some(at(0)), probability: 1.0, delay: 1.0, ..Control::default() };
        queue.queue.push(packet(0, Codepoint::NotCapable));
        assert!(!queue.drops_early(), "1500 bytes are no more than two packets of 1024");
        queue.queue.push(packet(0, Codepoint::NotCapable));
        assert!((0..10).any(|_| queue.drops_early()));
    }

    #[test]
    fn packets_are_marked_while_the_probability_is_small_and_dropped_when_it_is_large() {
        for (limit, dropped, marked) in [("1.0", 0, 1), ("0.0", 1, 0)] {
            let mut bench =
                Bench::with_packets(&format!("{{ kind = \"pie\", ecn_limit = {limit}, burst = \"1 ps\" }}"), 60);
            // Packets leave more slowly than they come: the delay is soon far above the target.
            bench.arrive(0, &[0; 40]);
            for milliseconds in (10..500).step_by(10) {
                bench.serve(milliseconds, 1);
                bench.arrive_capable(milliseconds, &[0]);
            }
            while bench.held() > 0 {
                bench.serve(500, 1);
            }
            let (is_dropped, is_marked) = (usize::from(!bench.dropped().is_empty()), bench.take_marked().min(1));
            assert_eq!((is_dropped, is_marked), (dropped, marked), "limit {limit}");
        }
    }
}

#[cfg(test)]
mod steps;
