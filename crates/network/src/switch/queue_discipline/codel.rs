//! `CoDel`.

use longfat_foundation::config::{PositiveSpan, SpanIfAny};
use longfat_foundation::units::Time;

use super::controlled_delay::{ControlledDelay, Law, SquareRoot};
use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting};
use crate::framing::Cell;
use crate::switch::Dropped;

longfat_foundation::model! {
    /// Controlled delay. When packets have waited longer than the target for a whole interval, CoDel drops one as it leaves the queue. It
    /// then drops at shrinking intervals, in inverse proportion to the square root of the number of drops, until a packet has waited less
    /// than the target.
    #[name = "codel"]
    #[source = "RFC 8289"]
    pub struct Codel: dyn QueueDiscipline {
        /// The acceptable delay of a standing queue.
        target: PositiveSpan = "5 ms",
        /// How long the delay must stay above the target before packets are dropped: about a round trip of the slowest connections.
        interval: PositiveSpan = "100 ms",
        /// Whether packets of connections that support ECN (RFC 3168) are marked instead of dropped.
        ecn: bool = "true" or ["false"],
        /// How the square root of the number of drops is computed. With many connections, Linux's approximation drops sooner when dropping
        /// resumes, and packets wait less.
        square_root: SquareRoot = "exact" or ["newton"],
        /// Packets that can be marked (ECN; RFC 3168) are marked when they have waited for longer than this, besides what the law does and whatever
        /// `ecn` says, as in Linux, for senders such as DCTCP; 0 for no such threshold.
        ce_threshold: SpanIfAny = "0 s",
    }
    build(config, context) {
        Box::new(Queue {
            room: context.room,
            queue: PacketQueue::default(),
            control: ControlledDelay::new(config.law(context)).marking_above(config.ce_threshold.0),
        })
    }
}

impl Codel {
    fn law(&self, context: &QueueContext) -> Law {
        Law {
            target: self.target.0,
            interval: self.interval.0,
            full_packet_bytes: context.full_packet_bytes,
            marks: self.ecn,
            square_root: self.square_root,
        }
    }
}

struct Queue {
    room: Room,
    queue: PacketQueue,
    control: ControlledDelay,
}

impl QueueDiscipline for Queue {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        self.queue.push_within(&self.room, packet, dropped);
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        self.control.dequeue(now, &mut self.queue, dropped)
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
    use super::super::test_support::Bench;

    /// A bench with a long queue of packets that all came at 0; one is taken every 10 ms from 10 ms on, which is above the target.
    fn backlog(discipline: &str) -> Bench {
        let mut bench = Bench::new(discipline);
        bench.arrive(0, &[0; 200]);
        bench
    }

    #[test]
    fn the_first_drop_comes_an_interval_after_the_delay_was_first_seen_above_the_target() {
        let mut bench = backlog("codel");
        // Seen at 10 ms; 100 ms later is 110 ms.
        (1..=10).for_each(|step| _ = bench.serve(10 * step, 1));
        assert_eq!(bench.dropped(), "");
        bench.serve(110, 1);
        assert_eq!(bench.dropped(), "0x");
    }

    #[test]
    fn further_drops_follow_at_the_interval_over_the_square_root_of_their_number() {
        let mut bench = backlog("codel");
        let mut times = Vec::new();
        for milliseconds in 10..900 {
            bench.serve_if_due(milliseconds, 5);
            (0..bench.take_dropped().len()).for_each(|_| times.push(milliseconds));
        }
        // From the first at 110 ms: + 100, + 100 / sqrt 2 = 70.7, + 57.7, + 50, + 44.7, ..., each at the next multiple of 5 ms,
        // where packets are sent: 110, 210, 280.7, 338.4, 388.4, 433.2, 474.0, 511.8, 547.1, 580.5, 612.1.
        assert_eq!(times[..11], [110, 210, 285, 340, 390, 435, 475, 515, 550, 585, 615]);
    }

    /// `codel_Newton_step` of Linux: x = x (3 - count x x) / 2, from 1 on.
    #[test]
    fn by_newtons_iteration_the_square_root_lags_behind_the_number_of_drops() {
        let mut bench = backlog("{ kind = \"codel\", square_root = \"newton\" }");
        let mut times = Vec::new();
        for milliseconds in 10..500 {
            bench.serve(milliseconds, 1);
            (0..bench.take_dropped().len()).for_each(|_| times.push(milliseconds));
            bench.arrive(milliseconds, &[0]);
        }
        // After the first, 100 ms; x = 1 (3 - 2) / 2 = 0.5, 0.5 (3 - 3 / 4) / 2 = 0.5625, 0.5625 (3 - 4 x 0.31641) / 2 = 0.48779,
        // 0.48779 (3 - 5 x 0.23794) / 2 = 0.44153: 110, 210, 260, 316.25, 365.03, 409.2.
        assert_eq!(times[..6], [110, 210, 260, 317, 366, 410]);
    }

    #[test]
    fn drops_that_have_become_due_while_nothing_was_taken_are_made_up_for_at_once() {
        let mut bench = backlog("codel");
        (1..=11).for_each(|step| _ = bench.serve(10 * step, 1));
        assert_eq!(bench.take_dropped().len(), 1, "at 110 ms");
        // Due since then: 210, 280.7, 338.4 and 388.4 ms, and the next at 433.2 ms.
        bench.serve(400, 1);
        assert_eq!(bench.take_dropped().len(), 4);
        bench.serve(430, 1);
        assert_eq!(bench.take_dropped().len(), 0);
        bench.serve(435, 1);
        assert_eq!(bench.take_dropped().len(), 1);
    }

