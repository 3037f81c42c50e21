//! Barriers between connections: blocks that begin when others have finished, and synchronized rounds.
//!
//! Whoever waits learns at once, without a packet, that a barrier is open.

use longfat_foundation::units::Time;
use longfat_hosts::traffic::{Completions, Kind, Rounds, Source};
use longfat_network::topology::Graph;

use super::{Drive, Network};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// Name of the completion times of rounds.
const ROUND: &str = "round";

/// All barriers of a run.
pub struct Barriers {
    gates: Vec<Gate>,
    rounds: Vec<InRounds>,
    /// Part of each connection in the barriers.
    parts: Vec<Part>,
}

/// Barriers that a connection holds up or waits for: indices of gates and of senders in rounds.
#[derive(Clone, Default)]
struct Part {
    /// The gate that is closed until it has finished.
    closes: Option<usize>,
    /// Whether it begins only when its gate opens.
    waits: bool,
    /// The senders with which it goes by rounds, and how many it has delivered.
    rounds: Option<usize>,
    delivered: u64,
}

/// A block of connections, and those that wait for them.
struct Gate {
    /// Connections that have not finished.
    left: usize,
    waiting: Vec<u32>,
}

/// Senders that go by rounds together.
struct InRounds {
    senders: Vec<u32>,
    rounds: Rounds,
    /// How many of them have not delivered the round, when it began, and how many rounds are over.
    left: usize,
    begun: Option<Time>,
    over: u64,
    times: Kind,
}

impl Barriers {
    /// The barriers of a scenario; nothing if no connection waits for another.
    #[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 connections")]
    pub fn of(scenario: &Scenario, graph: &Graph, sources: &[Box<dyn Source>]) -> Option<Box<Self>> {
        let has_rounds = sources.iter().any(|source| source.rounds().is_some());
        if !has_rounds && !scenario.has_barriers() {
            return None;
        }
        let mut groups = scenario.groups_of_senders(graph.senders());
        // One gate behind each group. By rounds go the senders of a group with traffic of its own, and all with the common traffic.
        let none = scenario.connections.len();
        groups.resize(graph.senders(), none);
        let mut gates: Vec<_> = (0..none).map(|_| Gate { left: 0, waiting: Vec::new() }).collect();
        let mut rounds: Vec<Option<InRounds>> = (0..=none).map(|_| None).collect();
        let mut parts = vec![Part::default(); sources.len()];
        for (connection, (flow, source)) in graph.flows.iter().zip(sources).enumerate() {
            let (group, part) = (groups[flow.sender], &mut parts[connection]);
            if group < none {
                part.closes = Some(group);
                gates[group].left += 1;
                if let Some(gate) = scenario.waits_for(group) {
                    part.waits = true;
                    gates[gate].waiting.push(connection as u32);
                }
            }
            if let Some(of_source) = source.rounds() {
                let has_own = scenario.connections.get(group).is_some_and(|group| group.traffic.is_some());
                let together = if has_own { group } else { none };
                part.rounds = Some(together);
                let all = rounds[together].get_or_insert_with(|| InRounds::of(of_source));
                all.senders.push(connection as u32);
                all.left += 1;
            }
        }
        let rounds = rounds.into_iter().map(|rounds| rounds.unwrap_or_else(InRounds::none)).collect();
        Some(Box::new(Self { gates, rounds, parts }))
    }

    /// Tells whether a connection begins only when its gate opens.
    pub fn keeps_back(&self, connection: usize) -> bool {
        self.parts[connection].waits
    }

    /// A connection has finished. Returns those that begin now.
    fn finish(&mut self, connection: usize) -> Vec<u32> {
        let Some(gate) = self.parts[connection].closes.take() else { return Vec::new() };
        let gate = &mut self.gates[gate];
        gate.left -= 1;
        if gate.left == 0 { std::mem::take(&mut gate.waiting) } else { Vec::new() }
    }

    /// A sender has delivered so many bytes. Returns the senders of the next round and when it begins, if that ends one.
    fn deliver(&mut self, now: Time, connection: usize, delivered: u64) -> Option<(Time, Vec<u32>)> {
        let part = &mut self.parts[connection];
        let all = &mut self.rounds[part.rounds?];
        if delivered < (part.delivered + 1) * all.rounds.bytes {
            return None;
        }
        part.delivered += 1;
        all.left -= 1;
        if all.left > 0 {
            return None;
        }
        all.left = all.senders.len();
        all.over += 1;
        if let Some(begun) = all.begun.take() {
            all.times.times.record(now - begun);
        }
        let goes_on = Some(all.over) != all.rounds.count;
        goes_on.then(|| (now.saturating_add(all.rounds.pause), all.senders.clone()))
    }

    /// A sender has been woken for a round.
    fn begin(&mut self, now: Time, connection: usize) {
        let Some(number) = self.parts[connection].rounds else { return };
        let all = &mut self.rounds[number];
        if all.begun.is_none() {
            all.begun = Some(now);
            all.times.asked += 1;
        }
    }

    /// Adds the completion times of rounds.
    pub fn add_completions(&self, all: &mut Completions) {
        let in_rounds = self.rounds.iter().filter(|rounds| !rounds.senders.is_empty());
        in_rounds.for_each(|rounds| all.add(&rounds.times));
    }

    /// Starts the measurement: rounds that are over no longer count.
    pub fn forget_completions(&mut self) {
        self.rounds.iter_mut().for_each(|rounds| rounds.times.forget_arrived());
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let waiting: usize = self.gates.iter().map(|gate| gate.waiting.capacity()).sum();
        let senders: usize = self.rounds.iter().map(|rounds| rounds.senders.capacity()).sum();
        (waiting + senders) * size_of::<u32>() + self.parts.capacity() * size_of::<Part>()
    }
}

impl InRounds {
    fn of(rounds: Rounds) -> Self {
        Self { senders: Vec::new(), rounds, left: 0, begun: None, over: 0, times: Kind::new(ROUND) }
    }

    /// Place of a group that has no rounds: no senders and no bytes.
    fn none() -> Self {
        Self::of(Rounds { bytes: 0, count: None, pause: longfat_foundation::units::Span::ZERO })
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The flow `number`, the last of a connection, has delivered so many bytes: others may have waited for that.
    #[cold]
    pub fn pass_barriers(&mut self, now: Time, connection: usize, number: usize, delivered: u64) {
        let has_finished = self.flows[number].size == Some(delivered);
        let Some(barriers) = self.barriers.as_mut() else { return };
        if let Some((time, senders)) = barriers.deliver(now, connection, delivered) {
            for sender in senders {
                let first = self.numbers.first(sender as usize, false);
                if self.flows.is_at_work(first) {
                    self.flows[first].source_wakes = true;
                    self.schedule_or_cancel(now, self.agenda.wake(self.flows[first].place), Some(time));
                }
            }
        }
        let waiting =
            if has_finished { self.barriers.as_mut().map(|barriers| barriers.finish(connection)) } else { None };
        let waiting = waiting.unwrap_or_default();
        if waiting.is_empty() {
            return;
        }
        let begins = |&connection: &u32| {
            let source = &mut self.sources[connection as usize];
            source.begin_later(now - Time::ZERO);
            (source.start(), connection)
        };
        let begin: Vec<_> = waiting.iter().map(begins).collect();
        self.starts.add(begin);
        self.watch_starts();
    }

    /// A connection has handed over its part of a round, if it goes by rounds.
    #[cold]
    pub fn note_round(&mut self, now: Time, connection: usize) {
        if let Some(barriers) = self.barriers.as_mut() {
            barriers.begin(now, connection);
        }
    }
}
