//! Barriers between connections: blocks that begin when others have finished, closed loops, and synchronized rounds.
//!
//! Whoever waits learns at once, without a packet, that a barrier is open.

use longfat_foundation::units::{Span, Time};
use longfat_hosts::traffic::{Completions, Kind, Rounds, Source, Turn};
use longfat_network::topology::Graph;

use super::{Drive, Network};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// Name of the completion times of rounds.
const ROUND: &str = "round";

/// All barriers of a run.
pub struct Barriers {
    gates: Vec<Gate>,
    loops: Vec<Loop>,
    /// Completion times of the pages of all loops, by name.
    pages: Vec<Kind>,
    rounds: Vec<InRounds>,
    /// Part of each connection in the barriers.
    parts: Vec<Part>,
}

/// Barriers that a connection holds up or waits for: indices of gates and of senders in rounds.
#[derive(Clone, Default)]
struct Part {
    /// The gates that are closed until it has finished: that behind its block, and that behind its turn.
    closes: [Option<usize>; 2],
    /// The loop of which it opens a page, and the time since the page was asked for when it begins.
    opens: Option<(usize, Span)>,
    /// Whether it begins only when its gate opens.
    waits: bool,
    /// The senders with which it goes by rounds, and how many it has delivered.
    rounds: Option<usize>,
    delivered: u64,
}

/// A block of connections or a turn of a closed loop, and those that wait for them.
#[derive(Default)]
struct Gate {
    /// Connections that have not finished.
    left: usize,
    waiting: Vec<u32>,
    /// The loop of which a page ends here.
    ends: Option<usize>,
}

