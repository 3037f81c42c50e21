//! All kinds of traces. To add one: a file here with an [`Observer`] that is a `Trace`, a line in the list below, and one in each method
//! of [`Watcher`](crate::Watcher) whose events it needs.

mod acknowledgments;
mod capacity;
mod delay;
mod drops;
mod flow_series;
mod grants;
mod path;
mod queues;
mod queues_by_flow;
mod quic;
mod rtt;
mod segments;
mod throughput;
mod timeouts;

use longfat_engine::framing::{Class, Unit};
use longfat_engine::observer::Observer;
use longfat_engine::path::Step;
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::Buffer;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::topology::{Flow, Graph};
use longfat_engine::transport::TcpConfig;
use longfat_engine::units::{CELL_BITS, Span, Time};

use crate::folder::Counts;
use crate::table::{Column, Holds, Table, Value};
use flow_series::FlowSeries;

/// Methods of a trace with a row for each event, whose table is this field.
macro_rules! rows_are_its_changes {
    ($table:tt) => {
        fn changes(&self) -> u64 {
            self.$table.rows()
        }

        fn table(&self) -> &$crate::table::Table {
            &self.$table
        }

        fn into_table(self) -> $crate::table::Table {
            self.$table
        }
    };
}
use rows_are_its_changes;

/// The list of traces: field name among those of a run, and type.
macro_rules! traces {
    ($($place:ident: $trace:ty,)*) => {
        /// Every kind of trace.
        pub const TRACES: &[Kind] = &[$(<$trace>::KIND),*];

        /// The requested traces of a run. Their types are static, so events reach them without virtual calls.
        #[derive(Default)]
        pub(crate) struct Traces {
            $(pub $place: Option<$trace>,)*
        }

        impl Traces {
            /// Starts the traces for which there is a table.
            ///
            /// # Errors
            /// If a table cannot be created.
            pub fn start(
                network: &Network,
                table: impl Fn(&Kind) -> Result<Option<Table>, String>,
            ) -> Result<Self, String> {
                Ok(Self { $($place: table(&<$trace>::KIND)?.map(|table| <$trace>::start(network, table)),)* })
            }

            /// Bytes that are allocated for the tables.
            pub fn memory_bytes(&self) -> usize {
                [$(self.$place.as_ref().map_or(0, |trace| trace.table().memory_bytes())),*].into_iter().sum()
            }

            /// Completes the files at the end of the run.
            ///
            /// # Errors
            /// If one cannot be written.
            pub fn finish(self, end: Time) -> Result<Vec<Counts>, String> {
                let mut counts = Vec::new();
                $(counts.extend(self.$place.map(|trace| finish(trace, end)).transpose()?);)*
                Ok(counts)
            }
        }
    };
}

traces! {
    cwnd: FlowSeries<flow_series::CongestionWindow>,
    ssthresh: FlowSeries<flow_series::SlowStartThreshold>,
    flight: FlowSeries<flow_series::Flight>,
    rto: FlowSeries<flow_series::Timeout>,
    rtt: rtt::RoundTrips,
    srtt: FlowSeries<flow_series::SmoothedRoundTrip>,
    timeouts: timeouts::Timeouts,
    delay: delay::Delays,
    throughput: throughput::Delivered,
    queue: queues::Queues,
    queue_by_flow: queues_by_flow::QueuesByFlow,
    capacity: capacity::Capacity,
    grants: grants::Granted,
    drops: drops::Drops,
    segments: segments::Segments,
    acknowledgments: acknowledgments::Acknowledgments,
    blocks: acknowledgments::Blocks,
    packets: quic::Packets,
    frames: quic::Frames,
    lost: quic::Lost,
    path: path::States,
}

fn finish<T: Trace>(mut trace: T, end: Time) -> Result<Counts, String> {
    trace.end(end);
    let changes = trace.changes();
    let table = trace.into_table();
    let rows = table.rows();
    table.finish().map(|()| Counts { kind: T::KIND, changes, rows })
}

/// A kind of trace: a table with a name.
pub struct Kind {
    /// Name, which is also that of its file.
    pub name: &'static str,
    /// Description.
    pub doc: &'static str,
    /// Columns.
    pub columns: &'static [Column],
    /// Meaning of its rows.
    pub rows: Rows,
}

