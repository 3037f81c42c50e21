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
use longfat_hosts::transport::{CongestionNotification, OptionSize, Receiver, Sender, SenderStatistics, TickClock};
use longfat_network::topology::Graph;

use super::agenda::Place;
use super::audit::audit_flow;
use super::datagrams::{DatagramCounts, DatagramFlow};
use super::legs::Numbers;
use super::{Drive, Network, Way};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// Bytes of TCP options of packets with data, and of acknowledgments without their blocks, and how the option with these is written.
#[derive(Clone, Copy, Debug)]
pub struct OptionBytes {
    pub data: u64,
    pub acknowledgment: u64,
    pub blocks: OptionSize,
}

/// One direction of a connection: a sender, and the receiver of its data.
///
/// Flow c carries the data of connection c. Where the receiving ends ask for what is sent, flow n + c of n connections carries
/// the requests, the other way: its data share a circuit with the acknowledgments of flow c, and the reverse. Where proxies split
/// connections, each leg is a flow ([`Numbers`]).
pub struct Flow {
    pub sender: Sender,
    pub receiver: Receiver,
    /// The name of its congestion control, and what its ends agree on about marks.
    pub flavor: Cow<'static, str>,
    pub ecn: CongestionNotification,
    pub option_bytes: OptionBytes,
    pub data: Way,
    pub acknowledgments: Way,
    /// Where its slots of the calendar are, once it works.
    pub place: Place,
    /// When the sender's timers, and the receiver's, are due in the calendar.
    pub timer: Option<Time>,
    pub late_acknowledgment: Option<Time>,
    /// When its application handed over something for the first time.
    pub started: Option<Time>,
    /// Whether its source will wake again.
    pub source_wakes: bool,
    /// All bytes that the source will ever hand over, if there is an end, and when the last of them was delivered.
    pub size: Option<u64>,
    pub finished: Option<Time>,
    pub fingerprint: Fingerprint,
}

impl Flow {
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
        let mut sender = Sender::new(&tcp, clock);
        sender.take_chance(|| stream("window-law"));
        let way = |circuit| Way::of(circuit, graph);
        let (data, acknowledgments) = numbers.circuits(number);
        let (data, acknowledgments) = (way(data), way(acknowledgments));
        Self {
            receiver: sender.receiver(&tcp),
            sender,
            flavor: tcp.congestion_control(),
            ecn: tcp.ecn,
            option_bytes: OptionBytes {
                data: tcp.option_bytes(),
                acknowledgment: tcp.option_bytes() + tcp.ecn.option_bytes(),
                blocks: tcp.sack_option_size,
            },
            data,
            acknowledgments,
            place: Place::NONE,
            timer: None,
            late_acknowledgment: None,
            source_wakes: before.is_none(),
            size: if is_request { None } else { sources[connection].size() },
            finished: None,
            started: None,
            fingerprint: Fingerprint::default(),
        }
    }

    /// Its application hands over `size` bytes in all.
    pub fn end_with(&mut self, now: Time, size: u64) {
        self.size = Some(size);
        if size > 0 && self.receiver.next() == size {
            self.finished.get_or_insert(now);
        }
    }

    /// True if the flow has no pending event and all of its data is acknowledged.
    fn is_over(&self) -> bool {
        let waits = self.source_wakes || self.timer.is_some() || self.late_acknowledgment.is_some();
        !waits && self.size == Some(self.sender.unacknowledged())
    }

    /// Memory of the flow's losses: one range for each hole.
    fn memory_bytes(&self) -> usize {
        self.sender.memory_bytes() + self.receiver.memory_bytes()
    }

    /// Its outcome so far.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            flavor: self.flavor.clone(),
            ecn: self.ecn,
            offered: self.sender.offered(),
            sent: *self.sender.statistics(),
            delivered: self.receiver.next(),
            received_to: self.receiver.highest(),
            held: self.receiver.bytes_held(),
            finished: self.finished,
            started: self.started,
            fingerprint: self.fingerprint,
            datagrams: None,
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
    pub fingerprint: Fingerprint,
    /// Of a connection over UDP, which has sent nothing else.
    pub datagrams: Option<Box<DatagramCounts>>,
}

