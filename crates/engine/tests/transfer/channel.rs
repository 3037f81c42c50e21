//! A path without a network, which delays, loses and reorders.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use longfat_engine::random::{Chance, Stream};
use longfat_engine::units::{Span, Time};

/// Properties of a path in one direction.
#[derive(Clone, Copy, Debug)]
pub struct Nature {
    pub delay: Span,
    /// Added to the delay, drawn for each packet.
    pub jitter: Span,
    pub loss_percent: u64,
    /// True if packets may overtake each other.
    pub reorders: bool,
}

/// One direction of a path. Simultaneous arrivals are in the order of sending.
pub struct Channel<T> {
    nature: Nature,
    chance: Stream,
    under_way: BinaryHeap<Reverse<(Time, u64)>>,
    sent: Vec<T>,
    latest: Time,
    /// Number lost.
    pub lost: u64,
}

impl<T: Clone> Channel<T> {
    pub fn new(nature: Nature, seed: u64, name: &str) -> Self {
        let chance = Chance { seed, replication: 0 }.stream(name);
        Self { nature, chance, under_way: BinaryHeap::new(), sent: Vec::new(), latest: Time::ZERO, lost: 0 }
    }

    pub fn send(&mut self, now: Time, thing: T) {
        if self.chance.draw() % 100 < self.nature.loss_percent {
            self.lost += 1;
            return;
        }
        let arrival = now + self.nature.delay + self.chance.uniform(Span::ZERO, self.nature.jitter);
        self.latest = if self.nature.reorders { arrival } else { arrival.max(self.latest) };
        self.under_way.push(Reverse((self.latest, self.sent.len() as u64)));
        self.sent.push(thing);
    }

    /// Time of the next arrival.
    pub fn next_arrival(&self) -> Option<Time> {
        self.under_way.peek().map(|Reverse((time, _))| *time)
    }

    /// Receives the next arrival.
    #[expect(clippy::cast_possible_truncation, reason = "an index")]
    pub fn receive(&mut self) -> T {
        let Reverse((_, number)) = self.under_way.pop().expect("something is under way");
        self.sent[number as usize].clone()
    }
}
