//! `DualPI2`.

use longfat_foundation::config::{Fraction, PositiveNumber, PositiveSpan};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};
use longfat_hosts::transport::Codepoint;

use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::choice! {
    /// Which of the two queues sends next when packets wait in both.
    pub enum Turns {
        /// The one whose first packet has waited longer; `time_shift` is added to the waiting time of the low-latency queue.
        TimeShifted = "time-shifted",
        /// In turns, by bytes: the classic queue gets `classic_share` of the line.
        Weighted = "weighted",
    }
}

longfat_foundation::choice! {
    /// Whose delay drives the probability.
    pub enum DrivingDelay {
        /// The classic queue's (RFC 9332 appendix A.1).
        Classic = "classic",
        /// The larger of the two, so that low-latency traffic that ignores marks is controlled too.
        Larger = "larger",
    }
}

longfat_foundation::choice! {
    /// When it is seen that a packet waits alone, and may not be marked for its delay: on a slow line one packet is delay enough.
    pub enum LengthCheck {
        /// When it is sent: if none is left behind it (RFC 9332 appendix A.2, lines 5a to 5d). The last packet of a burst is then never
        /// marked. On lines where a packet takes longer than the ramp, paced connections may share unequally as a result.
        Dequeue = "dequeue",
        /// When it arrives: if no other is there (as in Linux, according to the note in that appendix).
        Enqueue = "enqueue",
    }
}