    #[test]
    fn after_sixteen_intervals_without_trouble_it_begins_anew() {
        let drops_again_within = |pause: u64| {
            let mut bench = backlog("codel");
            (2..=100).for_each(|step| _ = bench.serve(5 * step, 1));
            while bench.held() > 0 {
                bench.serve(505, 1);
            }
            bench.take_dropped();
            bench.arrive(pause, &[0; 200]);
            // Above the target from 10 ms on, so the first drop is at 110 ms; the second soon after only if the last trouble is remembered.
            (1..=11).for_each(|step| _ = bench.serve(pause + 10 * step, 1));
            assert_eq!(bench.take_dropped().len(), 1);
            bench.serve(pause + 200, 1);
            !bench.take_dropped().is_empty()
        };
        // The next drop would have been after 475 ms; 16 intervals more are 1600 ms.
        assert!(drops_again_within(1900));
        assert!(!drops_again_within(2100));
    }

    #[test]
    fn a_packet_that_has_waited_less_ends_it_and_a_new_trouble_soon_after_begins_where_it_ended() {
        let mut bench = backlog("codel");
        (2..=100).for_each(|step| _ = bench.serve(5 * step, 1));
        let drops = bench.take_dropped().len();
        assert_eq!(drops, 7, "at 110, 210, 285, 340, 390, 435 and 475 ms");
        // Everything else leaves at once, the last packets below a full packet's bytes, which is a good sign.
        while bench.held() > 0 {
            bench.serve(505, 1);
        }
        bench.take_dropped();
        bench.arrive(510, &[0; 200]);
        // Above the target from 520 ms on: the next drop is at 620 ms. Then not + 100 ms: the seven drops, less the one of the
        // beginning, are taken up, and 100 / sqrt 6 = 40.8 ms later comes another.
        (0..=9).for_each(|step| _ = bench.serve(520 + 10 * step, 1));
        assert_eq!(bench.take_dropped().len(), 0);
        bench.serve(620, 1);
        assert_eq!(bench.take_dropped().len(), 1);
        bench.serve(655, 1);
        assert_eq!(bench.take_dropped().len(), 0);
        bench.serve(665, 1);
        assert_eq!(bench.take_dropped().len(), 1);
    }

    #[test]
    fn packets_of_ends_that_understand_are_marked_at_the_times_at_which_others_are_dropped() {
        let mut bench = Bench::new("codel");
        bench.arrive_capable(0, &[0; 200]);
        let mut times = Vec::new();
        for milliseconds in (10..400).step_by(5) {
            bench.serve(milliseconds, 1);
            (0..bench.take_marked()).for_each(|_| times.push(milliseconds));
        }
        assert_eq!(times, [110, 210, 285, 340, 390]);
        assert_eq!(bench.dropped(), "");
    }

    /// Twenty packets that leave a millisecond apart: the first six have waited for up to 5 ms, and the others for longer. `ecn` is about drops.
    #[test]
    fn packets_that_have_waited_for_longer_than_the_threshold_are_marked() {
        for ecn in ["true", "false"] {
            let mut bench = Bench::new(&format!("{{ kind = \"codel\", ce_threshold = \"5 ms\", ecn = {ecn} }}"));
            bench.arrive_capable(0, &[0; 20]);
            let mut marked = Vec::new();
            for milliseconds in 0..20 {
                bench.serve(milliseconds, 1);
                (0..bench.take_marked()).for_each(|_| marked.push(milliseconds));
            }
            assert_eq!(marked, (6..20).collect::<Vec<_>>());
        }
        let mut bench = Bench::new("{ kind = \"codel\", ce_threshold = \"5 ms\" }");
        bench.arrive(0, &[0; 20]);
        assert_eq!((bench.serve(6, 1), bench.take_marked(), bench.dropped()), ("0".into(), 0, String::new()));
    }

    /// RFC 8289 section 5.6: `sojourn_time < TARGET` is good, and a packet is dropped at `first_above_time_` itself.
    #[test]
    fn a_packet_that_has_waited_for_just_the_target_is_above_it() {
        let dropped = |target: &str| {
            let mut bench = Bench::new(&format!("{{ kind = \"codel\", target = {target:?} }}"));
            let mut times = Vec::new();
            for milliseconds in 0..300 {
                bench.arrive(milliseconds, &[0]);
                if milliseconds >= 4 {
                    bench.serve(milliseconds, 1);
                }
                times.extend(bench.take_dropped().iter().map(|_| milliseconds));
            }
            times
        };
        // All wait 4 ms; with one dropped, all wait 3 ms.
        assert_eq!(dropped("4 ms"), [104]);
        assert!(dropped("4.001 ms").is_empty());
    }

    #[test]
    fn a_queue_of_one_packet_is_never_bad_however_long_it_has_waited() {
        let mut bench = Bench::new("codel");
        for step in 1..100 {
            bench.arrive(1000 * step, &[0, 0]);
            bench.serve(1000 * step + 500, 2);
        }
        assert_eq!(bench.dropped(), "");
    }
}
