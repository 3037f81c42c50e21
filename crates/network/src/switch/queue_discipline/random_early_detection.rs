//! Random early detection.

mod readings;

use longfat_foundation::config::{Fraction, Probability};
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Rate, Time};

use self::readings::{IdleSamples, Spacing, Treatment};
use super::level::{Level, Measure};
use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::model! {
    /// Drops arriving packets with a probability that rises with the average queue length, so that connections notice one by one, before
    /// the buffer is full. The probability also rises with the number of packets since the last drop, which spreads drops out.
    #[name = "red"]
    #[source = "Floyd and Jacobson 1993, figure 2; gentle: Floyd 2000"]
    pub struct RandomEarlyDetection: dyn QueueDiscipline {
        /// The average queue length below which nothing is dropped early. If given in bytes, the queue is counted in bytes, and larger
        /// packets are dropped more often in proportion.
        minimum: Level = "5 packets",
        /// The average queue length at which the drop probability reaches `maximum_probability`.
        maximum: Level = "15 packets",
        /// The drop probability at the maximum, before it is corrected for the number of packets since the last drop.
        maximum_probability: Probability = "0.02" or ["0.1"],
        /// The weight of a new queue length in the average.
        weight: Fraction = "0.002",
        /// Whether the probability keeps rising above the maximum, to 1 at twice the maximum, instead of jumping to 1 there.
        gentle: bool = "true" or ["false"],
        /// Whether packets of connections that support ECN (RFC 3168) are marked instead of dropped.
        ecn: bool = "true" or ["false"],
        /// Whether all packets are dropped, not marked, above the maximum (with `gentle`, above twice the maximum), as RFC 3168 section 7
        /// says. If not, every packet that can be marked is marked there: with a weight of 1 this is the step that DCTCP expects (RFC 8257
        /// section 4.1).
        hard_drop: bool = "true" or ["false"],
        /// Distances between early drops. Figure 2 spreads them from the last drop on; ns-2 also waits between drops (`wait_`), which makes
        /// the mean distance three times as long.
        spacing: Spacing = "uniform" or ["uniform-after-wait"],
        /// Treatment of a packet that finds a short queue: at most one packet, or none if bytes are counted. Figure 2 looks at the
        /// average alone; ns-2 lets such a packet in.
        short_queue: Treatment = "may-be-dropped" or ["let-in"],
        /// Treatment of the first packet that finds the average between the minimum and the level from which all are dropped. In figure 2
        /// it may be dropped, and counts as 0; in ns-2 it is let in and counts as 1, also each time after a short queue was let in.
        first_above_minimum: Treatment = "may-be-dropped" or ["let-in"],
        /// Samples of an empty queue in the average when an idle time ends. Figure 2 has those of the idle time; ns-2 has one more.
        samples_after_idle: IdleSamples = "idle-time" or ["idle-time-and-arrival"],
    }
    build(config, context) { Box::new(Queue::new(config, context)) }
    objections(config, context) {
        config.objection(context).into_iter().collect()
    }
}

impl RandomEarlyDetection {
    fn objection(&self, context: &QueueContext) -> Option<(&'static str, String)> {
        let settle = |key, level: Level| {
            let message = "a share of a buffer without limit; write \"5 packets\" or \"15 kB\"";
            level.settled(context).ok_or_else(|| (key, message.to_owned()))
        };
        let (low, high) = match (settle("minimum", self.minimum), settle("maximum", self.maximum)) {
            (Err(objection), _) | (_, Err(objection)) => return Some(objection),
            (Ok(low), Ok(high)) => (low, high),
        };
        if low.0 != high.0 {
            return Some(("maximum", "counts in another unit than minimum; packets or bytes for both".into()));
        }
        (low.1 >= high.1).then(|| ("minimum", "must be below maximum; lower it, or raise port.queue.maximum".into()))
    }
}

struct Queue {
    config: RandomEarlyDetection,
    room: Room,
    queue: PacketQueue,
    measure: Measure,
    minimum: f64,
    maximum: f64,
    /// Bytes that a packet of average size has: to it the probability belongs, where bytes are counted.
    full_packet_bytes: u64,
    /// Rate of the line, at which the average decays while the queue is empty.
    rate: Rate,
    /// avg.
    average: f64,
    /// Packets since the last drop (count), once the average is above the minimum.
    since_drop: Option<u64>,
    /// Since when there was nothing to send.
    idle_since: Option<Time>,
    chance: Stream,
}

