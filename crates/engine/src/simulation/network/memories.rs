//! Paths as hosts know them from earlier connections of the run (RFC 9959 section 3.1).

use std::collections::BTreeMap;

use longfat_foundation::units::Time;
use longfat_hosts::transport::resume::{Memory, Resumption};

use super::{Drive, Network};
use crate::observer::Observer;

/// The nodes between which a connection or a leg goes: the host that sends and the one that receives, and the leg, where proxies split.
type Path = (usize, usize, Option<usize>);

/// Parameters saved, for each path of a connection that learns.
#[derive(Default)]
pub struct Memories(BTreeMap<Path, Remembered>);

/// One set of parameters, and the flows that may change it.
#[derive(Default)]
struct Remembered {
    latest: Option<Memory>,
    at_work: Vec<usize>,
}

impl Memories {
    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let one = |known: &Remembered| size_of::<(Path, Remembered)>() + size_of_val(known.at_work.as_slice());
        self.0.values().map(one).sum()
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// A connection begins: its senders get what is saved of their paths, unless another uses it.
    pub fn remember_paths(&mut self, connection: usize) {
        let flows = if self.flows.passes_proxies(connection) { connection + 1 } else { self.flows.len() };
        for number in (connection..flows).step_by(self.sources.len()) {
            if self.resumption(number).is_some_and(|resumption| resumption.learns()) {
                self.remember_path(number);
            }
        }
    }

    #[cold]
    fn remember_path(&mut self, number: usize) {
        let path = self.path_of(number);
        let mut known = self.memories.0.remove(&path).unwrap_or_default();
        let mut is_used = false;
        known.at_work.retain(|&other| {
            let Some(resumption) = self.resumption(other) else { return false };
            known.latest = later(known.latest, resumption.memory());
            is_used |= resumption.uses_saved();
            true
        });
        let saved = known.latest.and_then(|memory| memory.saved).filter(|_| !is_used);
        if let (Some(saved), Some(resumption)) = (saved, self.resumption(number)) {
            resumption.know(saved);
        }
        known.at_work.push(number);
        self.memories.0.insert(path, known);
    }

    /// A flow is about to end: what it has observed stays.
    pub fn keep_memory(&mut self, number: usize) {
        if self.memories.0.is_empty() {
            return;
        }
        let memory = self.resumption(number).and_then(|resumption| resumption.memory());
        let path = self.path_of(number);
        if let Some(known) = self.memories.0.get_mut(&path) {
            known.latest = later(known.latest, memory);
            known.at_work.retain(|other| *other != number);
        }
    }

    /// The rule of resumption of the data of a flow.
    fn resumption(&mut self, number: usize) -> Option<&mut dyn Resumption> {
        self.flows.get_mut(number)?.ends.resumption()
    }

    fn path_of(&self, number: usize) -> Path {
        let flow = &self.graph.flows[self.numbers.connection(number)];
        let end = |links: &[usize], of: fn(&[usize]) -> Option<&usize>| of(links).map(|link| &self.graph.links[*link]);
        let from = end(&flow.forward, <[usize]>::first).map_or(0, |link| link.from);
        let to = end(&flow.forward, <[usize]>::last).map_or(0, |link| link.to);
        let leg =
            (self.graph.is_split && !self.flows.passes_proxies(number)).then(|| self.numbers.leg(number) as usize);
        if self.numbers.is_request(number) { (to, from, leg) } else { (from, to, leg) }
    }
}

/// The later of two words.
fn later(one: Option<Memory>, other: Option<Memory>) -> Option<Memory> {
    let time = |memory: &Option<Memory>| memory.map_or(Time::ZERO, |memory| memory.at);
    if other.is_some() && time(&other) >= time(&one) { other } else { one }
}
