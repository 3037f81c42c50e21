//! Validation across parts: whether valid parts of a scenario are consistent with each other.

use longfat_foundation::config::{Parameter, format_span};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span};
use longfat_hosts::transport::{OptionSize, OutOfOrder, TcpConfig, TickClock, TimerPhase, WindowScale, option_bytes};
use longfat_network::background::{Background, BackgroundContext};
use longfat_network::framing::Unit;
use longfat_network::switch::ArrivalOrder;
use longfat_network::topology::Graph;

use super::{FullSegment, ReferenceSegment, Scenario};

/// Longest simulated time; far below the clock's limit.
const LONGEST_DURATION: Span = Span(100 * 24 * 3600 * PICOSECONDS_PER_SECOND);

/// Longest propagation delay; nothing on or around Earth is farther.
const LONGEST_DELAY: Span = Span(60 * PICOSECONDS_PER_SECOND);

/// Highest line rate. With it and the longest delay, no computation of a buffer size overflows.
const HIGHEST_RATE: Rate = Rate(100_000_000_000_000);

/// Largest segment: the limit of the IP packet length.
const LARGEST_SEGMENT: u64 = 65_535;

/// Dotted path and message of an error.
pub(super) type Objection = (String, String);

impl Scenario {
    /// Resolves values that depend on several parts; returns the inconsistencies.
    pub(super) fn settle(&mut self) -> Vec<Objection> {
        if let Some(too_many) = self.object_to_number_of_groups() {
            return vec![too_many];
        }
        let mut objections = match self.topology_graph() {
            Ok(senders) => self.settle_network(senders),
            Err(objections) => objections,
        };
        objections.extend(self.object_to_windows());
        objections.extend(self.object_to_timeouts());
        objections.extend(self.object_to_flavors());
        objections.extend(self.object_to_parts_of_hosts());
        self.settle_end_systems();
        objections
    }

    /// [`settle`](Self::settle) for values that depend on the network; `senders` has one connection per sender.
    fn settle_network(&mut self, senders: Graph) -> Vec<Objection> {
        let of_traffic = self.object_to_traffic(senders.flows.len());
        // Connections are laid out only if their number is valid.
        let mut graph = senders;
        if of_traffic.is_empty()
            && let Err(too_many) = self.add_connections(&mut graph)
        {
            return vec![too_many];
        }
        let mut objections = self.object_to_clocks(&graph);
        objections.extend(self.object_to_framing());
        objections.extend(self.object_to_groups(&graph));
        objections.extend(self.object_to_names_of_ports(&graph));
        objections.extend(self.object_to_names_of_lines(&graph));
        objections.extend(self.object_to_ledgers(&graph));
        objections.extend(self.object_to_return_links());
        if !objections.is_empty() {
            return objections;
        }
        self.settle_ports(&graph);
        objections.extend(self.object_to_ports(&graph));
        let lines = self.lines_with_settings(&graph);
        objections.extend(self.object_to_losses(&graph, &lines));
        objections.extend(self.object_to_paths(&graph, &lines, LONGEST_DELAY));
        objections.extend(self.object_to_terminals(&graph, &lines));
        objections.extend(self.object_to_capacities(&graph, &lines));
        objections.extend(self.object_to_reordering(&graph, &lines));
        objections.extend(self.object_to_background(&graph));
        objections.extend(self.object_to_proxies(&graph));
        objections.extend(of_traffic);
        if objections.is_empty() {
            objections.extend(self.object_to_classes(&graph));
        }
        objections
    }

    /// Segment sizes, with the paths at which they are set and the bytes of their options.
    fn segments(&self) -> Vec<(String, FullSegment)> {
        let reference = match self.measure.reference_segment {
            ReferenceSegment::Full => None,
            ReferenceSegment::Size(bytes) => {
                let segment = FullSegment { mss: bytes.0, options: self.tcp.option_bytes() };
                Some(("measure.reference_segment".into(), segment))
            }
        };
        let of_table = |(path, tcp): (String, &TcpConfig)| (path + ".mss", FullSegment::of(tcp));
        self.tables_of_end_systems().map(of_table).chain(reference).collect()
    }

