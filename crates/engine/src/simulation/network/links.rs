//! The lines of a network. One is made when something is first sent there: of a hundred thousand hosts few may be busy at once.

use std::collections::BTreeSet;
use std::ops::{Deref, Index, IndexMut};
use std::sync::Arc;

use longfat_foundation::calendar::Slot;
use longfat_foundation::units::Time;
use longfat_network::framing::{Framing, Unit};
use longfat_network::link::{Line, Relay};
use longfat_network::topology::Graph;

use super::agenda::NOWHERE;
use super::{Entrance, LineEnd};

/// A line with what surrounds it.
pub struct Link {
    pub line: Line,
    /// Of its arrivals in the calendar.
    pub slot: Slot,
    pub end: LineEnd,
    pub entrance: Entrance,
    /// For lookahead, where arrivals are no events: the latest arrival, and the sequence number, among the events of the end systems, of
    /// the packet that was delivered last.
    pub latest: Latest,
    pub arrived: u64,
}

/// The latest arrival on a line.
#[derive(Clone, Copy)]
pub struct Latest {
    /// When the last cell that was handed over arrives; the beginning of time if there is none.
    pub arrival: Time,
    /// Its rank among the arrivals of that instant, if that is known.
    pub place: Place,
}

impl Latest {
    /// On a line that has carried nothing.
    pub const NOTHING: Self = Self { arrival: Time::ZERO, place: Place::UNKNOWN };
}

/// The rank of a cell among those that arrive somewhere at one instant: of a hundred thousand timers most run out at one tick. Ranks are
/// spaced, so that others fit between them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(u64);

impl Place {
    /// Not known yet.
    pub const UNKNOWN: Self = Self(0);
    pub const FIRST: Self = Self(1 << 63);
    const STEP: u64 = 1 << 40;
    const LITTLE: u64 = 1 << 20;

    /// A rank between two others, of which there may be none; nothing, if no rank is left there.
    pub fn between(before: Option<Self>, behind: Option<Self>) -> Option<Self> {
        match (before, behind) {
            (None, None) => Some(Self::FIRST),
            (Some(Self(before)), None) => before.checked_add(Self::STEP).map(Self),
            (None, Some(Self(behind))) => {
                behind.checked_sub(Self::STEP).map(Self).filter(|&place| place != Self::UNKNOWN)
            }
            (Some(Self(before)), Some(Self(behind))) => {
                // Cells that fit between the same two mostly arrive in order.
                let place = before + ((behind - before) / 2).min(Self::LITTLE);
                (place > before).then_some(Self(place))
            }
        }
    }
}

/// All lines, by the numbers that they have in the graph.
pub struct Links {
    made: Vec<Option<Box<Link>>>,
    graph: Arc<Graph>,
    framing: Box<dyn Framing>,
    /// Next line by line, where every cell of the first goes on without waiting. Empty if packets travel whole, or if every line needs events.
    relays: Vec<Option<u32>>,
}

/// A line that was made, or as it will be.
#[expect(clippy::large_enum_variant, reason = "looked at where it is made, and kept nowhere")]
pub enum Look<'l> {
    Made(&'l Link),
    Planned(Link),
}

impl Deref for Look<'_> {
    type Target = Link;
    fn deref(&self) -> &Link {
        match self {
            Self::Made(link) => link,
            Self::Planned(link) => link,
        }
    }
}

impl Links {
    /// None is made yet; packets get lost on the `lossy` ones.
    pub fn of(graph: &Arc<Graph>, framing: Box<dyn Framing>, all_have_events: bool, lossy: &BTreeSet<usize>) -> Self {
        let may_relay = framing.unit() == Unit::Cell && framing.tick().is_none() && !all_have_events;
        let relays = if may_relay { find_relays(graph, lossy) } else { Vec::new() };
        let made = graph.links.iter().map(|_| None).collect();
        Self { made, graph: Arc::clone(graph), framing, relays }
    }

    /// How many there are, made or not.
    pub fn len(&self) -> usize {
        self.made.len()
    }

