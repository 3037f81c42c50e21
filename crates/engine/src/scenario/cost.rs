//! Rough estimate of a run's cost from its scenario, before anything is allocated.

use longfat_foundation::units::{CELL_BITS, Span, Time};
use longfat_hosts::traffic::Writes;
use longfat_hosts::transport::TcpConfig;
use longfat_network::framing::Unit;
use longfat_network::switch::PortConfig;
use longfat_network::topology::Graph;

use super::{FullSegment, Scenario};

/// Events per cell or packet on such a line: arrival, slot, and its share of the acknowledgments.
const EVENTS_PER_UNIT: f64 = 3.5;

/// Core time per packet on such a line, with its acknowledgment, under lookahead and batch service: the order of magnitude, whatever the
/// packet's cells. (On a desktop of 2020: 0.2 us in short runs of the papers' cells, 0.6 us with queue disciplines.)
const CORE_SECONDS_PER_PACKET: f64 = 0.4e-6;

/// Core time of a capacity request per frame, which inspects all queued packets.
const CORE_SECONDS_PER_FRAME: f64 = 1e-6;

/// Memory of a frame that is decided of a line, until it comes.
const BYTES_PER_FRAME_AHEAD: f64 = 64.0;

/// Memory of a connection with its end systems, hosts, links and names, once it has begun; a quarter of that before.
const BYTES_PER_FLOW: f64 = 4096.0;

/// Memory of a packet in flight: its entry and those of its trains on a line, with room for growth.
const BYTES_PER_PACKET: f64 = 300.0;

/// Memory of a buffered cell, with room for growth.
const BYTES_PER_CELL: f64 = 16.0;

/// Estimated cost of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of events, if the lines behind managed ports are always busy and no sender waits with its first window.
    pub events: f64,
    /// Time on one core under lookahead, in seconds, if these lines are always busy.
    pub core_seconds: f64,
    /// Memory in bytes, when most packets are in flight.
    pub memory_bytes: f64,
    /// Parameter that most of the memory is due to.
    pub memory_due_to: &'static str,
}

impl Scenario {
    /// Most packets that senders send before the first acknowledgment.
    #[must_use]
    pub fn first_packets(&self) -> f64 {
        let of_one = |tcp: &TcpConfig| {
            let mss = tcp.mss.0;
            as_float(tcp.initial_window.bytes(mss).min(tcp.receiver_window.0)) / as_float(mss)
        };
        as_float(self.number_of_flows()) * self.kinds_of_end_systems().iter().map(of_one).fold(0.0, f64::max)
    }

    /// Memory in bytes that a run takes before much of it is over: that of its connections and their first windows.
    #[must_use]
    pub fn first_bytes(&self) -> f64 {
        let stacks = as_float(self.stack_bytes(&self.graph()));
        as_float(self.number_of_flows()) * BYTES_PER_FLOW + self.first_packets() * BYTES_PER_PACKET + stacks
    }

    /// Estimates the cost of a run from what its lines can carry, whatever its senders do; [`pilot`](crate::pilot) knows better.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let graph = self.graph();
        let load = Load::of(self, &graph);
        let writing = Writing::of(self, &graph);
        let flows = as_float(graph.flows.len()) * BYTES_PER_FLOW;
        let stacks = as_float(self.stack_bytes(&graph));
        let (of_messages, of_segments) = (writing.packets * BYTES_PER_PACKET, load.packets * BYTES_PER_PACKET);
        let packets = of_messages.max(of_segments);
        let buffered = load.buffered_cells * BYTES_PER_CELL;
        let seconds = self.duration.0.as_seconds();
        let demands = self.lines_with_settings(&graph);
        let demands: Vec<_> = demands.iter().filter_map(|line| line.demand(&graph, &self.return_links)).collect();
        let frames: f64 = demands.iter().map(|demand| seconds / demand.frame.as_seconds()).sum();
        let frames_ahead: f64 = demands.iter().map(|demand| as_float(demand.response_frames)).sum();
        let datagrams: f64 =
            self.sources_of_background(&graph).iter().map(|source| source.datagrams_per_second()).sum();
        // Datagrams cross the bottleneck alone, and wait before it as far as there is room.
        let crossing = graph.bottleneck().map_or(0.0, |line| line.delay.as_seconds());
        let room = load.room.unwrap_or(f64::INFINITY);
        let datagrams_held = (datagrams * seconds).min(datagrams * crossing + room);
        let largest = if stacks > flows + packets + buffered {
            "stack"
        } else if of_messages > of_segments && packets + buffered > flows {
            "traffic.interval"
        } else if flows >= packets + buffered {
            if self.topology.name() == "n-source" { "topology.sources" } else { "connections" }
        } else if load.is_bounded_by_buffer {
            "port.buffer"
        } else {
            "tcp.receiver_window"
        };
        Cost {
            events: load.units * EVENTS_PER_UNIT
                + load.sent_at_once.min(self.first_packets())
                + frames
                + writing.events
                + datagrams * seconds * EVENTS_PER_UNIT,
            core_seconds: load.carried * CORE_SECONDS_PER_PACKET + frames * CORE_SECONDS_PER_FRAME,
            memory_bytes: flows
                + stacks
                + packets
                + buffered
                + datagrams_held * BYTES_PER_PACKET
                + frames_ahead * BYTES_PER_FRAME_AHEAD,
            memory_due_to: largest,
        }
    }
}

/// Writes of applications at regular times.
#[derive(Default)]
struct Writing {
    /// Events of the applications, and of packets that carry one write each.
    events: f64,
    /// Largest number of such packets in flight.
    packets: f64,
}

