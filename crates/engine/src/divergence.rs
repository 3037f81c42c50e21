//! Two runs side by side: the first event at which they part.
//!
//! Both are simulated slice by slice, watched, and compared connection by connection: of each the same things must happen at the same
//! times, to the picosecond. Two runs may well agree in one connection after they have parted in another.

use std::collections::VecDeque;

use longfat_foundation::units::{Span, Time};
use longfat_hosts::transport::{Acknowledgment, Segment, Window};
use longfat_network::framing::{Cell, Content};
use longfat_network::switch::drop_policy::Verdict;
use serde::Serialize;

use crate::Simulation;
use crate::observer::Observer;
use crate::scenario::Scenario;

/// Parts of a run that are simulated before they are compared.
const SLICES: u64 = 4096;

/// Events told before and after the one at which runs part.
const CONTEXT: usize = 5;

/// What happens.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Happening {
    /// A sender hands a segment to its network interface, for the first time or `again`; `synchronize` if it opens the connection.
    SegmentSent {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// Whether it has been sent before.
        again: bool,
        /// Whether it opens the connection.
        synchronize: bool,
    },
    /// A whole segment reaches its receiver.
    SegmentReceived {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// The byte expected next.
        next: u64,
    },
    /// A receiver hands an acknowledgment to its network interface.
    AcknowledgmentSent {
        /// The byte expected next.
        next: u64,
    },
    /// An acknowledgment reaches the sender.
    AcknowledgmentReceived {
        /// The byte expected next.
        next: u64,
    },
    /// The retransmission timer expires.
    TimedOut,
    /// A loss model loses a packet, or its first cell.
    PacketLost,
    /// A port drops a cell.
    CellDropped {
        /// Number of the port, from 1.
        port: usize,
        /// Why.
        reason: &'static str,
    },
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When.
    pub time_ps: u64,
    /// What.
    #[serde(flatten)]
    pub happening: Happening,
    /// The congestion window in bytes, with its inflation, where the sender is involved; said, but not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwnd_bytes: Option<f64>,
}

impl Event {
    fn is_same(&self, other: &Self) -> bool {
        self.time_ps == other.time_ps && self.happening == other.happening
    }
}

/// Where two runs part.
#[derive(Clone, Debug, Serialize)]
pub struct Divergence {
    /// When: the earlier of both events.
    pub time_ps: u64,
    /// Number of the connection, from 1; behind the connections come their requests, and backgrounds.
    pub flow: usize,
    /// Its events until then, the latest of them, in both runs.
    pub before: Vec<Event>,
    /// Its next events in each run; none if nothing happens there before the end.
    pub after: [Vec<Event>; 2],
}

/// What a comparison has found.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Events that are the same in both, until the runs part or end.
    pub events_alike: u64,
    /// Until when they were compared.
    pub compared_until_ps: u64,
    /// Where they part; nothing if they do not.
    pub divergence: Option<Divergence>,
}

/// Simulates two scenarios side by side until they part or the shorter ends. `is_stopped` is asked now and then; `None` if it says yes.
pub fn compare(scenarios: [&Scenario; 2], mut is_stopped: impl FnMut() -> bool) -> Option<Comparison> {
    let mut runs = scenarios.map(|scenario| Simulation::new(scenario, Recorder::default()));
    let end = runs.iter().map(Simulation::end).min()?;
    let slice = Span((end - Time::ZERO).0.div_ceil(SLICES));
    let mut known = Known::default();
    let mut parting = None;
    let mut now = Time::ZERO;
    while now < end && parting.is_none_or(|parting| lacks_context(&mut runs, parting)) {
        if is_stopped() {
            return None;
        }
        now = (now + slice).min(end);
        runs.iter_mut().for_each(|run| run.advance(now));
        if parting.is_none() {
            let [first, second] = &mut runs;
            parting = known.compare([&mut first.observer_mut().flows, &mut second.observer_mut().flows]);
        }
    }
    Some(known.report(end, parting, &mut runs))
}

/// Where and when two runs part.
#[derive(Clone, Copy)]
struct Parting {
    time_ps: u64,
    /// From 0.
    flow: usize,
}

/// Whether either run has not yet shown what it goes on with where they part.
fn lacks_context(runs: &mut [Simulation<Recorder>; 2], parting: Parting) -> bool {
    runs.iter_mut().any(|run| run.observer_mut().flows[parting.flow].len() < CONTEXT)
}

/// What has been compared.
#[derive(Default)]
struct Known {
    events_alike: u64,
    /// The latest events of each connection that are the same in both.
    latest: Vec<VecDeque<Event>>,
}

impl Known {
    /// Takes from both what is the same, until they part if they do; gives where that is first.
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
        // What happens in other connections after it is not before it, though it may be the same.
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

/// When the first of the events is that is not the same in both, if there is one.
fn first_difference(first: &VecDeque<Event>, second: &VecDeque<Event>) -> Option<u64> {
    let alike = first.iter().zip(second).take_while(|(one, other)| one.is_same(other)).count();
    [first.get(alike), second.get(alike)].into_iter().flatten().map(|event| event.time_ps).min()
}

/// Moves the events at the head of both that are the same, and not after `until_ps`, to the latest; gives how many.
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

/// Writes down the events of each connection.
#[derive(Default)]
struct Recorder {
    flows: Vec<VecDeque<Event>>,
}

impl Recorder {
    fn note(&mut self, now: Time, flow: usize, happening: Happening, window: Option<&Window>) {
        if flow >= self.flows.len() {
            self.flows.resize(flow + 1, VecDeque::new());
        }
        let cwnd_bytes = window.map(|window| window.cwnd + window.inflation);
        self.flows[flow].push_back(Event { time_ps: now.0, happening, cwnd_bytes });
    }
}

impl Observer for Recorder {
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
        self.note(now, cell.circuit() / 2, Happening::CellDropped { port: port + 1, reason }, None);
    }
}
