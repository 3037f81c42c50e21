//! Turns of queues: deficit round robin with queues that have just become busy first (RFC 8290 section 4.2), and which queue a circuit has.

use std::collections::VecDeque;

use longfat_foundation::random::Stream;

/// Which list a queue is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Nowhere,
    New,
    Old,
}

/// The queues that have packets, or had some a moment ago, in the order of their turns.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    quantum: i64,
    /// Bytes, or picoseconds of the line, that each queue may still use in its turn; below zero if it has used more.
    credits: Vec<i64>,
    listed: Vec<Listed>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl Turns {
    /// Of so many queues, each with `quantum` per turn: bytes, or picoseconds of the line.
    pub fn new(queues: usize, quantum: u64) -> Self {
        Self {
            quantum: signed(quantum),
            credits: vec![0; queues],
            listed: vec![Listed::Nowhere; queues],
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// Credit of a turn.
    pub fn quantum(&self) -> i64 {
        self.quantum
    }

    /// Credit that a queue has left.
    pub fn credit(&self, number: usize) -> i64 {
        self.credits[number]
    }

    /// Whether a queue has its place among those that take turns.
    pub fn has(&self, number: usize) -> bool {
        self.listed[number] != Listed::Nowhere
    }

    /// A queue that takes no turns has become busy: it is new, with so much credit.
    pub fn begin(&mut self, number: usize, credit: i64) {
        self.listed[number] = Listed::New;
        self.credits[number] = credit;
        self.new.push_back(number);
    }

    /// The queue whose turn it is, new ones first. Turns without credit are over.
    pub fn next(&mut self) -> Option<usize> {
        loop {
            let number = self.new.front().or_else(|| self.old.front()).copied()?;
            if self.credits[number] > 0 {
                return Some(number);
            }
            self.credits[number] += self.quantum;
            self.move_on(number, Listed::Old);
        }
    }

    /// The queue whose turn it is has sent a packet, which costs so much.
    pub fn spend(&mut self, number: usize, cost: u64) {
        self.credits[number] -= signed(cost);
    }

    /// The queue whose turn it is has nothing to send. One that was new waits for its turn among the old ones, so that nobody stays new by being
    /// briefly empty; an old one takes no turns any more.
    pub fn pass(&mut self, number: usize) {
        let was_new = self.listed[number] == Listed::New;
        self.move_on(number, if was_new { Listed::Old } else { Listed::Nowhere });
    }

    /// Takes the queue whose turn it is out of its list and puts it at the end of the old ones, or nowhere.
    fn move_on(&mut self, number: usize, to: Listed) {
        if self.listed[number] == Listed::New {
            self.new.pop_front();
        } else {
            self.old.pop_front();
        }
        self.listed[number] = to;
        if to == Listed::Old {
            self.old.push_back(number);
        }
    }
}

/// Which queue each circuit belongs to, those that nobody belongs to left out.
#[expect(clippy::cast_possible_truncation, reason = "few queues")]
pub(super) fn hash_circuits(circuits: usize, queues: u64, chance: &Stream) -> Vec<usize> {
    let hashes: Vec<usize> = (0..circuits).map(|circuit| (chance.block(circuit as u64)[0] % queues) as usize).collect();
    let mut used = hashes.clone();
    used.sort_unstable();
    used.dedup();
    hashes.iter().map(|hash| used.partition_point(|other| other < hash)).collect()
}

/// The number of queues to which circuits belong.
pub(super) fn queues_in_use(queue_of: &[usize]) -> usize {
    queue_of.iter().max().map_or(0, |most| most + 1)
}

#[expect(clippy::cast_possible_wrap, reason = "packets are small, and take no years")]
pub(super) fn signed(cost: u64) -> i64 {
    cost as i64
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    #[test]
    fn every_circuit_has_a_queue_of_its_own_as_far_as_hashing_tells_them_apart() {
        let chance = Chance { seed: 1, replication: 0 }.stream("queue");
        assert_eq!(hash_circuits(50, 1, &chance), [0; 50]);
        let many = hash_circuits(50, 100_000, &chance);
        let mut distinct = many.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 50, "{many:?}");
        assert_eq!(distinct, (0..50).collect::<Vec<_>>(), "numbers without gaps");
    }
}
