//! The network and its end systems, as both drivers share them: what is where, what hosts do, and what a run has counted.
//!
//! How packets cross the network is the driver's affair ([`Drive`]). No model arithmetic here.

mod agenda;
mod asking;
mod at_rest;
mod audit;
mod barriers;
mod datagram_relays;
mod datagram_results;
mod datagrams;
mod drive;
mod end_systems;
mod flows;
mod ledger;
mod legs;
mod line_ledger;
mod links;
mod measured;
mod memories;
mod memory;
mod policing;
mod port_results;
mod relays;
mod results;
mod return_links;
mod served;
mod settlement;
mod starts;
mod tcp;
mod transport;

pub use agenda::{NOWHERE, WithEvents};
pub use asking::Asking;
pub use at_rest::AtRest;
pub use audit::Violation;
pub use drive::{AnyPort, Drive, Driver, Lost, Train};
pub use legs::Numbers;
pub use links::{Latest, Link, Links, Place};
pub use longfat_hosts::end_system::End;
pub use served::{Reports, Served};

use std::sync::Arc;

use agenda::Agenda;
use barriers::Barriers;
use flows::Flows;
use ledger::Ledgers;
use longfat_foundation::calendar::{Calendar, Slot};
use longfat_foundation::measure::{Fingerprint, RunRecord};
use longfat_foundation::units::Time;
use longfat_hosts::traffic::Source;
use longfat_network::framing::{Packets, Sizes};
use longfat_network::switch::Dropped;
use longfat_network::topology::{Graph, Routes};
use measured::Before;
use memories::Memories;
use policing::Policing;
use relays::Relays;
use settlement::Settled;
use starts::Starts;

use crate::observer::Observer;
use crate::scenario::Scenario;

/// An entry of the calendar.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The next cell on a line reaches its end.
    Arrival(usize),
    /// A port ends a slot, or its transmitter is free again.
    Service(usize),
    /// A port ends a slot or is free again, in a network whose events a heap keeps.
    Turn(usize),
    /// The timer of a flow's near end is due: of TCP, the retransmission timer.
    NearTimer(usize),
    /// A connection begins: its source wakes for the first time.
    Start,
    /// The source of a flow's connection wakes again.
    Wake(usize),
    /// The timer of a flow's far end is due: of TCP, that of a delayed acknowledgment.
    FarTimer(usize),
    /// A background has a datagram.
    Background(usize),
    /// A frame begins for which a port asks for capacity, or those that share a return link.
    Frame(usize),
    /// A packet leaves a waiting room at the end of a line.
    Release(usize),
}

/// Of events at one instant a slot closes before the cells that arrive at that very instant, which belong to the next.
pub const SERVICE_RANK: u8 = 0;
pub const OTHER_RANK: u8 = 1;

/// The end of a line; at some packets are held up, or turn out to be lost.
#[derive(Clone, Copy, Debug)]
pub enum LineEnd {
    Switch(usize),
    Host,
    Impaired(usize),
}

/// The entrance of a line.
#[derive(Clone, Copy, Debug)]
pub enum Entrance {
    /// Nothing: the transmitter takes every cell.
    Open,
    /// A managed port.
    Port(usize),
    /// A place where packets get lost.
    Lossy(usize),
    /// A managed port, and before it the network marks what exceeds the promises.
    Police(usize),
}

/// A virtual circuit, and the line of the network interface at which it begins.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub circuit: usize,
    pub line: usize,
}

impl Way {
    /// Of a circuit.
    fn of(circuit: usize, graph: &Graph) -> Self {
        Self { circuit, line: graph.links_of_circuit(circuit).map_or(0, |lines| lines[0]) }
    }
}

/// A run in progress under the driver `D`.
pub struct Network<O: Observer, D> {
    pub driver: D,
    pub scenario: Scenario,
    pub observer: O,
    pub calendar: Calendar,
    pub agenda: Agenda,
    starts: Starts,
    pub graph: Arc<Graph>,
    pub links: Links,
    pub routes: Routes,
    /// Of each managed port.
    pub port_fingerprints: Vec<Fingerprint>,
    /// The applications of each connection, and whether any of them, or a proxy, wants to know what is delivered.
    sources: Vec<Box<dyn Source>>,
    tells_of_arrivals: bool,
    /// Barriers between connections, if there are any.
    barriers: Option<Box<Barriers>>,
    /// Which flows are whose, and what proxies do between them, if there are any.
    pub numbers: Numbers,
    pub proxies: Option<Box<Relays>>,
    /// Paths as hosts know them from earlier connections.
    memories: Memories,
    /// The sender of each connection.
    senders: Vec<usize>,
    pub flows: Flows,
    /// The port in front of the bottleneck, which background traffic enters.
    pub bottleneck_port: usize,
    pub ledger: Ledgers,
    pub policing: Option<Policing>,
    pub sizes: Sizes,
    pub packets: Packets,
    pub end: Time,
    /// Counts before measuring began, if that was not with the run.
    before: Option<Box<Before>>,
    pub events_processed: u64,
    pub cells_sent: u64,
    pub cells_delivered: u64,
    pub dropped: Vec<Dropped>,
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The event of a slot of the calendar is due.
    #[inline(always)]
    pub fn simulate(&mut self, now: Time, slot: Slot) {
        match self.agenda.event(slot) {
            Event::NearTimer(flow) => self.expire(now, flow, End::Near),
            Event::Start => self.start_next(now),
            Event::Wake(flow) => self.wake(now, flow % self.sources.len(), false),
            Event::FarTimer(flow) => self.expire(now, flow, End::Far),
            event @ (Event::Arrival(_)
            | Event::Service(_)
            | Event::Turn(_)
            | Event::Background(_)
            | Event::Frame(_)
            | Event::Release(_)) => {
                D::act(self, now, event);
            }
        }
    }

    /// The managed port in front of the bottleneck.
    fn bottleneck(&self) -> Option<&AnyPort> {
        self.driver.ports().nth(self.bottleneck_port)
    }

    /// Number of the circuits of connections: two for each, there and back.
    pub fn circuits(&self) -> usize {
        2 * self.numbers.pairs()
    }

    /// Checks the conservation laws and returns the results, with the observer.
    ///
    /// # Errors
    /// If a law does not hold.
    pub fn finish(mut self) -> Result<(RunRecord, O), Violation> {
        self.audit()?;
        let graph = Arc::clone(&self.graph);
        let mut ledgers = self.settled_ledgers(&graph, self.end);
        if let Some(before) = &self.before {
            let since = |(now, before): (&mut Settled, &Settled)| now.ledger = now.since(before);
            ledgers.iter_mut().zip(&before.ledgers).for_each(since);
        }
        let ledgers: Vec<_> =
            ledgers.into_iter().map(|Settled { port, ledger }| Ok((port, ledger?))).collect::<Result<_, _>>()?;
        Ok((self.record(&graph, &ledgers), self.observer))
    }
}