    fn object_to_framing(&self) -> Vec<Objection> {
        let own = self.framing.objections(&());
        let mut objections: Vec<_> =
            own.into_iter().map(|(key, message)| (format!("framing.{key}"), message)).collect();
        if !objections.is_empty() {
            return objections;
        }
        let (name, framing) = (self.framing.name(), self.framing.build(&()));
        for (key, FullSegment { mss, options }) in self.segments() {
            let largest = framing.largest_segment().map(|largest| largest.saturating_sub(options));
            if let Some(largest) = largest.filter(|largest| mss > *largest) {
                let message =
                    format!("a segment of {mss} B does not fit a packet of framing \"{name}\"; at most {largest} B");
                objections.push((key, message));
            }
        }
        let order = self.port.arrival_order.settled(framing.unit());
        if framing.unit() == Unit::Packet && order != ArrivalOrder::FirstComeFirstServed {
            let message = format!(
                "only cells arrive in slots, and framing \"{name}\" has none; leave it out, or \"first-come-first-served\""
            );
            objections.push(("port.arrival_order".into(), message));
        }
        objections
    }

    fn object_to_clocks(&self, graph: &Graph) -> Vec<Objection> {
        let mut objections = Vec::new();
        if self.duration.0 > LONGEST_DURATION {
            let message = format!("{} is too long; at most 2400 h", format_span(self.duration.0));
            objections.push(("duration".into(), message));
        }
        if self.measure.from.0 >= self.duration.0 {
            let (from, duration) = (format_span(self.measure.from.0), format_span(self.duration.0));
            let message = format!("nothing is measured from {from} on in a run of {duration}; less than the duration");
            objections.push(("measure.from".into(), message));
        }
        if let Some(number) = graph.links.iter().position(|link| link.delay > LONGEST_DELAY) {
            let (delay, name) = (format_span(graph.links[number].delay), graph.link_name(number));
            let message = format!("a delay of {delay} ({name}) is too long; at most 60 s");
            objections.push(("topology".into(), message));
        }
        if let Some(number) = graph.links.iter().position(|link| link.rate > HIGHEST_RATE) {
            let (rate, name) = (graph.links[number].rate.0, graph.link_name(number));
            let message = format!("a rate of {rate} bit/s ({name}) is too high; at most 100000 Gbit/s");
            objections.push(("topology".into(), message));
        }
        objections
    }

    fn object_to_background(&self, graph: &Graph) -> Vec<Objection> {
        let Some(bottleneck) = graph.bottleneck() else { return Vec::new() };
        let chance = Chance { seed: self.seed, replication: self.replication };
        let of_model = |(number, model): (usize, &Chosen<dyn Background>)| -> Vec<Objection> {
            let context = BackgroundContext::of(number, bottleneck.rate, &self.framing, chance);
            let objections = model.objections(&context);
            objections.into_iter().map(|(key, message)| (format!("background[{number}].{key}"), message)).collect()
        };
        self.background.iter().enumerate().flat_map(of_model).collect()
    }

    fn object_to_windows(&self) -> Vec<Objection> {
        let too_large = self.segments().into_iter().filter(|(_, segment)| segment.mss > LARGEST_SEGMENT);
        let message = |mss: u64| format!("{mss} B is too large; at most {LARGEST_SEGMENT} B");
        let mut objections: Vec<_> = too_large.map(|(key, segment)| (key, message(segment.mss))).collect();
        for (path, tcp) in self.tables_of_end_systems() {
            let own = object_to_windows_of(tcp).into_iter();
            objections.extend(own.map(|(key, message)| (format!("{path}.{key}"), message)));
        }
        objections
    }

    fn object_to_timeouts(&self) -> Vec<Objection> {
        // The length of a tick does not depend on the phase.
        let chance = Chance { seed: self.seed, replication: self.replication };
        let of_table = |(path, tcp): (String, &TcpConfig)| {
            let clock = TickClock::new(tcp.timer_granularity.0, TimerPhase::FromStart, &mut chance.stream("clock"));
            let found = tcp.retransmission_timeout.objections(&clock);
            found.into_iter().map(move |(key, message)| (format!("{path}.retransmission_timeout.{key}"), message))
        };
        self.tables_of_end_systems().flat_map(of_table).collect()
    }

    fn object_to_flavors(&self) -> Vec<Objection> {
        let of_groups = self.connections.iter().enumerate().filter_map(|(number, group)| {
            group.flavor.as_ref().map(|flavor| (format!("connections[{number}].flavor"), flavor))
        });
        self.tables_of_end_systems()
            .map(|(path, tcp)| (path + ".flavor", &tcp.flavor))
            .chain(of_groups)
            .flat_map(|(path, flavor)| {
                let found = flavor.objections(&());
                found.into_iter().map(move |(key, message)| (format!("{path}.{key}"), message))
            })
            .collect()
    }

