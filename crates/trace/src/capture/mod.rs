//! Packet capture of a run at the senders' network interfaces.
//!
//! One flow per connection; where receiving ends make requests, these are flows with ports of their own, captured at their interfaces, and
//! where proxies split connections, each leg is a flow, captured at the host or proxy that sends its data. The
//! capture is taken at the senders because Wireshark's analysis then sees what the sender sees: its retransmissions and duplicate
//! acknowledgments are those that the engine counts. The fate of a packet is a comment on it, so a packet is written once its fate is known
//! and all packets before it are written.

mod headers;
mod pcapng;
mod raw;

pub use raw::RawCapture;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use longfat_engine::Numbers;
use longfat_engine::framing::{Cell, Content};
use longfat_engine::observer::Observer;
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::transport::{Acknowledgment, Segment, Window};
use longfat_engine::units::{PICOSECONDS_PER_SECOND, Span, Time};

use self::headers::{HeaderMaker, Headers, MOST_HEADER_BYTES, MOST_IP_BYTES};
use self::pcapng::{Direction, Packet};
use crate::partial::{Partial, failure};

/// Comment of a synthesized handshake.
const SYNTHESIZED: &str =
    "synthesized: this scenario opens connections without a handshake; the options hold for all that follows";

/// A captured packet whose fate may be unknown.
struct Pending {
    packet: Packet,
    is_settled: bool,
}

/// A packet in flight to the destination.
#[derive(Clone, Copy, PartialEq, Eq)]
struct InFlight {
    /// Number among all packets of the capture.
    number: u64,
    sent: Time,
    /// Its contents; a SYN has length 0.
    sequence: u64,
    length: u64,
}

struct Flow {
    /// True if the flow needs no synthesized handshake (any more).
    is_open: bool,
    in_flight: VecDeque<InFlight>,
}

/// Observer that writes a capture.
pub struct Capture {
    file: BufWriter<File>,
    partial: Partial,
    failed: Option<io::Error>,
    headers: HeaderMaker,
    numbers: Numbers,
    /// Drop policies of the managed ports.
    policies: Vec<&'static str>,
    ports: Vec<String>,
    flows: Vec<Flow>,
    pending: VecDeque<Pending>,
    /// Number of packets written, which is the number of the first pending one.
    written: u64,
}

impl Capture {
    /// Creates an empty capture with one interface per flow.
    ///
    /// # Errors
    /// If segments do not fit an IP packet, or the file cannot be written.
    pub fn start(path: &Path, scenario: &Scenario) -> Result<Self, String> {
        let graph = scenario.graph();
        let mss = scenario.largest_segment(graph.senders()).mss;
        if mss + MOST_HEADER_BYTES > MOST_IP_BYTES {
            let most = MOST_IP_BYTES - MOST_HEADER_BYTES;
            return Err(format!(
                "tcp.mss: segments of {mss} bytes do not fit the IP packets of a capture; at most {most} B"
            ));
        }
        let (numbers, flows) = (Numbers::of(&graph), scenario.number_of_flows());
        // The requesting end opens the connection.
        let has_requests = scenario.has_requests(graph.senders());
        let opens = |flow: usize| {
            let sender = graph.flows[numbers.connection(flow)].sender;
            let tcp = scenario.tcp_of_leg(sender, numbers.leg(flow), numbers.next(flow).is_some());
            tcp.handshake && (numbers.is_request(flow) || !has_requests)
        };
        let (partial, file) = Partial::create(path)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        let mut capture = Self {
            file,
            partial,
            failed: None,
            headers: HeaderMaker::new(scenario, &graph),
            numbers,
            policies: scenario.all_ports(&graph).iter().map(|port| port.policy.name()).collect(),
            ports: graph.port_names(),
            flows: (0..flows).map(|flow| Flow { is_open: opens(flow), in_flight: VecDeque::new() }).collect(),
            pending: VecDeque::new(),
            written: 0,
        };
        let described = capture.describe(scenario);
        described.map_err(|error| failure(path, &error))?;
        Ok(capture)
    }

    /// Bytes that are allocated for packets whose fate is not known, and for those that wait behind them.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "headers are short")]
    pub fn memory_bytes(&self) -> usize {
        let in_flight: usize = self.flows.iter().map(|flow| flow.in_flight.capacity()).sum();
        let pending = self.pending.capacity() * size_of::<Pending>() + self.pending.len() * MOST_HEADER_BYTES as usize;
        pending + in_flight * size_of::<InFlight>()
    }

