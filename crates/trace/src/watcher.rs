//! The observer that runs the traces and the capture of a run.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use longfat_engine::capacity::Award;
use longfat_engine::config::{did_you_mean, format_span};
use longfat_engine::end_system::{Direction, Vitals};
use longfat_engine::framing::{Cell, Class, Content};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::{Arriving, Interests, Observer, SlotRun};
use longfat_engine::quic::{Kind as PacketKind, Packet};
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::switch::{Leaving, PortState};
use longfat_engine::transport::{Acknowledgment, Segment, Sender, SenderStatistics, Window};
use longfat_engine::units::{Span, Time};

use crate::capture::Capture;
use crate::folder::Folder;
use crate::table::Table;
use crate::traces::{Kind, Network, TRACES, Traces};

/// Traces requested for a run, and their accuracy.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Names of traces; all if empty.
    pub names: Vec<String>,
    /// Largest error of a value, as a share of its scale; 0 records every change.
    pub error: f64,
    /// Duration of the intervals in which cells and bytes are counted; by default a thousandth of the run.
    pub interval: Option<Span>,
}

/// Default number of intervals in a run.
const INTERVALS: u64 = 1000;

/// Most intervals in a run: each may have rows, though nothing happens in it.
const MOST_INTERVALS: u64 = 10_000_000;

impl Wanted {
    /// The default `error`: a line's width in most plots.
    pub const DEFAULT_ERROR: f64 = 0.005;

    /// Kinds of the requested traces, in the order of the registry.
    ///
    /// # Errors
    /// One line per unknown name, with the nearest known one.
    pub fn kinds(&self) -> Result<Vec<&'static Kind>, Vec<String>> {
        let known = |name: &str| all().iter().any(|kind| kind.name == name);
        let unknown: Vec<_> = self.names.iter().filter(|name| !known(name)).map(|name| advice(name)).collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let is_wanted = |kind: &&Kind| self.names.is_empty() || self.names.iter().any(|name| name == kind.name);
        Ok(all().iter().filter(is_wanted).collect())
    }
}

/// Every kind of trace, opaque to the compiler: LLVM would unroll what is done for all names, and look for minutes for what
/// their lengths say about each other (its constraint elimination).
fn all() -> &'static [Kind] {
    black_box(TRACES)
}

fn advice(name: &str) -> String {
    let names: Vec<_> = all().iter().map(|kind| kind.name).collect();
    let meant = did_you_mean(name, names.iter().copied());
    format!("no trace is called \"{name}\"{meant}; traces: {}", names.join(", "))
}

/// Observer that writes the traces and the capture of a run.
#[derive(Default)]
pub struct Watcher {
    traces: Traces,
    /// Declared after the traces, so that their files are removed first.
    folder: Option<(Folder, Network)>,
    capture: Option<Capture>,
    /// Arguments of the start, to restart; and the error if that failed.
    origin: Option<Origin>,
    problem: Option<String>,
}

/// Arguments with which the traces were started.
struct Origin {
    scenario: Scenario,
    folder: PathBuf,
    wanted: Wanted,
}

impl Watcher {
    /// Starts traces in a folder, which is created if absent, and a capture. Files of an earlier run stay until [`finish`](Self::finish).
    ///
    /// # Errors
    /// One line per problem: unknown names, a folder with other files, a disk that cannot be written.
    pub fn start(
        scenario: &Scenario,
        traces: Option<(&Path, &Wanted)>,
        capture: Option<&Path>,
    ) -> Result<Self, Vec<String>> {
        let one = |problem| vec![problem];
        let mut watcher = Self::default();
        if let Some((folder, wanted)) = traces {
            watcher.start_traces(scenario, folder, wanted)?;
        }
        watcher.capture = capture.map(|path| Capture::start(path, scenario)).transpose().map_err(one)?;
        Ok(watcher)
    }