    /// Settings of one end system that do not fit each other, also of the proxies over the bottleneck.
    fn object_to_parts_of_hosts(&self) -> Vec<Objection> {
        let mut objections: Vec<Objection> = Vec::new();
        let split = self.split();
        for (path, tcp) in self.end_systems_with_paths() {
            let over_bottleneck = split.as_ref().map(|split| split.over_bottleneck(&tcp));
            for (key, message) in std::iter::once(&tcp).chain(&over_bottleneck).flat_map(|tcp| {
                let found = object_to_selective_acknowledgments_of(tcp).into_iter();
                found.chain(object_to_slow_start_of(tcp)).chain(object_to_resumption_of(tcp))
            }) {
                let path = format!("{path}.{key}");
                if !objections.iter().any(|(known, _)| *known == path) {
                    objections.push((path, message));
                }
            }
        }
        objections
    }
}

/// Errors of the windows of a table of end systems, with their keys.
fn object_to_windows_of(tcp: &TcpConfig) -> Vec<(&'static str, String)> {
    let (mss, window) = (tcp.mss.0, tcp.receiver_window.0);
    let mut objections = Vec::new();
    let most = WindowScale::MOST.largest_window();
    if window > most {
        let message = format!("{window} B is beyond window scaling; at most {most} B (RFC 7323 section 2.2)");
        objections.push(("receiver_window", message));
    } else if window > tcp.window_scale().largest_window() {
        let (needed, can) = (WindowScale::Automatic.settled(window), tcp.window_scale());
        let message = format!(
            "a receiver window of {window} B needs a window scale of {needed}; with {can} at most {} B can be advertised",
            can.largest_window()
        );
        objections.push(("window_scale", message));
    }
    if tcp.advertised_window() < mss {
        let scale = tcp.window_scale();
        let message = match tcp.advertised_window() {
            all if all == window => {
                format!("{window} B cannot hold one segment of {mss} B; nothing would ever be sent")
            }
            rest => format!(
                "a window scale of {scale} leaves {rest} of {window} B, which cannot hold one segment of {mss} B; nothing would \
                     ever be sent"
            ),
        };
        objections.push(("receiver_window", message));
    }
    if tcp.initial_window.bytes(mss) < mss {
        let message = format!("smaller than one segment; nothing would ever be sent; at least {mss} B, or \"1 MSS\"");
        objections.push(("initial_window", message));
    }
    objections
}

/// Errors of the reports of a receiver, with their keys.
fn object_to_selective_acknowledgments_of(tcp: &TcpConfig) -> Vec<(String, String)> {
    let flavor = tcp.flavor.name();
    let mut objections = Vec::new();
    if !tcp.flavor.build(&()).recovery().build(&()).is_selective() {
        return objections;
    }
    let blocks = tcp.sack_blocks.count();
    let others = tcp.option_bytes() + tcp.ecn.option_bytes();
    if others + OptionSize::Padded.bytes(blocks) > option_bytes::MOST {
        let most = (0..blocks).rev().find(|&fewer| others + OptionSize::Padded.bytes(fewer) <= option_bytes::MOST);
        let message = format!(
            "{blocks} blocks have no room beside {}; at most {} (RFC 2018 section 3)",
            if tcp.ecn.option_bytes() > 0 { "the counters of marks" } else { "timestamps" },
            most.unwrap_or(0)
        );
        objections.push(("sack_blocks".into(), message));
    }
    if tcp.out_of_order == OutOfOrder::Discard {
        let message = format!(
            "a receiver that discards has nothing to report, and flavor \"{flavor}\" needs its reports; write \"keep\""
        );
        objections.push(("out_of_order".into(), message));
    }
    objections
}

/// Errors of the end of slow start, with their keys.
fn object_to_slow_start_of(tcp: &TcpConfig) -> Vec<(String, String)> {
    let exit = &tcp.slow_start_exit;
    let own = exit.objections(&()).into_iter();
    let mut objections: Vec<_> = own.map(|(key, message)| (format!("slow_start_exit.{key}"), message)).collect();
    if !exit.is_absent() && tcp.flavor.build(&()).facts().ends_slow_start {
        let message = format!(
            "flavor \"{}\" ends slow start by a rule of its own, so \"{}\" would be a second one; write \"by-flavor\", or switch off the \
             flavor's rule if it has a setting for that",
            tcp.flavor.name(),
            exit.name()
        );
        objections.push(("slow_start_exit".into(), message));
    }
    objections
}

/// Errors of the resumption, with their keys.
fn object_to_resumption_of(tcp: &TcpConfig) -> Vec<(String, String)> {
    let own = tcp.resume.objections(&()).into_iter();
    own.map(|(key, message)| (format!("resume.{key}"), message)).collect()
}
