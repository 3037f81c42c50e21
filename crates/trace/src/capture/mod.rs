//! Segments and acknowledgments of a run as a packet capture, taken at the senders' network interfaces.
//!
//! Flow by flow: where receiving ends ask for what is sent, their requests are a flow of its own, with a port of its own, taken at
//! their interfaces. At the senders, because there the analysis of Wireshark sees what the sender sees: what it calls retransmissions and duplicate
//! acknowledgments are those that the engine counts. What becomes of a packet later is a comment on it, so a packet is written
//! when its fate is known and everything before it is written.

mod headers;
mod pcapng;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use longfat_engine::framing::{Cell, Content};
use longfat_engine::observer::Observer;
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::transport::{Acknowledgment, Segment, Window};
use longfat_engine::units::{PICOSECONDS_PER_SECOND, Time};

use self::headers::{HeaderMaker, Headers, MOST_HEADER_BYTES, MOST_IP_BYTES};
use self::pcapng::{Direction, Packet};
use crate::partial::{Partial, failure};

/// What a synthesized exchange says about itself.
const SYNTHESIZED: &str =
    "synthesized: this scenario opens connections without a handshake; the options hold for all that follows";

/// A packet whose fate may not be known yet.
struct Pending {
    packet: Packet,
    is_settled: bool,
}

/// A packet on its way to the destination.
#[derive(Clone, Copy, PartialEq, Eq)]
struct UnderWay {
    /// Its number among all packets.
    number: u64,
    sent: Time,
    /// What it carries; a synchronizing segment has no length.
    sequence: u64,
    length: u64,
}

struct Flow {
    /// Whether the exchange that opens it needs no synthesis (any more).
    is_open: bool,
    under_way: VecDeque<UnderWay>,
}

/// Writes a capture as it watches.
pub struct Capture {
    file: BufWriter<File>,
    partial: Partial,
    failed: Option<io::Error>,
    headers: HeaderMaker,
    /// Of each managed port, its drop policy.
    policies: Vec<&'static str>,
    ports: Vec<String>,
    flows: Vec<Flow>,
    pending: VecDeque<Pending>,
    /// Packets written: the number of the first one pending.
    written: u64,
}

impl Capture {
    /// An empty capture with an interface for each source.
    ///
    /// # Errors
    /// If segments do not fit an IP packet, proxies split connections, or the file cannot be written.
    pub fn start(path: &Path, scenario: &Scenario) -> Result<Self, String> {
        let mss = scenario.tcp.mss.0;
        if mss + MOST_HEADER_BYTES > MOST_IP_BYTES {
            let most = MOST_IP_BYTES - MOST_HEADER_BYTES;
            return Err(format!(
                "tcp.mss: segments of {mss} bytes do not fit the IP packets of a capture; at most {most} B"
            ));
        }
        if scenario.split().is_some() {
            let message = "proxies: the packets of legs between proxies have no addresses in a capture; capture a run without, or use --trace";
            return Err(message.into());
        }
        let graph = scenario.graph();
        let (connections, flows) = (graph.flows.len(), scenario.number_of_flows());
        // Who asks opens the connection; its requests are the later flows.
        let opens = |flow: usize| scenario.tcp.handshake && flow + connections >= flows;
        let (partial, file) = Partial::create(path)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        let mut capture = Self {
            file,
            partial,
            failed: None,
            headers: HeaderMaker::new(scenario),
            policies: scenario.all_ports(&graph).iter().map(|port| port.policy.name()).collect(),
            ports: graph.port_names(),
            flows: (0..flows).map(|flow| Flow { is_open: opens(flow), under_way: VecDeque::new() }).collect(),
            pending: VecDeque::new(),
            written: 0,
        };
        let described = capture.describe(scenario);
        described.map_err(|error| failure(path, &error))?;
        Ok(capture)
    }

    fn describe(&mut self, scenario: &Scenario) -> io::Result<()> {
        let (run, hash) = (scenario.run_id(), scenario.hash());
        let Scenario { seed, replication, .. } = scenario;
        let about = format!("run {run}\nscenario {hash}\nseed {seed}, replication {replication}");
        pcapng::section(&mut self.file, &about)?;
        let graph = scenario.graph();
        // Requests come from the other ends.
        let paths = graph.flows.iter().map(|flow| &flow.forward).chain(graph.flows.iter().map(|flow| &flow.backward));
        for path in paths.take(scenario.number_of_flows()) {
            let Some(&number) = path.first() else { continue };
            let link = &graph.links[number];
            let host = graph.nodes[link.from].name.to_string();
            let description = format!("network interface of {host}, {}", graph.link_name(number));
            pcapng::interface(&mut self.file, &host, &description, link.rate)?;
        }
        Ok(())
    }

    /// Completes the file and gives it its name.
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

    /// Takes a packet whose fate is not known yet.
    fn send(&mut self, now: Time, flow: usize, sequence: u64, length: u64, headers: Headers) {
        let number = self.written + self.pending.len() as u64;
        self.flows[flow].under_way.push_back(UnderWay { number, sent: now, sequence, length });
        self.take(now, flow, Direction::Outbound, headers, "").is_settled = false;
    }

    /// The exchange that a real connection would have begun with: without it the window scale would not be known.
    fn synthesize_opening(&mut self, now: Time, flow: usize) {
        let (syn, answer) = (self.headers.synchronize(now, flow), self.headers.synchronized(now, flow));
        let end = self.headers.opened(now, flow);
        self.take(now, flow, Direction::Outbound, syn, SYNTHESIZED);
        self.take(now, flow, Direction::Inbound, answer, SYNTHESIZED);
        self.take(now, flow, Direction::Outbound, end, SYNTHESIZED);
    }

    /// The fate of a packet is known. Lines are FIFOs: whatever the flow sent before it and is still thought to be under way has
    /// come to its end unnoticed, a frame that was joined to a damaged one.
    fn settle(&mut self, flow: usize, is_it: impl Fn(&UnderWay) -> bool, comment: &str) {
        let under_way = &mut self.flows[flow].under_way;
        let Some(place) = under_way.iter().position(is_it) else { return };
        for earlier in under_way.drain(..place) {
            set_fate(
                &mut self.pending,
                self.written,
                earlier.number,
                "not delivered: its cells were joined to a damaged frame",
            );
        }
        if let Some(it) = under_way.pop_front() {
            set_fate(&mut self.pending, self.written, it.number, comment);
        }
        self.write_settled();
    }

    /// The packet is lost, while those before it may still be under way.
    fn lose(&mut self, flow: usize, content: &Content, comment: &str) {
        let is_it: Box<dyn Fn(&UnderWay) -> bool> = match *content {
            Content::Data { sequence, length, sent, .. } => {
                Box::new(move |packet| (packet.sequence, packet.length, packet.sent) == (sequence, length, sent))
            }
            Content::Synchronize => Box::new(|packet| packet.length == 0),
            Content::Acknowledgment(_) | Content::Synchronized | Content::Background => return,
        };
        let under_way = &mut self.flows[flow].under_way;
        if let Some(it) = under_way.iter().position(is_it).and_then(|place| under_way.remove(place)) {
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

/// An instant as Wireshark shows it.
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

    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, _window: &Window) {
        let headers = self.headers.acknowledgment(flow, acknowledgment);
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