impl Queue {
    fn new(config: &RandomEarlyDetection, context: &QueueContext) -> Self {
        let (measure, minimum) = config.minimum.settled(context).unwrap_or((Measure::Packets, f64::INFINITY));
        Self {
            config: config.clone(),
            room: context.room,
            queue: PacketQueue::default(),
            measure,
            minimum,
            maximum: config.maximum.settled(context).map_or(f64::INFINITY, |(_, level)| level),
            full_packet_bytes: context.full_packet_bytes,
            rate: context.rate,
            average: 0.0,
            since_drop: None,
            idle_since: Some(Time::ZERO),
            chance: context.chance.clone(),
        }
    }

    /// The average after an arrival: one sample; after an idle time as many of an empty queue as packets could have been sent.
    fn update_average(&mut self, now: Time) {
        let weight = self.config.weight.0;
        match self.idle_since.take() {
            Some(since) => {
                let arrival = u64::from(self.config.samples_after_idle == IdleSamples::IdleTimeAndArrival);
                let packets = self.packets_in(now, since).saturating_add(arrival);
                self.average *= power(1.0 - weight, packets);
            }
            None => self.average += weight * (self.measure.of(&self.queue) - self.average),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "so many packets that nothing is left of the average")]
    fn packets_in(&self, now: Time, since: Time) -> u64 {
        let bits = self.rate.bits_in(now - since);
        (bits / u128::from(8 * self.full_packet_bytes)).min(u128::from(u64::MAX)) as u64
    }

    /// The probability for the average (`p_b`), or `None` if all are dropped.
    fn base_probability(&self) -> Option<f64> {
        let most = self.config.maximum_probability.0;
        if self.average < self.maximum {
            Some(most * (self.average - self.minimum) / (self.maximum - self.minimum))
        } else if self.config.gentle && self.average < 2.0 * self.maximum {
            Some(most + (1.0 - most) * (self.average - self.maximum) / self.maximum)
        } else {
            None
        }
    }

    /// The decision about a packet that arrives.
    fn judge(&mut self, packet: &Waiting) -> Judgment {
        if self.average < self.minimum || self.is_spared_by_short_queue() {
            self.since_drop = None;
            return Judgment::LetIn;
        }
        let Some(base) = self.base_probability() else {
            self.begin_count();
            return if self.config.hard_drop { Judgment::Drop } else { Judgment::Notify };
        };
        if self.since_drop.is_none() && self.lets_first_in() {
            self.since_drop = Some(1);
            return Judgment::LetIn;
        }
        let count = self.since_drop.map_or(0, |packets| packets + 1);
        self.since_drop = Some(count);
        if self.chance.happens(self.config.spacing.probability(self.scaled(base, packet), count)) {
            self.since_drop = Some(0);
            return Judgment::Notify;
        }
        Judgment::LetIn
    }

    /// Begins the count anew at a drop. ns-2 lets the first packet in although others were dropped before it without being judged.
    fn begin_count(&mut self) {
        if self.since_drop.is_some() || !self.lets_first_in() {
            self.since_drop = Some(0);
        }
    }

    fn lets_first_in(&self) -> bool {
        self.config.first_above_minimum == Treatment::LetIn
    }

    fn is_spared_by_short_queue(&self) -> bool {
        self.config.short_queue == Treatment::LetIn && self.measure.of(&self.queue) <= 1.0
    }

    #[expect(clippy::cast_precision_loss, reason = "a packet's bytes")]
    fn scaled(&self, base: f64, packet: &Waiting) -> f64 {
        match self.measure {
            Measure::Packets => base,
            Measure::Bytes => base * packet.bytes as f64 / self.full_packet_bytes as f64,
        }
    }
}

#[derive(Debug)]
enum Judgment {
    LetIn,
    /// Marked, if its ends understand; dropped otherwise.
    Notify,
    Drop,
}