impl Writing {
    fn of(scenario: &Scenario, graph: &Graph) -> Self {
        let framing = scenario.framing.build(&());
        let (senders, until) = (graph.senders(), Time::ZERO + scenario.duration.0);
        let rate: f64 = graph.managed().map(|number| as_float(graph.links[number].rate.0)).sum();
        let round_trip = graph.flows.first().map_or(Span::ZERO, |flow| graph.round_trip(flow)).as_seconds();
        let (mut all, mut offered_bps) = (Self::default(), 0.0);
        let mut windows = 0.0;
        for sender in 0..senders {
            let Some(Writes { number, bytes, interval }) = scenario.source(sender, senders).writes(until) else {
                continue;
            };
            let tcp = scenario.tcp_of(sender);
            all.events += as_float(number);
            if scenario.sends_datagrams(sender, senders) {
                let bits = as_float(framing.datagram(bytes).1);
                all.events += as_float(number) * EVENTS_PER_UNIT;
                offered_bps += bits / interval.as_seconds();
                windows += as_float(number);
                all.packets += as_float(number).min(round_trip / interval.as_seconds() + 1.0);
                continue;
            }
            // By Nagle's rule small writes share segments, and large ones fill several.
            if tcp.nagle || bytes >= tcp.mss.0 {
                continue;
            }
            let bits = as_float(framing.bits(bytes, tcp.option_bytes()));
            let carried = as_float(number).min(rate * scenario.duration.0.as_seconds() / bits);
            all.events += carried * EVENTS_PER_UNIT;
            offered_bps += bits / interval.as_seconds();
            let window = as_float(number).min(as_float(tcp.receiver_window.0) / as_float(bytes));
            // With silly window avoidance a backlog leaves in full segments; without it, small writes stay small packets.
            windows += if tcp.silly_window_avoidance { window.min(1.0) } else { window };
            all.packets += window.min(round_trip / interval.as_seconds() + 1.0);
        }
        // Above the capacity of the lines, packets in flight grow up to the windows.
        if offered_bps > rate {
            all.packets = windows;
        }
        all
    }
}

/// Estimated load of a network.
struct Load {
    /// Total of cells or packets carried by the lines behind managed ports.
    units: f64,
    /// Total of packets carried by them.
    carried: f64,
    /// Packets that the first lines of all connections can carry: a full buffer drops them, and each is an event.
    sent_at_once: f64,
    /// Largest number of packets in flight.
    packets: f64,
    /// Largest number of buffered cells.
    buffered_cells: f64,
    is_bounded_by_buffer: bool,
    /// Room of all buffers in cells or packets, unless one is unlimited.
    room: Option<f64>,
}

impl Load {
    fn of(scenario: &Scenario, graph: &Graph) -> Self {
        let framing = scenario.framing.build(&());
        let kinds: Vec<_> = scenario.kinds_of_connections().collect();
        // The smallest segments make the most packets.
        let FullSegment { mss, options } = kinds
            .iter()
            .map(|tcp| FullSegment::of(tcp))
            .min_by_key(|segment| segment.mss)
            .unwrap_or(FullSegment::of(&scenario.tcp));
        let bits = as_float(framing.bits(mss, options));
        let unit_bits = match framing.unit() {
            Unit::Cell => as_float(CELL_BITS),
            Unit::Packet => bits,
        };
        let rate: f64 = graph.managed().map(|number| as_float(graph.links[number].rate.0)).sum();
        let round_trip = graph.flows.first().map_or(Span::ZERO, |flow| graph.round_trip(flow)).as_seconds();
        let duration = scenario.duration.0.as_seconds();
        // A connection has at most its window in flight, and at most its first one and twice what the line has carried: windows grow by
        // acknowledgments.
        let most = |bytes: fn(&TcpConfig) -> u64| {
            kinds.iter().map(|tcp| as_float(bytes(tcp)) / as_float(tcp.mss.0)).fold(0.0, f64::max)
        };
        let first = as_float(graph.senders()) * most(|tcp| tcp.initial_window.bytes(tcp.mss.0));
        let windows = as_float(graph.flows.len()) * most(|tcp| tcp.receiver_window.0).max(1.0);
        let carried = 2.0 * rate * duration / bits + as_float(graph.flows.len());
        // A full finite buffer stops several connections; a single one may queue before its own line.
        let size = |port: PortConfig| {
            let in_bytes = port.buffer.bytes().map(|bytes| 8.0 * as_float(bytes) / unit_bits);
            port.buffer.capacity().map(as_float).or(in_bytes)
        };
        let room = scenario.all_ports(graph).into_iter().map(size).sum::<Option<f64>>();
        let buffer = room.filter(|_| graph.flows.len() > 1);
        let pipe = buffer.map(|buffer| {
            2.0 * (rate * round_trip + buffer * unit_bits) / bits + windows / as_float(graph.flows.len())
        });
        let unbounded = windows.min(carried + first);
        // First windows wait before the lines of their senders.
        let packets = pipe.map_or(unbounded, |pipe| pipe.max(first).min(unbounded));
        let cells_per_packet = as_float(framing.cells(mss, options));
        Self {
            units: rate * duration / unit_bits,
            carried: rate * duration / bits,
            sent_at_once: first_lines(graph) * duration / bits,
            packets,
            buffered_cells: buffer.map_or(f64::INFINITY, |buffer| buffer).min(packets * cells_per_packet),
            is_bounded_by_buffer: packets < unbounded,
            room,
        }
    }
}

/// Rates of the first lines of all connections in bits per second.
fn first_lines(graph: &Graph) -> f64 {
    graph.flows.iter().filter_map(|flow| flow.forward.first()).map(|line| as_float(graph.links[*line].rate.0)).sum()
}

/// Converts to `f64`: estimates need no more than 53 bits.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn as_float(number: impl TryInto<u64>) -> f64 {
    number.try_into().unwrap_or(u64::MAX) as f64
}