longfat_foundation::model! {
    /// Two coupled queues: one for connections that respond to marks in proportion (ECT(1), low latency), one for all others. A
    /// proportional integral controller computes p from the delay of the classic queue. The classic queue drops or marks with probability p
    /// squared; the low-latency queue marks with 2 p, or more if its own delay exceeds a short ramp. So connections of both kinds get about
    /// the same rate.
    #[name = "dualpi2"]
    #[source = "RFC 9332 appendix A.1"]
    pub struct DualPi2: dyn QueueDiscipline {
        /// The target delay of the classic queue.
        target: PositiveSpan = "15 ms",
        /// How often p is updated (`Tupdate`).
        update_period: PositiveSpan = "16 ms",
        /// Weight of the difference between delay and target, in 1/s.
        alpha: PositiveNumber = "0.16",
        /// Weight of the change of the delay, in 1/s.
        beta: PositiveNumber = "3.2",
        /// k, the factor by which p is multiplied for the low-latency queue. p squared is at most 1 / k squared; beyond that, packets are
        /// dropped because they find no room.
        coupling: PositiveNumber = "2",
        /// The delay of the low-latency queue from which it starts to mark on its own.
        ramp_begin: PositiveSpan = "800 us",
        /// The delay of the low-latency queue from which it marks every packet.
        ramp_end: PositiveSpan = "1200 us",
        /// When it is decided that a packet is alone in the low-latency queue, and so not marked for its delay.
        length_check: LengthCheck = "dequeue" or ["enqueue"],
        /// Which queue sends next when packets wait in both queues.
        turns: Turns = "time-shifted" or ["weighted"],
        /// The head start of the low-latency queue: its first packet counts as having waited this much longer.
        time_shift: PositiveSpan = "50 ms",
        /// The share of the line for the classic queue with `turns = "weighted"`.
        classic_share: Fraction = "0.1",
        /// Which queue's delay drives p.
        driving_delay: DrivingDelay = "classic" or ["larger"],
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(config, context) {
        let is_downward = config.ramp_begin >= config.ramp_end;
        let message = "must be below ramp_end; lower it, or raise port.queue.ramp_end";
        let downward = is_downward.then(|| ("ramp_begin", message.to_owned()));
        downward.into_iter().chain(context.objection_to_period(config.update_period.0)).collect()
    }
}

/// A queue that marks or drops a share of its packets at equal distances (`recur` of RFC 9332 appendix A.1).
#[derive(Default)]
struct Half {
    queue: PacketQueue,
    /// The sum of the likelihoods of its packets since the last one that was marked.
    count: f64,
}

impl Half {
    fn recurs(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        let recurs = self.count > 1.0;
        if recurs {
            self.count -= 1.0;
        }
        recurs
    }
}

struct Queues {
    config: DualPi2,
    room: Room,
    full_packet_bytes: u64,
    classic: Half,
    low_latency: Half,
    /// p, and the delay in seconds when it was set.
    probability: f64,
    delay: f64,
    next_update: Time,
    /// Bytes that the low-latency queue is owed, by shares of the line, where packets have waited in both queues.
    owed: f64,
}

impl Queues {
    fn new(config: &DualPi2, context: &QueueContext) -> Self {
        Self {
            config: config.clone(),
            room: context.room,
            full_packet_bytes: context.full_packet_bytes,
            classic: Half::default(),
            low_latency: Half::default(),
            probability: 0.0,
            delay: 0.0,
            next_update: Time::ZERO + config.update_period.0,
            owed: 0.0,
        }
    }

    /// Sets p anew for all times until `now`, between which nothing came and nothing left (`dualpi2_update`).
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            let delay = self.driving_delay(self.next_update);
            let change = self.config.alpha.0 * (delay - seconds(self.config.target.0))
                + self.config.beta.0 * (delay - self.delay);
            self.probability = (self.probability + change).clamp(0.0, 1.0);
            self.delay = delay;
            self.next_update += self.config.update_period.0;
        }
    }

    fn driving_delay(&self, now: Time) -> f64 {
        let classic = self.classic.queue.head_delay(now);
        seconds(match self.config.driving_delay {
            DrivingDelay::Classic => classic,
            DrivingDelay::Larger => classic.max(self.low_latency.queue.head_delay(now)),
        })
    }

    /// With which probability the classic queue drops or marks (`p_C`).
    fn classic_probability(&self) -> f64 {
        let most = 1.0 / (self.config.coupling.0 * self.config.coupling.0);
        (self.probability * self.probability).min(most)
    }

    /// With which probability the low-latency queue marks a packet that is sent now (`p_L`).
    fn low_latency_probability(&self, now: Time, packet: &Waiting) -> f64 {
        let coupled = (self.config.coupling.0 * self.probability).min(1.0);
        if self.waits_alone(packet) { coupled } else { coupled.max(self.ramp(packet.delay(now))) }
    }

    /// Whether a packet is all that there is of the low-latency queue (`Th_len` of one packet).
    fn waits_alone(&self, packet: &Waiting) -> bool {
        match self.config.length_check {
            LengthCheck::Dequeue => self.low_latency.queue.is_empty(),
            LengthCheck::Enqueue => packet.was_first,
        }
    }

    /// With which probability that queue marks for its own delay (`laqm`).
    fn ramp(&self, delay: Span) -> f64 {
        let (begin, end) = (seconds(self.config.ramp_begin.0), seconds(self.config.ramp_end.0));
        ((seconds(delay) - begin) / (end - begin)).clamp(0.0, 1.0)
    }

    /// Whether the low-latency queue sends next; some packet waits.
    fn low_latency_is_next(&self, now: Time) -> bool {
        let (low_latency, classic) = (&self.low_latency.queue, &self.classic.queue);
        if low_latency.is_empty() || classic.is_empty() {
            return classic.is_empty();
        }
        match self.config.turns {
            Turns::TimeShifted => low_latency.head_delay(now) + self.config.time_shift.0 >= classic.head_delay(now),
            Turns::Weighted => self.owed >= 0.0,
        }
    }

    /// Notes which queue has sent while packets wait in both.
    #[expect(clippy::cast_precision_loss, reason = "a packet's bytes")]
    fn settle(&mut self, packet: &Waiting, is_low_latency: bool) {
        let other = if is_low_latency { &self.classic } else { &self.low_latency };
        let share = self.config.classic_share.0;
        if other.queue.is_empty() {
            self.owed = 0.0;
        } else if is_low_latency {
            self.owed -= share * packet.bytes as f64;
        } else {
            self.owed += (1.0 - share) * packet.bytes as f64;
        }
    }
}

fn is_low_latency(cell: Cell) -> bool {
    matches!(cell.codepoint(), Codepoint::Scalable | Codepoint::CongestionExperienced)
}

#[expect(clippy::cast_precision_loss, reason = "delays are far below 2^53 ps")]
fn seconds(span: Span) -> f64 {
    span.0 as f64 / PICOSECONDS_PER_SECOND as f64
}

impl QueueDiscipline for Queues {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        self.catch_up(packet.arrived);
        // Room for a full packet, whatever this one's size: large ones are not at a disadvantage (figure 3 line 2).
        let bytes = self.classic.queue.bytes() + self.low_latency.queue.bytes() + self.full_packet_bytes;
        if !self.room.holds(self.len() + 1, bytes) {
            dropped.push((packet.cell, Verdict::Overflow));
        } else if is_low_latency(packet.cell) {
            self.low_latency.queue.push(packet);
        } else {
            self.classic.queue.push(packet);
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        self.catch_up(now);
        loop {
            let is_low_latency = self.low_latency_is_next(now);
            let half = if is_low_latency { &mut self.low_latency } else { &mut self.classic };
            let mut packet = half.queue.pop()?;
            let likelihood =
                if is_low_latency { self.low_latency_probability(now, &packet) } else { self.classic_probability() };
            let half = if is_low_latency { &mut self.low_latency } else { &mut self.classic };
            if half.recurs(likelihood) && !packet.mark() {
                dropped.push((packet.cell, Verdict::Refused));
                continue;
            }
            self.settle(&packet, is_low_latency);
            return Some(packet);
        }
    }