impl Outcome {
    /// Outcome of a connection over UDP: bytes of the applications for a stack, datagrams for plain UDP.
    fn of_datagrams(flow: &DatagramFlow) -> Self {
        let counts = flow.counts();
        if !flow.is_plain() {
            let Progress { offered, delivered, held, received_to, sent } = flow.progress();
            return Self {
                flavor: flow.name().into(),
                ecn: CongestionNotification::None,
                offered,
                sent,
                delivered,
                received_to,
                held,
                finished: flow.finished(),
                started: flow.started(),
                fingerprint: flow.fingerprint(),
                datagrams: None,
            };
        }
        Self {
            flavor: flow.name().into(),
            ecn: CongestionNotification::None,
            offered: counts.sent_bytes,
            sent: SenderStatistics { segments_sent: counts.sent, ..SenderStatistics::default() },
            delivered: counts.there.bytes,
            received_to: counts.there.bytes,
            held: 0,
            finished: None,
            started: flow.started(),
            fingerprint: flow.fingerprint(),
            datagrams: Some(Box::new(counts.clone())),
        }
    }
}

/// A flow for the data of each connection and, where receiving ends ask, behind them one for the requests of each.
pub struct Flows {
    at_work: Vec<Option<Box<Flow>>>,
    /// Outcomes of the flows that are over, in the order in which they ended, and the place of each flow among them: nowhere at all
    /// until there is one.
    over: Vec<Outcome>,
    places: Vec<Option<NonZeroU32>>,
    /// Of each connection, if it uses UDP in the place of TCP: it has no other flow. Nowhere at all if none does.
    datagrams: Vec<Option<Box<DatagramFlow>>>,
}

impl Flows {
    /// So many, none of which has begun, of connections with these sources.
    pub fn waiting(flows: usize, scenario: &Scenario, sources: &[Box<dyn Source>], senders: &[usize]) -> Self {
        let datagrams = DatagramFlow::of_sources(scenario, sources, senders);
        Self { at_work: (0..flows).map(|_| None).collect(), over: Vec::new(), places: Vec::new(), datagrams }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.at_work.len()
    }

    /// Whether the flow with that number has begun.
    #[inline]
    pub fn has_begun(&self, number: usize) -> bool {
        self.at_work[number].is_some() || self.over(number).is_some()
    }

    /// Whether it has begun and is not over.
    pub fn is_at_work(&self, number: usize) -> bool {
        self.at_work[number].is_some()
    }

    /// Those that have begun and are not over, in order.
    pub fn at_work(&self) -> impl Iterator<Item = &Flow> {
        self.at_work.iter().filter_map(Option::as_deref)
    }

    /// [`at_work`](Self::at_work), to be changed.
    pub fn at_work_mut(&mut self) -> impl Iterator<Item = &mut Flow> {
        self.at_work.iter_mut().filter_map(Option::as_deref_mut)
    }

    /// The connection over UDP with that number, if it uses UDP.
    #[inline]
    pub fn datagrams(&self, connection: usize) -> Option<&DatagramFlow> {
        self.datagrams.get(connection)?.as_deref()
    }

    /// [`datagrams`](Self::datagrams), to be changed.
    #[inline]
    pub fn datagrams_mut(&mut self, connection: usize) -> Option<&mut DatagramFlow> {
        self.datagrams.get_mut(connection)?.as_deref_mut()
    }

    /// All connections over UDP, to be changed.
    pub fn all_datagrams_mut(&mut self) -> impl Iterator<Item = &mut DatagramFlow> {
        self.datagrams.iter_mut().filter_map(Option::as_deref_mut)
    }

    /// The connection over UDP of which a flow is a leg.
    fn datagrams_of(&self, number: usize) -> Option<&DatagramFlow> {
        self.datagrams(number.checked_rem(self.datagrams.len())?)
    }

    /// True if a flow is a connection over UDP, or a leg of one.
    #[inline]
    pub fn is_over_udp(&self, number: usize) -> bool {
        self.datagrams_of(number).is_some()
    }