/// Meaning of a trace's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One row per event.
    Events,
    /// One row per change that moves a value farther than a bound from the previous row: read as a step function, the error never exceeds
    /// the bound.
    Changes(Scale),
    /// One row per interval.
    Intervals,
}

/// Scale of a trace's error bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Largest number of bytes in flight of a flow: the window that its receiver advertises, or what its path and the buffers on it hold if
    /// that is less. Today's presets advertise megabytes to everyone, and a share of that would be no accuracy.
    Window,
    /// The most cells that can wait: the buffer, or the windows of all flows if that is less.
    Buffer,
    /// Exact: every change is recorded.
    Nothing,
}

/// A kind of trace, which writes as it observes.
pub(crate) trait Trace: Observer + Send + Sized {
    /// Kind of the trace.
    const KIND: Kind;

    /// Starts a trace that writes to an empty table.
    fn start(network: &Network, table: Table) -> Self;
    /// Adds the final rows at the end of the run.
    fn end(&mut self, _now: Time) {}
    /// Number of rows of an exact trace.
    fn changes(&self) -> u64;
    /// The table, as far as it is complete.
    fn table(&self) -> &Table;
    /// Returns the completed table.
    fn into_table(self) -> Table;
}

/// Properties of a run that traces need.
pub struct Network {
    /// Number of flows, including requests.
    pub flows: usize,
    /// Number of connections.
    pub connections: usize,
    /// Names of the managed ports.
    pub ports: Vec<String>,
    /// True if ports have a VBR class.
    pub has_classes: bool,
    /// Largest window advertised by receivers, in bytes.
    pub receiver_window: u64,
    /// That of each connection.
    receiver_windows: Vec<u64>,
    /// Largest number of bytes in flight of a flow.
    pub most_bytes: f64,
    /// Largest number of queued cells at a port.
    pub most_cells: f64,
    /// Conditions of the bottleneck's path over time.
    pub path: Vec<Step>,
    /// Error bounds of traces, as shares of their scales.
    pub error: f64,
    /// Duration of an interval.
    pub interval: Span,
}

/// Reasons of losses, as traces name them.
const REASONS: [&str; 3] = ["overflow", "refused", "loss-model"];

impl Network {
    /// Properties of a scenario.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "buffers and windows are far below 2^53")]
    pub fn new(scenario: &Scenario, error: f64, interval: Span) -> Self {
        let graph = scenario.graph();
        let framing = scenario.framing.build(&());
        let window_of = |sender| scenario.tcp_of(sender).advertised_window();
        let receiver_windows: Vec<_> = graph.flows.iter().map(|flow| window_of(flow.sender)).collect();
        let receiver_window = receiver_windows.iter().copied().max().unwrap_or_default();
        let held = bytes_on_the_way(scenario, &graph);
        let buffers = scenario.all_ports(&graph).into_iter().map(|port| port.buffer.capacity().unwrap_or(u64::MAX));
        let cells = |tcp: &TcpConfig| {
            let segments = tcp.advertised_window().div_ceil(tcp.mss.0);
            segments.saturating_mul(framing.cells(tcp.mss.0, tcp.option_bytes()))
        };
        let most = scenario.kinds_of_connections().map(|tcp| cells(&tcp)).max().unwrap_or_default();
        let windows = (graph.flows.len() as u64).saturating_mul(most);
        Self {
            flows: scenario.number_of_flows(),
            connections: graph.flows.len(),
            ports: graph.port_names(),
            has_classes: scenario.sources_of_background(&graph).iter().any(|source| source.class() == Class::Vbr),
            receiver_window,
            receiver_windows,
            most_bytes: held.min(receiver_window as f64),
            most_cells: buffers.max().unwrap_or(u64::MAX).min(windows) as f64,
            path: scenario.path_over_time(&graph),
            error,
            interval,
        }
    }

    /// Error bound of a trace with this scale.
    #[must_use]
    pub fn bound(&self, scale: Scale) -> f64 {
        match scale {
            Scale::Window => self.error * self.most_bytes,
            Scale::Buffer => self.error * self.most_cells,
            Scale::Nothing => 0.0,
        }
    }