    fn describe(&mut self, scenario: &Scenario) -> io::Result<()> {
        let (run, hash) = (scenario.run_id(), scenario.hash());
        let Scenario { seed, replication, .. } = scenario;
        let about = format!("run {run}\nscenario {hash}\nseed {seed}, replication {replication}");
        pcapng::section(&mut self.file, &about)?;
        let graph = scenario.graph();
        let numbers = Numbers::of(&graph);
        for flow in 0..scenario.number_of_flows() {
            let path = graph.links_of_circuit(numbers.circuits(flow).0).unwrap_or_default();
            let Some(&number) = path.first() else { continue };
            let link = &graph.links[number];
            let host = graph.nodes[link.from].name.to_string();
            let host = if numbers.before(flow).is_some() { format!("proxy at {host}") } else { host };
            let description = format!("network interface of {host}, {}", graph.link_name(number));
            pcapng::interface(&mut self.file, &host, &description, link.rate)?;
        }
        Ok(())
    }

    /// Completes the file and renames it to its final name.
    ///
    /// # Errors
    /// If anything could not be written: a message that begins with the path.
    pub fn finish(mut self) -> Result<(), String> {
        self.pending.iter_mut().for_each(|pending| pending.is_settled = true);
        self.write_settled();
        let path = self.partial.path().to_owned();
        let written = self.failed.take().map_or_else(|| self.file.flush(), Err);
        written.map_err(|error| failure(&path, &error))?;
        self.partial.keep()
    }

    #[expect(clippy::cast_possible_truncation, reason = "a scenario has far fewer than 2^32 flows")]
    fn take(&mut self, now: Time, flow: usize, direction: Direction, headers: Headers, comment: &str) -> &mut Pending {
        let (headers, length) = headers;
        let comment = comment.to_owned();
        let packet = Packet { time: now, interface: flow as u32, direction, headers, length, comment };
        self.pending.push_back(Pending { packet, is_settled: true });
        let place = self.pending.len() - 1;
        &mut self.pending[place]
    }

    /// Captures a packet whose fate is unknown.
    fn send(&mut self, now: Time, flow: usize, sequence: u64, length: u64, headers: Headers) {
        let number = self.written + self.pending.len() as u64;
        self.flows[flow].in_flight.push_back(InFlight { number, sent: now, sequence, length });
        self.take(now, flow, Direction::Outbound, headers, "").is_settled = false;
    }

    /// Synthesizes a handshake, from which readers learn the window scale.
    fn synthesize_opening(&mut self, now: Time, flow: usize) {
        let (syn, answer) = (self.headers.synchronize(now, flow), self.headers.synchronized(now, flow));
        let end = self.headers.opened(now, flow);
        self.take(now, flow, Direction::Outbound, syn, SYNTHESIZED);
        self.take(now, flow, Direction::Inbound, answer, SYNTHESIZED);
        self.take(now, flow, Direction::Outbound, end, SYNTHESIZED);
    }

    /// Records the fate of a packet. Lines are FIFOs, so packets sent earlier and still pending were lost without notice: their frames were
    /// joined to a damaged one.
    fn settle(&mut self, flow: usize, is_it: impl Fn(&InFlight) -> bool, comment: &str) {
        let in_flight = &mut self.flows[flow].in_flight;
        let Some(place) = in_flight.iter().position(is_it) else { return };
        for earlier in in_flight.drain(..place) {
            set_fate(
                &mut self.pending,
                self.written,
                earlier.number,
                "not delivered: its cells were joined to a damaged frame",
            );
        }
        if let Some(it) = in_flight.pop_front() {
            set_fate(&mut self.pending, self.written, it.number, comment);
        }
        self.write_settled();
    }