    fn start_traces(&mut self, scenario: &Scenario, path: &Path, wanted: &Wanted) -> Result<(), Vec<String>> {
        let kinds = wanted.kinds()?;
        let duration = scenario.duration.0;
        let interval = wanted.interval.unwrap_or(Span(duration.0.div_ceil(INTERVALS)));
        let shortest = Span(duration.0.div_ceil(MOST_INTERVALS));
        if interval < shortest {
            return Err(vec![format!(
                "intervals of {}: more than {MOST_INTERVALS} in a run of {}; at least {}",
                format_span(interval),
                format_span(duration),
                format_span(shortest)
            )]);
        }
        let network = Network::new(scenario, wanted.error, interval);
        let one = |problem| vec![problem];
        let folder = Folder::open(path).map_err(one)?;
        let words = network.words();
        let table = |kind: &Kind| {
            let is_wanted = kinds.iter().any(|wanted| wanted.name == kind.name);
            is_wanted.then(|| Table::create(&folder.file(kind), kind.columns, &words)).transpose()
        };
        self.traces = Traces::start(&network, table).map_err(one)?;
        self.folder = Some((folder, network));
        self.origin = Some(Origin { scenario: scenario.clone(), folder: path.to_owned(), wanted: wanted.clone() });
        Ok(())
    }

    /// Completes the files at the end of a run, and replaces those of an earlier one.
    ///
    /// # Errors
    /// If a file cannot be written: a message that begins with its path.
    pub fn finish(self, end: Time, record: &RunRecord) -> Result<(), String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if let Some((folder, network)) = self.folder {
            folder.clear()?;
            let counts = self.traces.finish(end)?;
            folder.describe(&counts, &network, record)?;
        }
        self.capture.map_or(Ok(()), Capture::finish)
    }

    #[inline]
    fn tell_capture(&mut self, tell: impl Fn(&mut Capture)) {
        self.capture.iter_mut().for_each(tell);
    }
}

/// Calls a method of each of these traces that is requested.
macro_rules! tell {
    ($watcher:ident, [$($place:ident),*], $method:ident $arguments:tt) => {
        $(if let Some(trace) = &mut $watcher.traces.$place {
            trace.$method $arguments;
        })*
    };
}

impl Observer for Watcher {
    #[inline]
    fn interests(&self) -> Interests {
        Interests {
            anything: true,
            one_order: self.capture.is_some(),
            queue_lengths: self.traces.queue.is_some(),
            shares: self.traces.queue_by_flow.is_some(),
        }
    }

    fn again(&mut self) -> Option<Self> {
        let Origin { scenario, folder, wanted } = self.origin.take()?;
        // The temporary files have the same names as those of the restarted traces.
        self.traces = Traces::default();
        let failed = |problems: Vec<String>| Self { problem: Some(problems.join("; ")), ..Self::default() };
        Some(Self::start(&scenario, Some((&folder, &wanted)), None).unwrap_or_else(failed))
    }