    fn len(&self) -> usize {
        self.classic.queue.len() + self.low_latency.queue.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.low_latency.queue.visit(visit);
        self.classic.queue.visit(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{Bench, at, context, packet, read};
    use super::*;

    fn queues(parameters: &str) -> Queues {
        Queues::new(&read(parameters), &context(Room::default()))
    }

    #[test]
    fn p_moves_by_the_distance_of_the_classic_delay_from_the_target_and_by_its_change() {
        let mut queues = queues("{}");
        queues.enqueue(packet(0, Codepoint::Classic), &mut Vec::new());
        // At 16 ms: 0.16 (16 - 15) ms + 3.2 (16 - 0) ms. At 32 ms: + 0.16 (32 - 15) ms + 3.2 (32 - 16) ms.
        queues.catch_up(at(17));
        let first = 0.16 * 0.001 + 3.2 * 0.016;
        assert!((queues.probability - first).abs() < 1e-12, "{}", queues.probability);
        queues.catch_up(at(32));
        assert!((queues.probability - (first + 0.16 * 0.017 + 3.2 * 0.016)).abs() < 1e-12);
        // The packet leaves: the delay is back at 0.
        _ = queues.dequeue(at(33), &mut Vec::new());
        queues.catch_up(at(48));
        let third: f64 = first + 0.16 * 0.017 + 3.2 * 0.016 - 0.16 * 0.015 - 3.2 * 0.032;
        assert!((queues.probability - third.max(0.0)).abs() < 1e-12);
    }

    #[test]
    fn the_classic_queue_gets_p_squared_and_the_other_twice_p_or_what_its_own_delay_says() {
        let mut queues = queues("{}");
        queues.low_latency.queue.push(packet(0, Codepoint::Scalable));
        queues.probability = 0.1;
        let after = |queues: &Queues, microseconds| {
            let now = Time::ZERO + Span::from_microseconds(microseconds);
            queues.low_latency_probability(now, &packet(0, Codepoint::Scalable))
        };
        assert!((queues.classic_probability() - 0.01).abs() < 1e-12);
        assert_eq!(after(&queues, 700), 0.2);
        assert!((after(&queues, 1000) - 0.5).abs() < 1e-9, "half way up the ramp");
        assert_eq!(after(&queues, 1300), 1.0);
        queues.probability = 0.9;
        assert_eq!(queues.classic_probability(), 0.25, "1 / k squared");
        assert_eq!(after(&queues, 0), 1.0);
        queues.low_latency.queue.pop();
        queues.probability = 0.1;
        assert_eq!(after(&queues, 5000), 0.2, "no queue is left behind the packet");
    }

    /// Three packets come at once and are sent after 5, 6 and 7 ms, all of them far beyond the ramp.
    #[test]
    fn of_a_burst_the_last_packet_is_not_marked_or_the_first_by_when_the_length_is_checked() {
        let marked = |parameters| {
            let mut queues = queues(parameters);
            (0..3).for_each(|_| queues.enqueue(packet(0, Codepoint::Scalable), &mut Vec::new()));
            [5, 6, 7].map(|time| queues.dequeue(at(time), &mut Vec::new()).expect("a packet").is_marked_here)
        };
        // What the likelihoods add up to must exceed 1: of packets that are all to be marked the first is not (`recur`).
        assert_eq!(marked("{}"), [false, true, false]);
        assert_eq!(marked(r#"{ length_check = "enqueue" }"#), [false, false, true]);
    }

    #[test]
    fn a_likelihood_recurs_at_equal_distances() {
        let mut half = Half::default();
        let recurs: Vec<_> = (1..=20).filter(|_| half.recurs(0.25)).collect();
        // The sum is above 1 for the first time with the fifth packet, then with every fourth.
        assert_eq!(recurs, [5, 9, 13, 17]);
    }

    #[test]
    fn a_packet_is_let_in_if_a_full_one_would_be() {
        let mut queues = Queues::new(&read("{}"), &context(Room { packets: None, bytes: Some(4000) }));
        let small = || Waiting { bytes: 100, ..packet(0, Codepoint::Classic) };
        let mut dropped = Vec::new();
        // 1500 bytes are a full packet here: there is room for one as long as no more than 2500 wait.
        (0..25).for_each(|_| queues.enqueue(small(), &mut dropped));
        assert_eq!((queues.len(), dropped.len()), (25, 0));
        queues.enqueue(small(), &mut dropped);
        assert_eq!((queues.len(), dropped.len()), (26, 0), "2500 bytes and 1500 fit");
        queues.enqueue(small(), &mut dropped);
        assert_eq!((queues.len(), dropped.len()), (26, 1), "2600 bytes and 1500 do not");
    }

    #[test]
    fn packets_go_by_their_codepoint_and_those_of_the_low_latency_queue_first_up_to_the_shift() {
        let mut bench = Bench::new("dualpi2");
        bench.arrive_with(0, &[1], Codepoint::Classic);
        bench.arrive_with(0, &[2], Codepoint::NotCapable);
        bench.arrive_with(20, &[3], Codepoint::Scalable);
        assert_eq!(bench.serve(20, 1), "3");
        bench.arrive_with(60, &[4], Codepoint::Scalable);
        assert_eq!(bench.serve(60, 3), "124", "60 ms are more than 50");
        bench.arrive_with(100, &[1], Codepoint::Classic);
        bench.arrive_with(150, &[3], Codepoint::Scalable);
        assert_eq!(bench.serve(150, 2), "31", "50 ms are not (RFC 9332 appendix B, scheduler)");
    }

    #[test]
    fn with_weights_each_queue_gets_its_share_by_bytes() {
        let mut bench = Bench::new(
            "{ kind = \"dualpi2\", turns = \"weighted\", classic_share = 0.25, ramp_begin = \"1 s\", ramp_end = \"2 s\" }",
        );
        bench.arrive_with(0, &[1; 20], Codepoint::Classic);
        bench.arrive_with(0, &[2; 20], Codepoint::Scalable);
        // 1500 bytes of the low-latency queue cost a quarter of them, of the classic one they earn three quarters.
        assert_eq!(bench.serve(1, 12), "212221222122");
    }

    #[test]
    fn low_latency_packets_are_marked_and_others_dropped_unless_their_ends_understand() {
        for (codepoint, dropped, marked) in
            [(Codepoint::Scalable, 0, 20), (Codepoint::Classic, 0, 9), (Codepoint::NotCapable, 9, 0)]
        {
            // So slow a period that p never changes.
            let mut queues = queues("{ update_period = \"1 h\" }");
            queues.probability = 0.5;
            (0..40).for_each(|_| queues.enqueue(packet(0, codepoint), &mut Vec::new()));
            let mut gone = Vec::new();
            let sent: Vec<_> = std::iter::from_fn(|| queues.dequeue(at(0), &mut gone)).collect();
            let counts = (gone.len(), sent.iter().filter(|packet| packet.is_marked_here).count());
            // 2 p = 1 marks all but the first, whose sum is not above 1; p squared = 1/4 every fourth.
            let expected = if codepoint == Codepoint::Scalable { (0, 39) } else { (dropped, marked) };
            assert_eq!(counts, expected, "{codepoint:?}");
        }
    }

    /// The classic queue's packet has waited for 60 ms.
    #[test]
    fn a_low_latency_packet_goes_first_if_it_has_waited_for_no_more_than_fifty_milliseconds_less() {
        let low_latency_is_next = |milliseconds| {
            let mut queues = queues("{}");
            queues.enqueue(packet(0, Codepoint::Classic), &mut Vec::new());
            queues.enqueue(packet(milliseconds, Codepoint::Scalable), &mut Vec::new());
            queues.low_latency_is_next(at(60))
        };
        assert!(low_latency_is_next(50) && !low_latency_is_next(51));
    }

    #[test]
    fn the_classic_queue_drops_no_more_than_one_over_the_square_of_the_coupling() {
        let mut queues = queues("{ coupling = 3 }");
        for (probability, classic) in [(0.3, 0.09), (0.9, 1.0 / 9.0)] {
            queues.probability = probability;
            assert!((queues.classic_probability() - classic).abs() < 1e-12);
        }
    }

    #[test]
    fn what_waits_in_both_queues_is_shown() {
        let mut queues = queues("{}");
        for codepoint in [Codepoint::Classic, Codepoint::Scalable, Codepoint::NotCapable] {
            queues.enqueue(packet(0, codepoint), &mut Vec::new());
        }
        let mut shown = Vec::new();
        queues.visit(&mut |cell| shown.push(cell.codepoint()));
        assert_eq!(shown, [Codepoint::Scalable, Codepoint::Classic, Codepoint::NotCapable]);
    }
}