    /// Error bound of queue traces in whole cells.
    #[expect(clippy::cast_possible_truncation, reason = "rounded down on purpose; no bound is that large")]
    fn bound_in_cells(&self) -> i64 {
        self.bound(Scale::Buffer).min(f64::from(u32::MAX)) as i64
    }

    /// Labels of the classes at ports.
    fn labels_of_classes(&self) -> Vec<Value> {
        let classes: &[Class] = if self.has_classes { &[Class::Ubr, Class::Vbr] } else { &[Class::Ubr] };
        classes.iter().map(|&class| self.class_word(class)).collect()
    }

    /// Vocabulary of all tables.
    pub(crate) fn words(&self) -> Vec<String> {
        let others = [Class::Ubr.name(), Class::Vbr.name()].into_iter().chain(REASONS).chain(quic::WORDS);
        self.ports.iter().cloned().chain(others.map(str::to_owned)).collect()
    }

    fn words_before_quic(&self) -> usize {
        self.ports.len() + 2 + REASONS.len()
    }

    fn port_word(port: usize) -> Value {
        Value::word(port)
    }

    fn class_word(&self, class: Class) -> Value {
        Value::word(self.ports.len() + usize::from(class == Class::Vbr))
    }

    fn reason_word(&self, reason: Option<Verdict>) -> Value {
        let place = match reason {
            Some(Verdict::Overflow) => 0,
            Some(_) => 1,
            None => 2,
        };
        Value::word(self.ports.len() + 2 + place)
    }
}

/// Largest number of bytes in flight of any flow: its slowest line's bandwidth-delay product, plus the buffers on its path.
#[expect(clippy::cast_precision_loss, reason = "buffers and round trips are far below 2^53")]
fn bytes_on_the_way(scenario: &Scenario, graph: &Graph) -> f64 {
    let framing = scenario.framing.build(&());
    let unit_bytes = match framing.unit() {
        Unit::Cell => CELL_BITS as f64 / 8.0,
        Unit::Packet => framing.bits(scenario.tcp.mss.0, scenario.tcp.option_bytes()) as f64 / 8.0,
    };
    let size = |buffer: Buffer| {
        let units = || buffer.capacity().map_or(f64::INFINITY, |units| units as f64 * unit_bytes);
        buffer.bytes().map_or_else(units, |bytes| bytes as f64)
    };
    let buffers: Vec<_> =
        graph.managed().zip(scenario.all_ports(graph)).map(|(link, port)| (link, size(port.buffer))).collect();
    let held = |flow: &Flow| {
        let slowest = flow.forward.iter().map(|&link| graph.links[link].rate.0).min().unwrap_or_default();
        let carried = slowest as f64 * graph.round_trip(flow).as_seconds() / 8.0;
        let waiting = buffers.iter().filter(|(link, _)| flow.forward.contains(link)).map(|(_, bytes)| bytes);
        carried + waiting.sum::<f64>()
    };
    graph.flows.iter().map(held).fold(0.0, f64::max)
}

/// A column of integers.
const fn integers(name: &'static str, doc: &'static str) -> Column {
    Column { name, holds: Holds::Integers, doc }
}

/// A column of numbers.
const fn numbers(name: &'static str, doc: &'static str) -> Column {
    Column { name, holds: Holds::Numbers, doc }
}

/// A column of flags.
const fn flags(name: &'static str, doc: &'static str) -> Column {
    Column { name, holds: Holds::Flags, doc }
}

/// A column of words.
const fn words(name: &'static str, doc: &'static str) -> Column {
    Column { name, holds: Holds::Words, doc }
}

const TIME: Column = integers("time_ps", "since the start of the simulation");
const FLOW: Column = integers(
    "flow",
    "number of the flow, from 1 on; of n connections n + c carries the requests of c, if it asks, or its leg to the first proxy",
);
const PORT: Column = words("port", "name of the port");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_traces_and_columns_are_unique_and_explained() {
        let mut names: Vec<_> = TRACES.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TRACES.len());
        for kind in TRACES {
            assert!(!kind.doc.is_empty() && kind.columns.iter().all(|column| !column.doc.is_empty()), "{}", kind.name);
            let mut columns: Vec<_> = kind.columns.iter().map(|column| column.name).collect();
            columns.sort_unstable();
            columns.dedup();
            assert_eq!(columns.len(), kind.columns.len(), "{}", kind.name);
        }
    }
}