    /// The fingerprint of a flow that has begun.
    pub fn fingerprint_mut(&mut self, number: usize) -> &mut Fingerprint {
        let connection = number.checked_rem(self.datagrams.len()).filter(|number| self.datagrams[*number].is_some());
        match connection.and_then(|connection| self.datagrams[connection].as_deref_mut()) {
            Some(flow) => flow.fingerprint_mut(),
            None => match &mut self.at_work[number] {
                Some(flow) => &mut flow.fingerprint,
                None => not_at_work(number),
            },
        }
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let datagrams: usize = self.datagrams.iter().flatten().map(|flow| flow.memory_bytes()).sum();
        let at_work: usize = self.at_work().map(|flow| size_of::<Flow>() + flow.memory_bytes()).sum();
        let over = self.over.capacity() * size_of::<Outcome>() + size_of_val(self.places.as_slice());
        datagrams + at_work + over + size_of_val(self.at_work.as_slice())
    }

    /// The outcome so far of the flow with that number, if it has begun.
    pub fn outcome(&self, number: usize) -> Option<Cow<'_, Outcome>> {
        if let Some(datagrams) = self.datagrams_of(number) {
            return Some(Cow::Owned(Outcome::of_datagrams(datagrams)));
        }
        let so_far = || self.at_work[number].as_ref().map(|flow| Cow::Owned(flow.outcome()));
        self.over(number).map(Cow::Borrowed).or_else(so_far)
    }

    /// Ends a flow: frees its state and keeps its [`Outcome`] for the record.
    fn end(&mut self, number: usize) {
        let Some(flow) = self.at_work[number].take() else { return };
        self.places.resize(self.at_work.len(), None);
        self.over.push(flow.outcome());
        self.places[number] = u32::try_from(self.over.len()).ok().and_then(NonZeroU32::new);
    }

    fn over(&self, number: usize) -> Option<&Outcome> {
        let place = (*self.places.get(number)?)?;
        self.over.get(place.get() as usize - 1)
    }
}

impl Index<usize> for Flows {
    type Output = Flow;
    #[inline]
    fn index(&self, number: usize) -> &Flow {
        match &self.at_work[number] {
            Some(flow) => flow,
            None => not_at_work(number),
        }
    }
}

impl IndexMut<usize> for Flows {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut Flow {
        match &mut self.at_work[number] {
            Some(flow) => flow,
            None => not_at_work(number),
        }
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

    /// The flow with that number as it is when its connection begins.
    pub fn planned_flow(&self, number: usize) -> Flow {
        Flow::planned(number, &self.scenario, &self.graph, &self.sources, self.asks())
    }

    /// A connection begins, unless it has: from now on its flows are kept, and the lines that they take.
    #[inline]
    pub fn begin_connection(&mut self, connection: usize) {
        if !self.flows.has_begun(connection) {
            self.make_connection(connection);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_connection(&mut self, connection: usize) {
        (connection..self.flows.len()).step_by(self.sources.len()).for_each(|number| self.make_flow(number));
    }

    /// Begins the flows whose window laws are provided from outside: all are requested at the start, in order.
    pub fn begin_connections_from_outside(&mut self) {
        let controlled: BTreeSet<_> = self.scenario.controlled_senders(self.graph.senders()).collect();
        if controlled.is_empty() {
            return;
        }
        for number in 0..self.flows.len() {
            let connection = self.numbers.connection(number);
            if controlled.contains(&self.senders[connection]) && self.flows.datagrams(connection).is_none() {
                self.make_flow(number);
            }
        }
    }

    fn make_flow(&mut self, number: usize) {
        let mut flow = Box::new(self.planned_flow(number));
        flow.place = self.agenda.move_in(number);
        self.make_room();
        self.flows.at_work[number] = Some(flow);
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
        if flow.is_over() && audit_flow(flow).is_ok() {
            self.agenda.move_out(flow.place);
            self.keep_memory(number);
            self.flows.end(number);
        }
    }
}
