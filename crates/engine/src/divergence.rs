//! Comparison of two runs: the first event at which they diverge.
//!
//! Both are simulated slice by slice with a recording observer, and compared connection by connection: each must have the same events at
//! the same times, to the picosecond. One connection may well agree after the runs have diverged in another.

use std::collections::VecDeque;

use longfat_foundation::units::{Span, Time};
use longfat_hosts::transport::{Acknowledgment, Segment, Window};
use longfat_network::framing::{Cell, Content};
use longfat_network::switch::drop_policy::Verdict;
use serde::Serialize;

use crate::Simulation;
use crate::observer::Observer;
use crate::scenario::Scenario;

/// Number of slices of a run; the runs are compared after each.
const SLICES: u64 = 4096;

/// Events reported before and after the divergence.
const CONTEXT: usize = 5;

/// Kinds of events that are compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Happening {
    /// A sender hands a segment to its network interface; `again` for a retransmission, `synchronize` for a SYN.
    SegmentSent {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// True for a retransmission.
        again: bool,
        /// True for a SYN.
        synchronize: bool,
    },
    /// A segment reaches its receiver complete.
    SegmentReceived {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// Next byte expected.
        next: u64,
    },
    /// A receiver hands an acknowledgment to its network interface.
    AcknowledgmentSent {
        /// Next byte expected.
        next: u64,
    },
    /// An acknowledgment reaches the sender.
    AcknowledgmentReceived {
        /// Next byte expected.
        next: u64,
    },
    /// A connection over UDP hands a datagram to its network interface.
    DatagramSent {
        /// Number of the datagram.
        sequence: u64,
        /// Number of bytes.
        length: u64,
    },
    /// A datagram reaches the far end complete.
    DatagramReceived {
        /// Number of the datagram.
        sequence: u64,
    },
    /// The answer to a datagram reaches its sender.
    AnswerReceived {
        /// Number of the datagram.
        sequence: u64,
    },
    /// The retransmission timer expires.
    TimedOut,
    /// A loss model loses a packet, or its first cell.
    PacketLost,
    /// A port drops a cell.
    CellDropped {
        /// Number of the port, from 1.
        port: usize,
        /// Reason of the drop.
        reason: &'static str,
    },
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Time of the event.
    pub time_ps: u64,
    /// Kind of the event.
    #[serde(flatten)]
    pub happening: Happening,
    /// Congestion window in bytes, including inflation, if the sender is involved; reported, but not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwnd_bytes: Option<f64>,
}

impl Event {
    fn is_same(&self, other: &Self) -> bool {
        self.time_ps == other.time_ps && self.happening == other.happening
    }
}

/// The first difference between two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Divergence {
    /// Time of the divergence: the earlier of both events.
    pub time_ps: u64,
    /// Number of the connection, from 1; their requests follow, then backgrounds.
    pub flow: usize,
    /// Latest common events of the connection.
    pub before: Vec<Event>,
    /// Next events of the connection in each run; empty if there are none until the end.
    pub after: [Vec<Event>; 2],
}

/// Result of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Number of common events, until the runs diverge or end.
    pub events_alike: u64,
    /// End of the compared time.
    pub compared_until_ps: u64,
    /// The divergence, if any.
    pub divergence: Option<Divergence>,
}

/// Events of a run between two polls.
const PORTION: u64 = 1 << 12;

/// Simulates two scenarios side by side until they diverge or the shorter one ends. Polls `is_stopped` with the memory of both runs in bytes,
/// and returns `None` once it is true.
pub fn compare(scenarios: [&Scenario; 2], mut is_stopped: impl FnMut(usize) -> bool) -> Option<Comparison> {
    let mut runs = scenarios.map(|scenario| Simulation::new(scenario, Recorder::of(scenario)));
    let end = runs.iter().map(Simulation::end).min()?;
    let slice = Span((end - Time::ZERO).0.div_ceil(SLICES));
    let mut known = Known::default();
    let mut parting = None;
    let mut now = Time::ZERO;
    while now < end && parting.is_none_or(|parting| lacks_context(&mut runs, parting)) {
        now = (now + slice).min(end);
        for place in 0..runs.len() {
            let mut is_done = false;
            while !is_done {
                if is_stopped(runs.iter().map(Simulation::memory_bytes).sum()) {
                    return None;
                }
                is_done = runs[place].advance_at_most(now, PORTION);
            }
        }
        if parting.is_none() {
            let [first, second] = &mut runs;
            parting = known.compare([&mut first.observer_mut().flows, &mut second.observer_mut().flows]);
        }
    }
    Some(known.report(end, parting, &mut runs))
}

/// Connection and time of a divergence.
#[derive(Clone, Copy)]
struct Parting {
    time_ps: u64,
    /// Index of the connection, from 0.
    flow: usize,
}

/// True if either run has to continue to show the events after the divergence.
fn lacks_context(runs: &mut [Simulation<Recorder>; 2], parting: Parting) -> bool {
    runs.iter_mut().any(|run| run.observer_mut().flows[parting.flow].len() < CONTEXT)
}

/// State of the comparison.
#[derive(Default)]
struct Known {
    events_alike: u64,
    /// Latest common events of each connection.
    latest: Vec<VecDeque<Event>>,
}