/// By squaring, so that it is the same on every machine.
fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 && result > 0.0 {
        if left % 2 == 1 {
            result *= square;
        }
        square *= square;
        left /= 2;
    }
    result
}

impl QueueDiscipline for Queue {
    fn enqueue(&mut self, mut packet: Waiting, dropped: &mut Vec<Dropped>) {
        let was_idle = self.idle_since.is_some();
        self.update_average(packet.arrived);
        let is_refused = match self.judge(&packet) {
            Judgment::LetIn => false,
            Judgment::Notify => !(self.config.ecn && packet.mark()),
            Judgment::Drop => true,
        };
        if is_refused {
            dropped.push((packet.cell, Verdict::Refused));
        } else if !self.queue.push_within(&self.room, packet, dropped) {
            self.begin_count();
        }
        // One that is refused leaves an idle line idle: the average has decayed until now, and goes on from here, as in ns-2, where
        // the line asks for a packet again and finds none. By the letter of figure 2 the whole idle time would count again for the next packet.
        if was_idle && self.queue.is_empty() {
            self.idle_since = Some(packet.arrived);
        }
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        let packet = self.queue.pop();
        if packet.is_none() {
            self.idle_since = Some(now);
        }
        packet
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

    pub(super) fn queue(parameters: &str) -> Queue {
        Queue::new(&read(parameters), &context(Room::default()))
    }

    pub(super) fn arrive(queue: &mut Queue, milliseconds: u64) -> bool {
        let mut dropped = Vec::new();
        queue.enqueue(packet(milliseconds, Codepoint::NotCapable), &mut dropped);
        dropped.is_empty()
    }

    #[test]
    fn the_average_follows_the_queue_as_each_packet_finds_it() {
        let mut queue = queue("{ weight = 0.5 }");
        let averages: Vec<f64> = (0..4)
            .map(|_| {
                arrive(&mut queue, 0);
                queue.average
            })
            .collect();
        // Found: 0 (after no idle time), 1, 2, 3.
        assert_eq!(averages, [0.0, 0.5, 1.25, 2.125]);
    }

    /// Figure 2: the count begins again with every drop. Below the minimum nobody counts.
    #[test]
    fn a_packet_that_finds_no_room_begins_the_count_anew() {
        let mut queue = Queue::new(&read("{}"), &context(Room { packets: Some(1), bytes: None }));
        let counts = [0, 1].map(|milliseconds| {
            queue.enqueue(packet(milliseconds, Codepoint::NotCapable), &mut Vec::new());
            queue.since_drop
        });
        assert_eq!(counts, [None, Some(0)]);
    }

    /// RFC 8257 section 4.1: with a weight of 1 and no hard drops, all that finds more than K is marked.
    #[test]
    fn without_hard_drops_all_are_marked_above_the_maximum() {
        for (hard_drop, judgment) in [(true, "Drop"), (false, "Notify")] {
            let mut queue = queue(&format!(
                "{{ weight = 1.0, minimum = \"2 packets\", maximum = \"3 packets\", gentle = false, hard_drop = {hard_drop} }}"
            ));
            let judge = |queue: &mut Queue, average| {
                queue.average = average;
                format!("{:?}", queue.judge(&packet(0, Codepoint::Classic)))
            };
            assert_eq!(judge(&mut queue, 2.0), "LetIn");
            assert_eq!(judge(&mut queue, 3.0), judgment);
        }
    }

    #[test]
    fn while_the_queue_is_empty_the_average_decays_as_if_packets_had_found_it_so() {
        let mut queue = queue("{ weight = 0.5 }");
        (0..4).for_each(|_| _ = arrive(&mut queue, 0));
        (0..5).for_each(|_| _ = queue.dequeue(at(7), &mut Vec::new()));
        arrive(&mut queue, 17);
        assert_eq!(queue.average, 2.125 / 1024.0, "ten packets of a millisecond each");
    }

    #[test]
    fn an_idle_time_goes_on_after_a_packet_that_is_refused_and_none_of_it_counts_twice() {
        let mut queue = queue("{ weight = 0.5, minimum = \"1 packets\", maximum = \"2 packets\", gentle = false }");
        queue.average = 4096.0;
        queue.idle_since = Some(at(0));
        assert!(!arrive(&mut queue, 3), "4096 / 8 is above the maximum");
        assert!(!arrive(&mut queue, 5));
        assert_eq!(queue.average, 4096.0 / 32.0, "three packets of a millisecond each, and two more");
    }

    #[test]
    fn a_packet_that_is_refused_while_another_is_being_sent_begins_no_idle_time() {
        let mut queue = queue("{ weight = 0.5, minimum = \"1 packets\", maximum = \"2 packets\", gentle = false }");
        arrive(&mut queue, 0);
        assert!(queue.dequeue(at(0), &mut Vec::new()).is_some());
        queue.average = 4096.0;
        assert!(!arrive(&mut queue, 0));
        assert!(!arrive(&mut queue, 0));
        assert_eq!(queue.average, 4096.0 / 4.0, "each has found an empty queue");
    }

    /// Floyd and Jacobson 1993, figure 2: `count` is -1 below the minimum, and is raised before the probability is taken.
    #[test]
    fn packets_since_the_last_drop_are_counted_from_the_first_above_the_minimum() {
        let mut queue = queue("{}");
        let judge = |queue: &mut Queue, average| {
            queue.average = average;
            queue.judge(&packet(0, Codepoint::NotCapable));
            queue.since_drop
        };
        // Probabilities of 0, so that chance has no part.
        assert_eq!(judge(&mut queue, 5.0), Some(0), "p_a = p_b");
        assert_eq!(judge(&mut queue, 5.0), Some(1), "p_a = p_b / (1 - p_b)");
        assert_eq!(judge(&mut queue, 5.0), Some(2));
        assert_eq!(judge(&mut queue, 4.9), None);
        assert_eq!(judge(&mut queue, 5.0), Some(0));
        assert_eq!(judge(&mut queue, 5.0), Some(1));
        assert_eq!(judge(&mut queue, 31.0), Some(0), "dropped");
    }

    #[test]
    fn the_probability_rises_from_the_minimum_to_the_maximum_and_gently_on() {
        let mut queue = queue("{}");
        let probability = |queue: &mut Queue, average| {
            queue.average = average;
            queue.base_probability()
        };
        assert_eq!(probability(&mut queue, 5.0), Some(0.0));
        assert_eq!(probability(&mut queue, 10.0), Some(0.01));
        assert_eq!(probability(&mut queue, 15.0), Some(0.02));
        assert_eq!(probability(&mut queue, 22.5), Some(0.02 + 0.98 * 0.5));
        assert_eq!(probability(&mut queue, 30.0), None);
        queue.config.gentle = false;
        assert_eq!(probability(&mut queue, 10.0), Some(0.01));
        assert_eq!(probability(&mut queue, 15.0), None);
    }

    #[test]
    fn in_bytes_smaller_packets_are_dropped_less_often() {
        let queue = queue("{ minimum = \"7500 B\", maximum = \"22500 B\" }");
        let small = Waiting { bytes: 150, ..packet(0, Codepoint::NotCapable) };
        assert_eq!(queue.scaled(0.02, &small), 0.002);
        assert_eq!(queue.scaled(0.02, &packet(0, Codepoint::NotCapable)), 0.02);
    }

    #[test]
    fn above_the_maximum_even_packets_that_could_be_marked_are_dropped() {
        let red = "{ kind = \"red\", weight = 1.0, minimum = \"1 packets\", maximum = \"2 packets\", maximum_probability = 1.0, gentle = false }";
        let mut bench = Bench::new(red);
        bench.arrive_capable(0, &[0, 0, 0]);
        assert_eq!((bench.dropped().as_str(), bench.held()), ("0x", 2), "the third finds two");
        let mut bench = Bench::new(&red.replace("gentle = false", "gentle = true"));
        bench.arrive_capable(0, &[0, 0, 0, 0, 0]);
        assert_eq!((bench.dropped().as_str(), bench.held()), ("0x", 4), "the fifth finds four");
        bench.serve(1, 4);
        assert_eq!(bench.take_marked(), 2, "the third and the fourth, with probability 1");
    }
}