    /// The line with that number, as it is or will be.
    pub fn look(&self, number: usize) -> Look<'_> {
        self.made[number].as_deref().map_or_else(|| Look::Planned(self.plan(number)), Look::Made)
    }

    /// The line with that number, if it was made.
    pub fn get(&self, number: usize) -> Option<&Link> {
        self.made[number].as_deref()
    }

    /// Whether there is a line on which all its cells go on without ever waiting.
    pub fn is_relayed(&self, number: usize) -> bool {
        self.relay(number).is_some()
    }

    /// The line with that number, made with that slot in the calendar unless it was made before.
    pub fn make(&mut self, number: usize, slot: Slot) -> &mut Link {
        if self.made[number].is_none() {
            self.made[number] = Some(Box::new(Link { slot, ..self.plan(number) }));
        }
        &mut self[number]
    }

    /// Those that were made, in order, with their numbers.
    pub fn made(&self) -> impl Iterator<Item = (usize, &Link)> {
        self.made.iter().enumerate().filter_map(|(number, link)| Some((number, link.as_deref()?)))
    }

    /// [`made`](Self::made), to be changed.
    pub fn made_mut(&mut self) -> impl Iterator<Item = (usize, &mut Link)> {
        self.made.iter_mut().enumerate().filter_map(|(number, link)| Some((number, link.as_deref_mut()?)))
    }

    fn relay(&self, number: usize) -> Option<usize> {
        self.relays.get(number).copied().flatten().map(|relay| relay as usize)
    }

    fn plan(&self, number: usize) -> Link {
        let (links, relay) = (&self.graph.links, self.relay(number));
        let link = &links[number];
        let relayed = relay.map(|next| Relay::from(&links[next]));
        let line = Line::new(self.framing.unit(), link.rate, self.framing.cell_time(link.rate), link.delay, relayed);
        let end = links[relay.unwrap_or(number)].to;
        let end = if self.graph.nodes[end].is_host { LineEnd::Host } else { LineEnd::Switch(end) };
        Link { line, slot: NOWHERE, end, entrance: Entrance::Open, latest: Latest::NOTHING, arrived: 0 }
    }
}

impl Index<usize> for Links {
    type Output = Link;
    #[inline]
    fn index(&self, number: usize) -> &Link {
        match &self.made[number] {
            Some(link) => link,
            None => not_made(number),
        }
    }
}

impl IndexMut<usize> for Links {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut Link {
        match &mut self.made[number] {
            Some(link) => link,
            None => not_made(number),
        }
    }
}

#[cold]
#[inline(never)]
fn not_made(number: usize) -> ! {
    unreachable!("a connection that uses line {number} has made it")
}

/// Of each link, the one line before it, if there is no other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeder {
    Nobody,
    Only(u32),
    Several,
}

/// For each link, one of the links on which all its cells go on without ever waiting; `None` where there is none.
///
/// Every such link must be fed by this one alone, not be slower, have no managed port nor losses, and lead to a host; and all must have the
/// same rate and delay, so that cells arrive in the order in which they were sent. (Packets that travel whole do wait, the small
/// behind the large.)
fn find_relays(graph: &Graph, lossy: &BTreeSet<usize>) -> Vec<Option<u32>> {
    let mut feeders = vec![Feeder::Nobody; graph.links.len()];
    let mut relays = vec![None; graph.links.len()];
    for_all_hops(graph, |from, to| {
        feeders[to] = match feeders[to] {
            Feeder::Nobody => Feeder::Only(from),
            Feeder::Only(feeder) if feeder == from => feeders[to],
            Feeder::Only(_) | Feeder::Several => Feeder::Several,
        };
        relays[from as usize].get_or_insert(number_of(to));
    });
    let models = relays.clone();
    for_all_hops(graph, |from, to| {
        let number = from as usize;
        let Some(model) = models[number] else { return };
        let (link, next_link, model) = (&graph.links[number], &graph.links[to], &graph.links[model as usize]);
        let suits = feeders[to] == Feeder::Only(from)
            && Relay::from(next_link).suits(link.rate)
            && !next_link.managed
            && !lossy.contains(&to)
            && !(lossy.contains(&number) && graph.begins_at_host(number))
            && graph.nodes[next_link.to].is_host
            && (next_link.rate, next_link.delay) == (model.rate, model.delay);
        if !suits {
            relays[number] = None;
        }
    });
    relays
}

/// Calls with every link that a connection takes after another, and that other.
fn for_all_hops(graph: &Graph, mut call: impl FnMut(u32, usize)) {
    for circuit in 0..graph.circuits() {
        for hop in graph.links_of_circuit(circuit).into_iter().flat_map(|path| path.windows(2)) {
            call(number_of(hop[0]), hop[1]);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 links")]
fn number_of(link: usize) -> u32 {
    link as u32
}
