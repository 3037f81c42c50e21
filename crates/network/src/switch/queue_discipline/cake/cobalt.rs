//! COBALT: the control of one queue of CAKE in Linux (`cobalt_should_drop` of net/sched/sch_cake.c, 6.12). Names in code font are the kernel's.
//!
//! Against RFC 8289: the first drop comes an interval after the delay was above the target, counted anew each time; when the delay is below it
//! the count of drops goes down step by step, at the pace at which it went up; the last packet of a queue is not dropped. In a new queue the
//! second packet above the target is dropped at once: its root of the count is zero (`cobalt_vars_init`). BLUE, which acts where a buffer
//! overflows, is not modelled.

use longfat_foundation::units::{Span, Time};

use super::super::controlled_delay::Law;
use super::super::{PacketQueue, Waiting};
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

/// Full packets whose transmission a delay must exceed (`mtu_time * 4`). The kernel's other bound, by busy flows, holds for ingress only.
const LEAST_PACKETS: u64 = 4;

/// State of one queue (`struct cobalt_vars`).
#[derive(Clone, Debug)]
pub(super) struct Cobalt {
    law: Law,
    count: u64,
    /// Whether the root of the count was ever computed (`rec_inv_sqrt`).
    has_root: bool,
    drop_next: Time,
    is_dropping: bool,
}

impl Cobalt {
    pub fn new(law: Law) -> Self {
        Self { law, count: 0, has_root: false, drop_next: Time::ZERO, is_dropping: false }
    }

    /// The next packet to send from a queue, those before it that are dropped apart; `packet_time` is how long the line takes for a full packet.
    pub fn dequeue(
        &mut self,
        now: Time,
        queue: &mut PacketQueue,
        packet_time: Span,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Waiting> {
        let least = Span(packet_time.0 * LEAST_PACKETS);
        loop {
            let Some(mut packet) = queue.pop() else {
                self.note_empty(now);
                return None;
            };
            let delay = packet.delay(now);
            if !self.refuses(now, delay > self.law.target && delay > least, &mut packet) || queue.is_empty() {
                return Some(packet);
            }
            dropped.push((packet.cell, Verdict::Refused));
        }
    }

    /// Whether a packet is to be dropped (`cobalt_should_drop`); it may be marked instead.
    fn refuses(&mut self, now: Time, is_late: bool, packet: &mut Waiting) -> bool {
        let is_due = self.count > 0 && now >= self.drop_next;
        if is_late {
            if !self.is_dropping {
                self.is_dropping = true;
                self.drop_next = self.next_after(now);
            }
            self.count = self.count.max(1);
        } else {
            self.is_dropping = false;
        }
        let mut refuses = false;
        if is_due && self.is_dropping {
            refuses = !(self.law.marks && packet.mark());
            self.set_count(self.count + 1);
            self.drop_next = self.next_after(self.drop_next);
        } else if is_due {
            self.count_down(now);
        }
        if self.count == 0 {
            self.drop_next = now + self.law.interval;
        } else if now > self.drop_next && !refuses {
            self.drop_next = now;
        }
        refuses
    }

    fn set_count(&mut self, count: u64) {
        (self.count, self.has_root) = (count, true);
    }

    fn count_down(&mut self, now: Time) {
        while self.count > 0 && now >= self.drop_next {
            self.set_count(self.count - 1);
            self.drop_next = self.next_after(self.drop_next);
        }
    }

    /// The queue was found empty (`cobalt_queue_empty`).
    fn note_empty(&mut self, now: Time) {
        self.is_dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.set_count(self.count - 1);
            self.drop_next = self.next_after(self.drop_next);
        }
    }

    /// The time of the next drop (`cobalt_control`): drops come faster with the square root of their number.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an interval is far below 2^53 ps, and its root is positive"
    )]
    fn next_after(&self, time: Time) -> Time {
        if !self.has_root {
            return time;
        }
        time + Span((self.law.interval.0 as f64 / (self.count.max(1) as f64).sqrt()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use longfat_hosts::transport::Codepoint;

    use super::super::super::controlled_delay::SquareRoot;
    use super::super::super::test_support::{PACKET_BYTES, at, packet};
    use super::*;

    /// The control of a queue that has dropped before.
    fn cobalt() -> Cobalt {
        let law = Law {
            target: Span::from_microseconds(5_000),
            interval: Span::from_microseconds(100_000),
            full_packet_bytes: PACKET_BYTES,
            marks: false,
            square_root: SquareRoot::Exact,
        };
        Cobalt { has_root: true, ..Cobalt::new(law) }
    }

    /// Takes a packet a millisecond, late or not, from `from` to `to` ms; the times of drops.
    fn drops(cobalt: &mut Cobalt, from: u64, to: u64, is_late: bool) -> Vec<u64> {
        let mut packet = packet(0, Codepoint::NotCapable);
        (from..to).filter(|&ms| cobalt.refuses(at(ms), is_late, &mut packet)).collect()
    }

    /// The second late packet, then an interval over sqrt(2) later.
    #[test]
    fn a_new_queue_drops_at_once() {
        assert_eq!(drops(&mut Cobalt { has_root: false, ..cobalt() }, 0, 75, true), [1, 71]);
    }

    /// By hand: an interval after the first late packet, then 100 / sqrt(2) = 70.7 and 100 / sqrt(3) = 57.7 ms later.
    #[test]
    fn drops_begin_after_an_interval_and_come_faster_with_the_root_of_their_number() {
        let mut cobalt = cobalt();
        assert_eq!(drops(&mut cobalt, 0, 240, true), [100, 171, 229]);
        assert_eq!(cobalt.count, 4);
    }

    /// From a count of 4, due at 278 ms: 3 at 279 ms, then after 57.7, 70.7 and 100 ms.
    #[test]
    fn the_count_goes_down_at_the_pace_at_which_it_went_up() {
        let mut cobalt = cobalt();
        drops(&mut cobalt, 0, 240, true);
        let counts: Vec<u64> = [279, 330, 338, 409, 510]
            .iter()
            .scan(240, |from, &to| {
                drops(&mut cobalt, *from, to, false);
                *from = to;
                Some(cobalt.count)
            })
            .collect();
        assert_eq!(counts, [4, 3, 2, 1, 0]);
    }

    #[test]
    fn the_last_packet_of_a_queue_is_sent() {
        let mut cobalt = cobalt();
        let mut queue = PacketQueue::default();
        let mut dropped = Vec::new();
        for ms in 0..200 {
            queue.push(packet(0, Codepoint::NotCapable));
            let sent = cobalt.dequeue(at(1000 + ms), &mut queue, Span::ZERO, &mut dropped);
            assert!(sent.is_some());
        }
        assert!(dropped.is_empty() && cobalt.count > 1);
    }
}
