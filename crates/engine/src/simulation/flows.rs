//! The flows of a run. One is made when its connection begins: of a hundred thousand connections few may be busy at once.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};

use super::{Simulation, Way};
use crate::measure::Fingerprint;
use crate::observer::Observer;
use crate::random::Chance;
use crate::scenario::Scenario;
use crate::topology::Graph;
use crate::traffic::Source;
use crate::transport::{CongestionNotification, Receiver, Sender, TcpConfig, TickClock};
use crate::units::Time;

/// Bytes of TCP options of packets with data, and of acknowledgments without their blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionBytes {
    pub data: u64,
    pub acknowledgment: u64,
}

/// One direction of a connection: a sender, and the receiver of its data.
///
/// Flow c carries the data of connection c. Where the receiving ends ask for what is sent, flow n + c of n connections carries
/// the requests, the other way: its data share a circuit with the acknowledgments of flow c, and the reverse.
pub(super) struct Flow {
    pub sender: Sender,
    pub receiver: Receiver,
    /// The name of its congestion control, and what its ends agree on about marks.
    pub flavor: Cow<'static, str>,
    pub ecn: CongestionNotification,
    pub option_bytes: OptionBytes,
    pub data: Way,
    pub acknowledgments: Way,
    /// What is in the calendar for the sender's timers, and for the receiver's.
    pub timer: Option<Time>,
    pub late_acknowledgment: Option<Time>,
    /// All bytes that the source will ever hand over, if there is an end, and when the last of them was delivered.
    pub size: Option<u64>,
    pub finished: Option<Time>,
    pub fingerprint: Fingerprint,
}

impl Flow {
    /// The flow with that number, as it is when its connection begins.
    pub fn planned(number: usize, scenario: &Scenario, graph: &Graph, sources: &[Box<dyn Source>], asks: bool) -> Self {
        let connections = sources.len();
        let connection = number % connections;
        let is_request = number >= connections;
        let path = &graph.flows[connection];
        let there = Way { circuit: 2 * connection, line: path.forward[0] };
        let back = Way { circuit: 2 * connection + 1, line: path.backward[0] };
        let tcp = scenario.tcp_of(path.sender);
        // Who asks opens the connection; when there is something to answer it is open.
        let tcp = TcpConfig { handshake: tcp.handshake && (is_request || !asks), ..tcp };
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let whose = if is_request { "request-" } else { "" };
        let stream = |what: &str| chance.stream(&format!("flow/{}/{whose}{what}", path.number()));
        let clock = TickClock::with_chance(scenario.tcp.timer_granularity.0, scenario.tcp.timer_phase, || {
            stream("timer-phase")
        });
        let mut sender = Sender::new(&tcp, clock);
        sender.take_chance(|| stream("window-law"));
        let (data, acknowledgments) = if is_request { (back, there) } else { (there, back) };
        Self {
            sender,
            receiver: Receiver::new(&tcp),
            flavor: tcp.congestion_control(),
            ecn: tcp.ecn,
            option_bytes: OptionBytes {
                data: tcp.option_bytes(),
                acknowledgment: tcp.option_bytes() + tcp.ecn.option_bytes(),
            },
            data,
            acknowledgments,
            timer: None,
            late_acknowledgment: None,
            size: if is_request { None } else { sources[connection].size() },
            finished: None,
            fingerprint: Fingerprint::default(),
        }
    }
}

/// A flow for the data of each connection and, where receiving ends ask, behind them one for the requests of each.
pub(super) struct Flows(Vec<Option<Box<Flow>>>);

impl Flows {
    /// So many, none of which has begun.
    pub fn waiting(flows: usize) -> Self {
        Self((0..flows).map(|_| None).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The flow with that number, if it has begun.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&Flow> {
        self.0[number].as_deref()
    }

    /// Those that have begun, in order, with their numbers.
    pub fn begun(&self) -> impl Iterator<Item = (usize, &Flow)> {
        self.0.iter().enumerate().filter_map(|(number, flow)| Some((number, flow.as_deref()?)))
    }
}

impl Index<usize> for Flows {
    type Output = Flow;
    #[inline]
    fn index(&self, number: usize) -> &Flow {
        match &self.0[number] {
            Some(flow) => flow,
            None => not_begun(number),
        }
    }
}

impl IndexMut<usize> for Flows {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut Flow {
        match &mut self.0[number] {
            Some(flow) => flow,
            None => not_begun(number),
        }
    }
}

#[cold]
#[inline(never)]
fn not_begun(number: usize) -> ! {
    unreachable!("nothing happens to flow {number} before its source wakes")
}

impl<O: Observer> Simulation<O> {
    /// Whether receiving ends ask for what is sent.
    pub(super) fn asks(&self) -> bool {
        self.flows.len() > self.sources.len()
    }

    /// The flow with that number as it is when its connection begins.
    pub(super) fn planned_flow(&self, number: usize) -> Flow {
        Flow::planned(number, &self.scenario, &self.graph, &self.sources, self.asks())
    }

    /// A connection begins, unless it has: from now on its flows are kept, and the lines that they take.
    #[inline]
    pub(super) fn begin_connection(&mut self, connection: usize) {
        if self.flows.get(connection).is_none() {
            self.make_connection(connection);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_connection(&mut self, connection: usize) {
        let requests = self.asks().then(|| self.sources.len() + connection);
        [connection].into_iter().chain(requests).for_each(|number| self.make_flow(number));
    }

    /// Begins the flows whose window laws come from outside: whoever provides them is asked for all at once, in order.
    pub(super) fn begin_connections_from_outside(&mut self) {
        let controlled: BTreeSet<_> = self.scenario.controlled_senders(self.graph.senders()).collect();
        if controlled.is_empty() {
            return;
        }
        for number in 0..self.flows.len() {
            if controlled.contains(&self.senders[number % self.sources.len()]) {
                self.make_flow(number);
            }
        }
    }

    fn make_flow(&mut self, number: usize) {
        self.flows.0[number] = Some(Box::new(self.planned_flow(number)));
        let path = &self.graph.flows[number % self.sources.len()];
        for &line in path.forward.iter().chain(path.backward.iter()) {
            self.links.make(line, self.agenda.line(line));
        }
    }
}
