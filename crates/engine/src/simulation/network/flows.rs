//! The flows of a run. One is made when its connection begins, and of one that is over only its outcome is kept: of a hundred
//! thousand connections few may be busy at once.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

use longfat_foundation::measure::Fingerprint;
use longfat_foundation::random::Chance;
use longfat_foundation::units::Time;
use longfat_hosts::end_system::Progress;
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::ends::ends;
use longfat_hosts::transport::{CongestionNotification, SenderStatistics, TickClock};
use longfat_network::topology::Graph;

use super::agenda::Place;
use super::datagrams::{DatagramCounts, Pair};
use super::legs::Numbers;
use super::tcp::Tcp;
use super::transport::{Ends, Transport};
use super::{Drive, Network, Way};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// One direction of a connection: the end that sends its data, and the one that takes them.
///
/// Flow c carries the data of connection c. Where the receiving ends ask for what is sent, flow n + c of n connections carries
/// the requests, the other way: its data share a circuit with the acknowledgments of flow c, and the reverse. Where proxies split
/// connections, each leg is a flow ([`Numbers`]). A connection whose packets [pass proxies](Flows::passes_proxies) has flow c only, for all of its
/// legs and for requests too.
pub struct Flow<E: ?Sized> {
    /// The name of its transport or congestion control.
    pub name: Cow<'static, str>,
    /// The way of what each end sends.
    pub there: Way,
    pub back: Way,
    /// Where its slots of the calendar are, once it works.
    pub place: Place,
    /// When the timer of each end is due in the calendar.
    pub timers: [Option<Time>; 2],
    /// When its application handed over something for the first time.
    pub started: Option<Time>,
    /// Whether its source will wake again.
    pub source_wakes: bool,
    /// All bytes that the source will ever hand over, if there is an end, and when the last of them was delivered.
    pub size: Option<u64>,
    pub finished: Option<Time>,
    pub ends: E,
}

impl<E> Flow<E> {
    /// A flow with these ends, as it is before its connection begins.
    pub fn with(ends: E, name: Cow<'static, str>, ways: [Way; 2], size: Option<u64>) -> Self {
        let [there, back] = ways;
        Self {
            name,
            there,
            back,
            place: Place::NONE,
            timers: [None; 2],
            started: None,
            source_wakes: true,
            size,
            finished: None,
            ends,
        }
    }
}

impl Flow<Tcp> {
    /// The flow with that number, as it is when its connection begins.
    pub fn planned(number: usize, scenario: &Scenario, graph: &Graph, sources: &[Box<dyn Source>], asks: bool) -> Self {
        let numbers = Numbers::of(graph);
        let (connection, is_request) = (numbers.connection(number), numbers.is_request(number));
        let path = &graph.flows[connection];
        let (next, before) = (numbers.next(number), numbers.before(number));
        let mut tcp = scenario.tcp_of_leg(path.sender, numbers.leg(number), next.is_some());
        // The client opens the connection; it is open when there is something to answer.
        if tcp.handshake && asks && !is_request {
            tcp.to_mut().handshake = false;
        }
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let sender = match (before, next) {
            (None, _) => "",
            (Some(_), Some(_)) => "first-proxy-",
            (Some(_), None) => "second-proxy-",
        };
        let whose = if is_request { "request-" } else { "" };
        let stream = |what: &str| chance.stream(&format!("flow/{}/{whose}{sender}{what}", path.number()));
        let clock = TickClock::with_chance(tcp.timer_granularity.0, tcp.timer_phase, || stream("timer-phase"));
        let room = next.and_then(|_| scenario.split()).map(|split| split.buffer.0);
        let (mut near, far) = ends(&tcp, clock, room);
        near.take_chance(|| stream("window-law"));
        let size = if is_request { None } else { sources[connection].size() };
        let (there, back) = numbers.circuits(number);
        let ways = [there, back].map(|circuit| Way::of(circuit, graph));
        let flow = Self::with(Tcp { near, far, ecn: tcp.ecn }, tcp.congestion_control(), ways, size);
        Self { source_wakes: before.is_none(), ..flow }
    }
}

