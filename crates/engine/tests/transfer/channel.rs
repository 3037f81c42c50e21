//! A path without a network: it delays, loses and reorders.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use longfat_engine::random::{Chance, Stream};
use longfat_engine::units::{Span, Time};

/// What a path does to what travels in one direction.
#[derive(Clone, Copy, Debug)]
pub struct Nature {
    pub delay: Span,
    /// On top of the delay, drawn anew each time.
    pub jitter: Span,
    pub loss_percent: u64,
    /// Whether what is sent later may arrive earlier.
    pub reorders: bool,
}

/// One direction of a path. Of what arrives at one instant, what was sent first comes first.
pub struct Channel<T> {
    nature: Nature,
    chance: Stream,
    under_way: BinaryHeap<Reverse<(Time, u64)>>,
    sent: Vec<T>,
    latest: Time,
    /// How many were lost.
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

    /// When the next arrives.
    pub fn next_arrival(&self) -> Option<Time> {
        self.under_way.peek().map(|Reverse((time, _))| *time)
    }

    /// What arrives next.
    #[expect(clippy::cast_possible_truncation, reason = "an index")]
    pub fn receive(&mut self) -> T {
        let Reverse((_, number)) = self.under_way.pop().expect("something is under way");
        self.sent[number as usize].clone()
    }
}