    fn memory_bytes(&self) -> usize {
        self.traces.memory_bytes() + self.capture.as_ref().map_or(0, Capture::memory_bytes)
    }

    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, window: &Window) {
        tell!(self, [segments], segment_sent(now, flow, segment, window));
        self.tell_capture(|capture| capture.segment_sent(now, flow, segment, window));
    }

    fn segment_received(&mut self, now: Time, flow: usize, sequence: u64, length: u64, next: u64) {
        tell!(self, [throughput], segment_received(now, flow, sequence, length, next));
        self.tell_capture(|capture| capture.segment_received(now, flow, sequence, length, next));
    }

    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, window: &Window) {
        tell!(self, [acknowledgments, blocks], acknowledgment_received(now, flow, acknowledgment, window));
        self.tell_capture(|capture| capture.acknowledgment_received(now, flow, acknowledgment, window));
    }

    fn timed_out(&mut self, now: Time, flow: usize, window: &Window) {
        tell!(self, [timeouts], timed_out(now, flow, window));
    }

    fn window_advertised(&mut self, flow: usize, field: u16) {
        self.tell_capture(|capture| capture.window_advertised(flow, field));
    }

    fn synchronize_received(&mut self, now: Time, flow: usize) {
        self.tell_capture(|capture| capture.synchronize_received(now, flow));
    }

    fn synchronized(&mut self, now: Time, flow: usize) {
        self.tell_capture(|capture| capture.synchronized(now, flow));
    }

    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        tell!(self, [cwnd, ssthresh, flight, rto, rtt, srtt], sender_acted(now, flow, sender));
    }

    fn stack_acted(&mut self, now: Time, connection: usize, vitals: &Vitals, counted: &SenderStatistics) {
        tell!(self, [cwnd, ssthresh, flight, rto, rtt, srtt, timeouts], stack_acted(now, connection, vitals, counted));
    }

    fn quic_packet(&mut self, now: Time, connection: usize, direction: Direction, packet: &Packet, size: u64) {
        tell!(self, [packets, frames], quic_packet(now, connection, direction, packet, size));
    }

    fn quic_packet_lost(&mut self, now: Time, connection: usize, kind: PacketKind, number: u64) {
        tell!(self, [lost], quic_packet_lost(now, connection, kind, number));
    }

    fn datagram_sent(&mut self, now: Time, connection: usize, sequence: u64, length: u64) {
        self.tell_capture(|capture| capture.datagram_sent(now, connection, sequence, length));
    }

    fn datagram_received(&mut self, now: Time, connection: usize, sequence: u64, length: u64, delay: Span) {
        tell!(self, [delay, throughput], datagram_received(now, connection, sequence, length, delay));
        self.tell_capture(|capture| capture.datagram_received(now, connection, sequence, length, delay));
    }

    fn answer_received(&mut self, now: Time, connection: usize, sequence: u64, length: u64, round_trip: Option<Span>) {
        tell!(self, [rtt], answer_received(now, connection, sequence, length, round_trip));
        self.tell_capture(|capture| capture.answer_received(now, connection, sequence, length, round_trip));
    }

    fn packet_lost(&mut self, now: Time, flow: usize, content: &Content) {
        tell!(self, [drops], packet_lost(now, flow, content));
        self.tell_capture(|capture| capture.packet_lost(now, flow, content));
    }

    fn packet_dropped(&mut self, now: Time, port: usize, flow: usize, cell: Cell, content: &Content, reason: Verdict) {
        tell!(self, [drops], packet_dropped(now, port, flow, cell, content, reason));
        self.tell_capture(|capture| capture.packet_dropped(now, port, flow, cell, content, reason));
    }

    fn cell_served(&mut self, now: Time, port: usize, class: Class, bits: u64) {
        tell!(self, [capacity], cell_served(now, port, class, bits));
    }

    fn cells_served(&mut self, port: usize, run: &SlotRun) {
        tell!(self, [capacity], cells_served(port, run));
    }

    fn granted(&mut self, now: Time, port: usize, award: &Award) {
        tell!(self, [grants], granted(now, port, award));
    }

    fn queue_changed(&mut self, now: Time, port: usize, state: &PortState) {
        tell!(self, [queue], queue_changed(now, port, state));
    }

    fn queue_moved(&mut self, now: Time, port: usize, cells: u64) {
        tell!(self, [queue], queue_moved(now, port, cells));
    }

    fn queue_moved_by_counts(&mut self, port: usize, run: &SlotRun, before: u64, counts: &[u32]) {
        tell!(self, [queue], queue_moved_by_counts(port, run, before, counts));
    }

    fn queue_moved_by_rounds(&mut self, port: usize, run: &SlotRun, before: u64, members: u64) {
        tell!(self, [queue], queue_moved_by_rounds(port, run, before, members));
    }

    fn shares_changed(&mut self, now: Time, port: usize, state: &PortState, circuits: Option<&[usize]>) {
        tell!(self, [queue_by_flow], shares_changed(now, port, state, circuits));
    }

    fn shares_moved(&mut self, port: usize, run: &SlotRun, arriving: Arriving<'_>, leaving: Leaving<'_>) {
        tell!(self, [queue_by_flow], shares_moved(port, run, arriving, leaving));
    }
}