/// The closed loop of a sender.
struct Loop {
    /// The gate behind its first turn; those of later turns follow.
    first: usize,
    /// Place of the name of its pages.
    kind: usize,
    /// When the page that is on its way was asked for.
    asked: Option<Time>,
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
        let waits = sources.iter().any(|source| source.waits_for_others());
        if !waits && !scenario.has_barriers() {
            return None;
        }
        let mut groups = scenario.groups_of_senders(graph.senders());
        // One gate behind each group. By rounds go the senders of a group with traffic of its own, and all with the common traffic.
        let none = scenario.connections.len();
        groups.resize(graph.senders(), none);
        let mut all =
            Self { gates: Vec::new(), loops: Vec::new(), pages: Vec::new(), rounds: Vec::new(), parts: Vec::new() };
        all.gates.resize_with(none, Gate::default);
        let mut rounds: Vec<Option<InRounds>> = (0..=none).map(|_| None).collect();
        all.parts.resize(sources.len(), Part::default());
        for (connection, (flow, source)) in graph.flows.iter().zip(sources).enumerate() {
            let (group, turn) = (groups[flow.sender], source.turn());
            if let Some(turn) = &turn {
                all.add_turn(connection, turn);
            }
            let part = &mut all.parts[connection];
            if group < none {
                part.closes[0] = Some(group);
                all.gates[group].left += 1;
                let is_first = turn.is_none_or(|turn| turn.number == 0);
                if let Some(gate) = scenario.waits_for(group).filter(|_| is_first) {
                    part.waits = true;
                    all.gates[gate].waiting.push(connection as u32);
                }
            }
            if let Some(of_source) = source.rounds() {
                let has_own = scenario.connections.get(group).is_some_and(|group| group.traffic.is_some());
                let together = if has_own { group } else { none };
                part.rounds = Some(together);
                let together = rounds[together].get_or_insert_with(|| InRounds::of(of_source));
                together.senders.push(connection as u32);
                together.left += 1;
            }
        }
        all.rounds = rounds.into_iter().map(|rounds| rounds.unwrap_or_else(InRounds::none)).collect();
        Some(Box::new(all))
    }

    /// Adds a connection of a closed loop. Those of a sender come one after another, in the order of their turns.
    #[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 connections")]
    fn add_turn(&mut self, connection: usize, turn: &Turn<'_>) {
        let number = turn.number as usize;
        if number == 0 && turn.opens {
            let named = self.pages.iter().position(|kind| kind.name == turn.name);
            let kind = named.unwrap_or_else(|| {
                self.pages.push(Kind::new(turn.name));
                self.pages.len() - 1
            });
            self.loops.push(Loop { first: self.gates.len(), kind, asked: None });
        }
        let of_sender = self.loops.len() - 1;
        let gate = self.loops[of_sender].first + number;
        self.gates.resize_with(self.gates.len().max(gate + 1), Gate::default);
        self.gates[gate].left += 1;
        self.gates[gate].ends = turn.closes.then_some(of_sender);
        if number > 0 {
            self.gates[gate - 1].waiting.push(connection as u32);
        }
        let part = &mut self.parts[connection];
        part.closes[1] = Some(gate);
        part.waits = number > 0;
        part.opens = turn.opens.then_some((of_sender, turn.request));
    }

    /// Tells whether a connection begins only when its gate opens.
    pub fn keeps_back(&self, connection: usize) -> bool {
        self.parts[connection].waits
    }

    /// A connection has finished, with data or without, as one that stops before it begins. Returns those that begin now.
    fn finish(&mut self, now: Time, connection: usize, has_data: bool) -> Vec<u32> {
        let mut begin = Vec::new();
        for gate in std::mem::take(&mut self.parts[connection].closes).into_iter().flatten() {
            let gate = &mut self.gates[gate];
            gate.left -= 1;
            let ended = gate.ends.map(|number| &mut self.loops[number]);
            if let Some(page) = ended.filter(|_| gate.left == 0 || !has_data)
                && let Some(asked) = page.asked.take().filter(|_| has_data)
            {
                self.pages[page.kind].times.record(now - asked);
            }
            if gate.left == 0 {
                begin.append(&mut gate.waiting);
            }
        }
        begin
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

    /// A connection has been woken to hand over its part of a round, or a file of a page.
    fn begin(&mut self, now: Time, connection: usize) {
        if let Some((number, request)) = self.parts[connection].opens.take() {
            let page = &mut self.loops[number];
            page.asked = Some(Time(now.0.saturating_sub(request.0)));
            self.pages[page.kind].asked += 1;
        }
        let Some(number) = self.parts[connection].rounds else { return };
        let all = &mut self.rounds[number];
        if all.begun.is_none() {
            all.begun = Some(now);
            all.times.asked += 1;
        }
    }

    /// Adds the completion times of rounds and pages.
    pub fn add_completions(&self, all: &mut Completions) {
        self.pages.iter().for_each(|pages| all.add(pages));
        let in_rounds = self.rounds.iter().filter(|rounds| !rounds.senders.is_empty());
        in_rounds.for_each(|rounds| all.add(&rounds.times));
    }

    /// Starts the measurement: rounds and pages that are over no longer count.
    pub fn forget_completions(&mut self) {
        self.pages.iter_mut().for_each(Kind::forget_arrived);
        self.rounds.iter_mut().for_each(|rounds| rounds.times.forget_arrived());
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let waiting: usize = self.gates.iter().map(|gate| gate.waiting.capacity()).sum();
        let senders: usize = self.rounds.iter().map(|rounds| rounds.senders.capacity()).sum();
        let kept = self.gates.capacity() * size_of::<Gate>() + self.loops.capacity() * size_of::<Loop>();
        (waiting + senders) * size_of::<u32>() + kept + self.parts.capacity() * size_of::<Part>()
    }
}

impl InRounds {
    fn of(rounds: Rounds) -> Self {
        Self { senders: Vec::new(), rounds, left: 0, begun: None, over: 0, times: Kind::new(ROUND) }
    }

    /// Place of a group that has no rounds: no senders and no bytes.
    fn none() -> Self {
        Self::of(Rounds { bytes: 0, count: None, pause: Span::ZERO })
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
        let waiting = if has_finished {
            self.barriers.as_mut().map(|barriers| barriers.finish(now, connection, delivered > 0))
        } else {
            None
        };
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

    /// A connection has handed over its part of a round or of a page, if it has one.
    #[cold]
    pub fn note_round(&mut self, now: Time, connection: usize) {
        if let Some(barriers) = self.barriers.as_mut() {
            barriers.begin(now, connection);
        }
    }
}