    /// Records the loss of a packet; earlier ones may still be in flight.
    fn lose(&mut self, flow: usize, content: &Content, comment: &str) {
        let is_it: Box<dyn Fn(&InFlight) -> bool> = match *content {
            Content::Data { sequence, length, sent, .. } => {
                Box::new(move |packet| (packet.sequence, packet.length, packet.sent) == (sequence, length, sent))
            }
            Content::Datagram { sequence, is_answer: false, .. } => Box::new(move |packet| packet.sequence == sequence),
            Content::Synchronize { .. } => Box::new(|packet| packet.length == 0),
            Content::Acknowledgment(_)
            | Content::Synchronized { .. }
            | Content::Datagram { .. }
            | Content::Background => return,
        };
        // Proxies do not split what UDP sends.
        let is_datagram = matches!(content, Content::Datagram { .. });
        let flow = if is_datagram { self.numbers.first(self.numbers.connection(flow), false) } else { flow };
        let in_flight = &mut self.flows[flow].in_flight;
        if let Some(it) = in_flight.iter().position(is_it).and_then(|place| in_flight.remove(place)) {
            set_fate(&mut self.pending, self.written, it.number, comment);
        }
        self.write_settled();
    }

    fn write_settled(&mut self) {
        while self.pending.front().is_some_and(|first| first.is_settled) {
            let Some(first) = self.pending.pop_front() else { return };
            self.written += 1;
            if self.failed.is_none() {
                self.failed = pcapng::packet(&mut self.file, &first.packet).err();
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "what is pending fits in memory")]
fn set_fate(pending: &mut VecDeque<Pending>, written: u64, number: u64, comment: &str) {
    if let Some(pending) = pending.get_mut((number - written) as usize) {
        pending.is_settled = true;
        comment.clone_into(&mut pending.packet.comment);
    }
}

/// Formats a time as Wireshark does.
fn seconds(time: Time) -> String {
    let second = PICOSECONDS_PER_SECOND;
    format!("{}.{:09} s", time.0 / second, time.0 % second / 1000)
}

impl Observer for Capture {
    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, _window: &Window) {
        if segment.synchronize {
            let headers = self.headers.synchronize(now, flow);
            self.send(now, flow, 0, 0, headers);
            return;
        }
        if !std::mem::replace(&mut self.flows[flow].is_open, true) {
            self.synthesize_opening(now, flow);
        }
        let headers = self.headers.data(now, flow, &segment);
        self.send(now, flow, segment.sequence, segment.length, headers);
    }

    fn synchronize_received(&mut self, _now: Time, flow: usize) {
        self.settle(flow, |packet| packet.length == 0, "");
    }

    fn synchronized(&mut self, now: Time, flow: usize) {
        let headers = self.headers.synchronized(now, flow);
        self.take(now, flow, Direction::Inbound, headers, "");
        self.write_settled();
    }

    fn segment_received(&mut self, _now: Time, flow: usize, sequence: u64, length: u64, _next: u64) {
        self.settle(flow, |packet| (packet.sequence, packet.length) == (sequence, length), "");
    }

    fn window_advertised(&mut self, flow: usize, field: u16) {
        self.headers.advertise(flow, field);
    }

    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, _window: &Window) {
        let headers = self.headers.acknowledgment(flow, acknowledgment);
        self.take(now, flow, Direction::Inbound, headers, "");
        self.write_settled();
    }

    fn datagram_sent(&mut self, now: Time, connection: usize, sequence: u64, length: u64) {
        let flow = self.numbers.first(connection, false);
        let headers = self.headers.datagram(flow, length);
        self.send(now, flow, sequence, length, headers);
    }

    fn datagram_received(&mut self, _now: Time, connection: usize, sequence: u64, length: u64, _delay: Span) {
        let flow = self.numbers.first(connection, false);
        self.settle(flow, |packet| (packet.sequence, packet.length) == (sequence, length), "");
    }

    fn answer_received(
        &mut self,
        now: Time,
        connection: usize,
        _sequence: u64,
        length: u64,
        _round_trip: Option<Span>,
    ) {
        let flow = self.numbers.first(connection, false);
        let headers = self.headers.answer(flow, length);
        self.take(now, flow, Direction::Inbound, headers, "");
        self.write_settled();
    }

    fn packet_dropped(&mut self, now: Time, port: usize, flow: usize, _cell: Cell, content: &Content, reason: Verdict) {
        let why = match reason {
            Verdict::Overflow => "the buffer is full".to_owned(),
            _ => format!("refused by the policy {}", self.policies[port]),
        };
        let comment = format!("dropped at the port {}, at {}: {why}", self.ports[port], seconds(now));
        self.lose(flow, content, &comment);
    }

    fn packet_lost(&mut self, now: Time, flow: usize, content: &Content) {
        self.lose(flow, content, &format!("lost by the scenario's loss model, at {}", seconds(now)));
    }
}