impl Flow<dyn Ends> {
    /// Its application hands over `size` bytes in all.
    pub fn end_with(&mut self, now: Time, size: u64) {
        self.size = Some(size);
        if size > 0 && self.ends.progress().delivered == size {
            self.finished.get_or_insert(now);
        }
    }

    /// True if the flow has no pending event and all of its data is acknowledged.
    fn is_over(&self) -> bool {
        let waits = self.source_wakes || self.timers.iter().any(Option::is_some);
        !waits && self.ends.is_over(self.size)
    }
}

impl<E: Ends + ?Sized> Flow<E> {
    /// Its outcome so far.
    pub fn outcome(&self) -> Outcome {
        let Progress { offered, delivered, held, received_to, sent } = self.ends.progress();
        Outcome {
            flavor: self.name.clone(),
            ecn: self.ends.ecn(),
            offered,
            sent,
            delivered,
            received_to,
            held,
            finished: self.finished,
            started: self.started,
            datagrams: self.ends.datagrams().map(|counts| Box::new(counts.clone())),
        }
    }
}

/// The outcome of a flow, all in bytes: those that its application has handed over, those delivered to the
/// other, the end of the furthest that was received, and those received beyond a hole.
#[derive(Clone)]
pub struct Outcome {
    pub flavor: Cow<'static, str>,
    pub ecn: CongestionNotification,
    pub offered: u64,
    pub sent: SenderStatistics,
    pub delivered: u64,
    pub received_to: u64,
    pub held: u64,
    pub started: Option<Time>,
    pub finished: Option<Time>,
    /// Of a connection over UDP, which has sent nothing else.
    pub datagrams: Option<Box<DatagramCounts>>,
}

/// A flow for the data of each connection and, where receiving ends ask, behind them one for the requests of each.
///
/// A flow that acts is [taken](Self::take) out and [put](Self::put) back: its acts change the network, of which it is then no part.
pub struct Flows {
    /// Those over TCP, by number: made when their connection begins.
    pub tcp: Vec<Option<Box<Flow<Tcp>>>>,
    /// Those of connections whose packets pass proxies, from the beginning of the run; empty if there are none.
    pub stacks: Vec<Option<Box<Flow<Pair>>>>,
    /// For each connection, true if its packets pass proxies; empty if none do.
    passing: Vec<bool>,
    fingerprints: Vec<Fingerprint>,
    /// Outcomes of the flows that are over, in the order in which they ended.
    over: Vec<Outcome>,
    /// For each flow, its index in `over` plus one; empty until a flow is over.
    places: Vec<Option<NonZeroU32>>,
}

