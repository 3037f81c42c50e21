//! The law of `CoDel`: one queue's state, apart from the queue. RFC 8289's names are given where ours differ.

use longfat_foundation::units::{Span, Time};

use super::{PacketQueue, Waiting};
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::choice! {
    /// How the square root is taken by which drops come faster.
    pub enum SquareRoot {
        /// As it is.
        Exact = "exact",
        /// By one step of Newton's iteration from the previous value, as in Linux and ns-3: it lags behind the number of drops.
        Newton = "newton",
    }
}

/// How the delay of one queue is kept low.
#[derive(Clone, Debug)]
pub(super) struct ControlledDelay {
    law: Law,
    /// Packets that have waited for longer are marked, whatever the law says; zero for none.
    marked_above: Span,
    /// When the delay will have been above the target for an interval, while it is (`first_above_time_`).
    patience_ends: Option<Time>,
    is_dropping: bool,
    drop_next: Time,
    /// Drops since dropping began, and when it had begun the last time (`lastcount_`).
    count: u64,
    count_at_entry: u64,
    /// One over the square root of `count` (`rec_inv_sqrt` of Linux), where it is not exact.
    root: f64,
}

/// The constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub target: Span,
    pub interval: Span,
    /// No queue of fewer bytes is bad, however slow the line (`maxpacket_`).
    pub full_packet_bytes: u64,
    /// Whether packets are marked whose ends understand that.
    pub marks: bool,
    pub square_root: SquareRoot,
}

/// Intervals within which dropping is resumed at its last rate (RFC 8289 section 5.5).
const INTERVALS_REMEMBERED: u64 = 16;

impl ControlledDelay {
    pub fn new(law: Law) -> Self {
        Self {
            law,
            marked_above: Span::ZERO,
            patience_ends: None,
            is_dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            count_at_entry: 0,
            root: 1.0,
        }
    }

    /// Adds marks: packets that have waited for longer than `marked_above` are marked (`ce_threshold` of Linux); zero for none.
    pub fn marking_above(self, marked_above: Span) -> Self {
        Self { marked_above, ..self }
    }

    /// The next packet to send from a queue, those before it that are dropped apart.
    #[inline]
    pub fn dequeue(&mut self, now: Time, queue: &mut PacketQueue, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        let (mut packet, is_bad) = self.pop(now, queue)?;
        if self.is_dropping {
            packet = self.go_on_dropping(now, packet, is_bad, queue, dropped)?;
        } else if is_bad {
            packet = self.begin_dropping(now, packet, queue, dropped)?;
        }
        if self.marked_above > Span::ZERO && packet.delay(now) > self.marked_above {
            packet.mark();
        }
        Some(packet)
    }

    /// The next packet from `packet` on while packets are dropped (RFC 8289 section 5.5).
    #[inline(never)]
    fn go_on_dropping(
        &mut self,
        now: Time,
        mut packet: Waiting,
        is_bad: bool,
        queue: &mut PacketQueue,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Waiting> {
        self.is_dropping = is_bad;
        while self.is_dropping && now >= self.drop_next {
            self.set_count(self.count + 1);
            if self.law.marks && packet.mark() {
                self.drop_next = self.next_after(self.drop_next);
                break;
            }
            dropped.push((packet.cell, Verdict::Refused));
            let Some((next, is_bad)) = self.pop(now, queue) else {
                self.is_dropping = false;
                return None;
            };
            packet = next;
            self.is_dropping = is_bad;
            if is_bad {
                self.drop_next = self.next_after(self.drop_next);
            }
        }
        Some(packet)
    }

    /// The delay has been above the target for an interval.
    #[inline(never)]
    fn begin_dropping(
        &mut self,
        now: Time,
        mut packet: Waiting,
        queue: &mut PacketQueue,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Waiting> {
        let next = if self.law.marks && packet.mark() {
            Some(packet)
        } else {
            dropped.push((packet.cell, Verdict::Refused));
            self.pop(now, queue).map(|(packet, _)| packet)
        };
        self.is_dropping = true;
        let drops_last_time = self.count - self.count_at_entry;
        let is_recent = now < self.drop_next + Span(INTERVALS_REMEMBERED * self.law.interval.0);
        self.set_count(if drops_last_time > 1 && is_recent { drops_last_time } else { 1 });
        self.drop_next = self.next_after(now);
        self.count_at_entry = self.count;
        next
    }

    #[expect(clippy::cast_precision_loss, reason = "few drops")]
    fn set_count(&mut self, count: u64) {
        self.count = count;
        let drops = count as f64;
        self.root = if count == 1 { 1.0 } else { self.root * (3.0 - drops * self.root * self.root) / 2.0 };
    }

    /// The time of the next drop (`control_law`): drops come faster with the square root of their number.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an interval is far below 2^53 ps, and its root is positive"
    )]
    fn next_after(&self, time: Time) -> Time {
        let interval = self.law.interval.0 as f64;
        let wait = match self.law.square_root {
            SquareRoot::Exact => interval / (self.count as f64).sqrt(),
            SquareRoot::Newton => interval * self.root,
        };
        time + Span(wait as u64)
    }

    /// Takes a packet from the queue; returns whether the delay has been above the target for an interval (`dodequeue`).
    #[inline(always)]
    fn pop(&mut self, now: Time, queue: &mut PacketQueue) -> Option<(Waiting, bool)> {
        let Some(packet) = queue.pop() else {
            self.patience_ends = None;
            return None;
        };
        if packet.delay(now) < self.law.target || queue.bytes() <= self.law.full_packet_bytes {
            self.patience_ends = None;
            return Some((packet, false));
        }
        match self.patience_ends {
            None => {
                self.patience_ends = Some(now + self.law.interval);
                Some((packet, false))
            }
            Some(end) => Some((packet, now >= end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_hosts::transport::Codepoint;

    use super::super::test_support::{PACKET_BYTES, at, packet};
    use super::*;

    /// Five drops when dropping ended, one of them before it had begun; the next would have been at a second. 16 intervals are 1600 ms.
    #[test]
    fn dropping_is_taken_up_where_it_was_left_within_sixteen_intervals() {
        for (milliseconds, count) in [(2599, 4), (2600, 1)] {
            let interval = Span::from_microseconds(100_000);
            let target = Span::from_microseconds(5000);
            let law =
                Law { target, interval, full_packet_bytes: PACKET_BYTES, marks: false, square_root: SquareRoot::Exact };
            let mut control =
                ControlledDelay { count: 5, count_at_entry: 1, drop_next: at(1000), ..ControlledDelay::new(law) };
            let bad = packet(0, Codepoint::NotCapable);
            control.begin_dropping(at(milliseconds), bad, &mut PacketQueue::default(), &mut Vec::new());
            assert_eq!((control.count, control.count_at_entry), (count, count));
        }
    }
}