impl Known {
    /// Consumes common events until the runs diverge; returns the earliest divergence.
    fn compare(&mut self, runs: [&mut Vec<VecDeque<Event>>; 2]) -> Option<Parting> {
        let [first, second] = runs;
        let flows = first.len().max(second.len());
        self.latest.resize(flows.max(self.latest.len()), VecDeque::new());
        first.resize(flows, VecDeque::new());
        second.resize(flows, VecDeque::new());
        let partings = first.iter().zip(&*second).enumerate();
        let parting = partings
            .filter_map(|(flow, (first, second))| {
                first_difference(first, second).map(|time_ps| Parting { time_ps, flow })
            })
            .min_by_key(|parting| (parting.time_ps, parting.flow));
        // Events of other connections after the divergence are no context for it, even if they are common.
        let until = parting.map_or(u64::MAX, |parting| parting.time_ps);
        for ((first, second), latest) in first.iter_mut().zip(second).zip(&mut self.latest) {
            self.events_alike += take_alike(first, second, latest, until);
        }
        parting
    }

    fn report(&self, end: Time, parting: Option<Parting>, runs: &mut [Simulation<Recorder>; 2]) -> Comparison {
        let divergence = parting.map(|Parting { time_ps, flow }| Divergence {
            time_ps,
            flow: flow + 1,
            before: self.latest[flow].iter().cloned().collect(),
            after: runs.each_mut().map(|run| run.observer_mut().flows[flow].iter().take(CONTEXT).cloned().collect()),
        });
        let compared_until_ps = parting.map_or(end.0, |parting| parting.time_ps);
        Comparison { events_alike: self.events_alike, compared_until_ps, divergence }
    }
}

/// Time of the first event that differs, if any.
fn first_difference(first: &VecDeque<Event>, second: &VecDeque<Event>) -> Option<u64> {
    let alike = first.iter().zip(second).take_while(|(one, other)| one.is_same(other)).count();
    [first.get(alike), second.get(alike)].into_iter().flatten().map(|event| event.time_ps).min()
}

/// Moves common events at the heads of both queues, up to `until_ps`, to the latest; returns their number.
fn take_alike(
    first: &mut VecDeque<Event>,
    second: &mut VecDeque<Event>,
    latest: &mut VecDeque<Event>,
    until_ps: u64,
) -> u64 {
    let mut alike = 0;
    while let (Some(one), Some(other)) = (first.front(), second.front())
        && one.is_same(other)
        && one.time_ps <= until_ps
    {
        if latest.len() == CONTEXT {
            latest.pop_front();
        }
        latest.extend(first.pop_front());
        second.pop_front();
        alike += 1;
    }
    alike
}

/// Observer that records the events of each connection.
struct Recorder {
    /// Number of the circuits of connections; those of backgrounds follow.
    circuits: usize,
    flows: Vec<VecDeque<Event>>,
}

impl Recorder {
    fn of(scenario: &Scenario) -> Self {
        Self { circuits: scenario.graph().circuits(), flows: Vec::new() }
    }

    fn note(&mut self, now: Time, flow: usize, happening: Happening, window: Option<&Window>) {
        if flow >= self.flows.len() {
            self.flows.resize(flow + 1, VecDeque::new());
        }
        let cwnd_bytes = window.map(|window| window.cwnd + window.inflation);
        self.flows[flow].push_back(Event { time_ps: now.0, happening, cwnd_bytes });
    }
}

impl Observer for Recorder {
    fn memory_bytes(&self) -> usize {
        self.flows.iter().map(|events| size_of_val(events) + events.capacity() * size_of::<Event>()).sum()
    }

    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, window: &Window) {
        let Segment { sequence, length, again, synchronize, .. } = segment;
        self.note(now, flow, Happening::SegmentSent { sequence, length, again, synchronize }, Some(window));
    }

    fn segment_received(&mut self, now: Time, flow: usize, sequence: u64, length: u64, next: u64) {
        self.note(now, flow, Happening::SegmentReceived { sequence, length, next }, None);
    }

    fn acknowledgment_sent(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment) {
        self.note(now, flow, Happening::AcknowledgmentSent { next: acknowledgment.next }, None);
    }

    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, window: &Window) {
        self.note(now, flow, Happening::AcknowledgmentReceived { next: acknowledgment.next }, Some(window));
    }

    fn datagram_sent(&mut self, now: Time, connection: usize, sequence: u64, length: u64) {
        self.note(now, connection, Happening::DatagramSent { sequence, length }, None);
    }

    fn datagram_received(&mut self, now: Time, connection: usize, sequence: u64, _length: u64, _delay: Span) {
        self.note(now, connection, Happening::DatagramReceived { sequence }, None);
    }

    fn answer_received(
        &mut self,
        now: Time,
        connection: usize,
        sequence: u64,
        _length: u64,
        _round_trip: Option<Span>,
    ) {
        self.note(now, connection, Happening::AnswerReceived { sequence }, None);
    }

    fn timed_out(&mut self, now: Time, flow: usize, window: &Window) {
        self.note(now, flow, Happening::TimedOut, Some(window));
    }

    fn packet_lost(&mut self, now: Time, flow: usize, _content: &Content) {
        self.note(now, flow, Happening::PacketLost, None);
    }

    fn cell_dropped(&mut self, now: Time, port: usize, cell: Cell, reason: Verdict) {
        let reason = match reason {
            Verdict::Accept => "accepted",
            Verdict::Overflow => "no room in the buffer",
            Verdict::Refused => "refused by the policy",
            Verdict::Remainder => "its packet had lost a cell",
        };
        let circuit = cell.circuit();
        let flow = if circuit < self.circuits { circuit / 2 } else { circuit };
        self.note(now, flow, Happening::CellDropped { port: port + 1, reason }, None);
    }
}