impl Flows {
    /// So many, none of which has begun, of connections with these sources.
    pub fn waiting(flows: usize, scenario: &Scenario, graph: &Graph, sources: &[Box<dyn Source>]) -> Self {
        let planned = |connection| Flow::<Pair>::planned(connection, scenario, graph, sources).map(Box::new);
        let mut stacks: Vec<_> = (0..sources.len()).map(planned).collect();
        if stacks.iter().all(Option::is_none) {
            stacks = Vec::new();
        }
        Self {
            tcp: (0..flows).map(|_| None).collect(),
            passing: stacks.iter().map(Option::is_some).collect(),
            stacks,
            fingerprints: vec![Fingerprint::default(); flows],
            over: Vec::new(),
            places: Vec::new(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tcp.len()
    }

    /// Takes a flow that acts out of the table.
    #[inline(always)]
    pub fn take<K: Transport>(&mut self, number: usize) -> Box<Flow<K>> {
        match K::table(self)[number].take() {
            Some(flow) => flow,
            None => not_at_work(number),
        }
    }

    /// Puts a flow back that has acted.
    #[inline(always)]
    pub fn put<K: Transport>(&mut self, number: usize, flow: Box<Flow<K>>) {
        // `take` has left `None` there; forgetting it spares the code that would drop a flow.
        std::mem::forget(K::table(self)[number].replace(flow));
    }

    /// True if the packets of the connection of a flow pass proxies, so that all of its legs are one flow.
    #[inline]
    pub fn passes_proxies(&self, number: usize) -> bool {
        self.owner(number).1
    }

    /// The number of the flow of which the flow with that number is a leg, and whether it passes proxies: if not, it is that flow itself.
    #[inline]
    fn owner(&self, number: usize) -> (usize, bool) {
        match number.checked_rem(self.passing.len()) {
            Some(connection) if self.passing[connection] => (connection, true),
            _ => (number, false),
        }
    }

    /// The flow of which the flow with that number is a leg, or that flow itself, if it is not over.
    pub fn get(&self, number: usize) -> Option<&Flow<dyn Ends>> {
        match self.owner(number) {
            (connection, true) => self.stacks[connection].as_deref().map(|flow| flow as _),
            (number, false) => self.tcp[number].as_deref().map(|flow| flow as _),
        }
    }

    /// [`get`](Self::get), to be changed.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Flow<dyn Ends>> {
        match self.owner(number) {
            (connection, true) => self.stacks[connection].as_deref_mut().map(|flow| flow as _),
            (number, false) => self.tcp[number].as_deref_mut().map(|flow| flow as _),
        }
    }

    /// A connection that passes proxies.
    pub fn stack_mut(&mut self, connection: usize) -> Option<&mut Flow<Pair>> {
        self.stacks.get_mut(connection)?.as_deref_mut()
    }

    /// True once the source of a flow has woken for the first time, also when the flow is over.
    #[inline]
    pub fn has_begun(&self, number: usize) -> bool {
        self.is_at_work(number) || self.over(number).is_some()
    }

    /// True from the first wake-up of its source until the flow is over.
    pub fn is_at_work(&self, number: usize) -> bool {
        self.get(number).is_some_and(|flow| flow.place != Place::NONE)
    }

    /// All that are not over, in order; those over TCP only if they have begun.
    pub fn all(&self) -> impl Iterator<Item = &Flow<dyn Ends>> {
        let tcp = self.tcp.iter().filter_map(Option::as_deref).map(|flow| flow as &Flow<dyn Ends>);
        tcp.chain(self.stacks.iter().filter_map(Option::as_deref).map(|flow| flow as _))
    }

    /// [`all`](Self::all), to be changed.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Flow<dyn Ends>> {
        let tcp = self.tcp.iter_mut().filter_map(Option::as_deref_mut).map(|flow| flow as &mut Flow<dyn Ends>);
        tcp.chain(self.stacks.iter_mut().filter_map(Option::as_deref_mut).map(|flow| flow as _))
    }

    /// Adds a packet with this number, at an end of a flow, to the flow's fingerprint.
    #[inline(always)]
    pub fn mark(&mut self, number: usize, now: Time, packet: u64) {
        let fingerprint = &mut self.fingerprints[number];
        fingerprint.add(now.0);
        fingerprint.add(packet);
    }

    /// The fingerprint of a flow, or of that of which it is a leg.
    pub fn fingerprint_mut(&mut self, number: usize) -> &mut Fingerprint {
        let (number, _) = self.owner(number);
        &mut self.fingerprints[number]
    }

    /// [`fingerprint_mut`](Self::fingerprint_mut), to be read.
    pub fn fingerprint(&self, number: usize) -> Fingerprint {
        self.fingerprints[self.owner(number).0]
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let flows: usize = self.all().map(|flow| size_of_val(flow) + flow.ends.memory_bytes()).sum();
        let over = self.over.capacity() * size_of::<Outcome>() + size_of_val(self.places.as_slice());
        let tables = size_of_val(self.tcp.as_slice()) + size_of_val(self.stacks.as_slice());
        flows + over + tables + self.passing.len() + size_of_val(self.fingerprints.as_slice())
    }

    /// The outcome so far of the flow with that number, if it has begun.
    pub fn outcome(&self, number: usize) -> Option<Cow<'_, Outcome>> {
        let so_far = || self.get(number).map(|flow| Cow::Owned(flow.outcome()));
        self.over(number).map(Cow::Borrowed).or_else(so_far)
    }

    /// Ends a flow: frees its state and keeps its [`Outcome`] for the record.
    fn end(&mut self, number: usize) {
        let Some(flow) = self.tcp[number].take() else { return };
        self.places.resize(self.tcp.len(), None);
        self.over.push(flow.outcome());
        self.places[number] = u32::try_from(self.over.len()).ok().and_then(NonZeroU32::new);
    }

    fn over(&self, number: usize) -> Option<&Outcome> {
        let place = (*self.places.get(number)?)?;
        self.over.get(place.get() as usize - 1)
    }
}

impl Index<usize> for Flows {
    type Output = Flow<dyn Ends>;
    fn index(&self, number: usize) -> &Flow<dyn Ends> {
        self.get(number).unwrap_or_else(|| not_at_work(number))
    }
}

impl IndexMut<usize> for Flows {
    fn index_mut(&mut self, number: usize) -> &mut Flow<dyn Ends> {
        self.get_mut(number).unwrap_or_else(|| not_at_work(number))
    }
}

#[cold]
#[inline(never)]
fn not_at_work(number: usize) -> ! {
    unreachable!("nothing happens to flow {number} before its source wakes, and when it is over")
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// Whether receiving ends ask for what is sent.
    pub fn asks(&self) -> bool {
        self.flows.len() > self.numbers.pairs()
    }

    /// The flow of TCP with that number as it is when its connection begins.
    pub fn planned_flow(&self, number: usize) -> Flow<Tcp> {
        Flow::<Tcp>::planned(number, &self.scenario, &self.graph, &self.sources, self.asks())
    }

    /// A connection begins, unless it has: from now on its flows are kept, and the lines that they take.
    pub fn begin_connection(&mut self, now: Time, connection: usize) {
        if self.flows.passes_proxies(connection) {
            return self.begin_stack(now, connection);
        }
        if !self.flows.has_begun(connection) {
            (connection..self.flows.len()).step_by(self.sources.len()).for_each(|number| self.make_flow(number));
        }
        self.remember_paths(connection);
    }

    /// Begins the flows whose window laws are provided from outside: all are requested at the start, in order.
    pub fn begin_connections_from_outside(&mut self) {
        let controlled: BTreeSet<_> = self.scenario.controlled_senders(self.graph.senders()).collect();
        if controlled.is_empty() {
            return;
        }
        for number in 0..self.flows.len() {
            let connection = self.numbers.connection(number);
            if controlled.contains(&self.senders[connection]) && !self.flows.passes_proxies(connection) {
                self.make_flow(number);
            }
        }
    }

    fn make_flow(&mut self, number: usize) {
        let mut flow = Box::new(self.planned_flow(number));
        flow.place = self.agenda.move_in(number);
        self.make_room();
        self.flows.put(number, flow);
        self.make_lines(number);
    }

    /// The way of a circuit.
    pub fn way(&self, circuit: usize) -> Way {
        Way::of(circuit, &self.graph)
    }

    /// From now on the lines that a flow takes are kept.
    pub fn make_lines(&mut self, number: usize) {
        let (data, acknowledgments) = self.numbers.circuits(number);
        for circuit in [data, acknowledgments] {
            for &line in self.graph.links_of_circuit(circuit).unwrap_or_default() {
                self.links.make(line, self.agenda.line(line));
            }
        }
    }

    /// Makes room for all slots of the calendar and, of flows that will begin, for as many again.
    pub fn make_room(&mut self) {
        let slots = self.agenda.slots();
        if slots > self.calendar.slots() {
            self.calendar.grow((2 * slots).min(self.agenda.slots_with(self.flows.len())));
            let slots = self.calendar.slots();
            self.driver.make_room(slots);
        }
    }

    /// Nothing of a flow is under way, and its sender has nothing to send.
    #[cold]
    #[inline(never)]
    pub fn end_if_over(&mut self, number: usize) {
        let flow = &self.flows[number];
        // One for which a law does not hold stays, for the audit to tell.
        if flow.is_over() && flow.ends.audit().is_ok() {
            self.agenda.move_out(flow.place);
            self.keep_memory(number);
            self.flows.end(number);
        }
    }
}
