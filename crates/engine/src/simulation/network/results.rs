//! From the state at the end to the record of the run.

use std::borrow::Cow;

use longfat_foundation::config::Parameter;
use longfat_foundation::measure::{
    CompletionRecord, Fingerprint, FlowRecord, FrameRecord, Histogram, Ledger, LegRecord, LineUse, Metrics, PortRecord,
    RequestRecord, ReturnLinkRecord, RunRecord, Shares, Work, excess_fairness, fairness_index, least_share_of_promises,
    max_min_fairness, max_min_shares_of_lines,
};
use longfat_foundation::units::Time;
use longfat_hosts::traffic::{Completions, Kind};
use longfat_hosts::transport::SenderStatistics;
use longfat_network::switch::PortStatistics;
use longfat_network::topology::Graph;

use super::datagram_results::{DatagramTotals, add_delays, datagram_record, ratio};
use super::flows::Outcome;
use super::measured::RequestCounts;
use super::{AnyPort, Drive, Network};
use crate::observer::Observer;
use crate::scenario::{FullSegment, Throughput};

#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
impl<O: Observer, D: Drive> Network<O, D> {
    pub fn record(&self, graph: &Graph, ledgers: &[(usize, Ledger)]) -> RunRecord {
        let flows = self.flow_records();
        let ports = self.port_records(graph, &goodputs_over_tcp(&flows), ledgers);
        let ledger = ledgers[0].1;
        let return_links = self.return_link_records(graph);
        let completions = self.completion_records(&flows, &return_links);
        RunRecord {
            scenario: self.scenario.resolved(),
            scenario_hash: self.scenario.hash(),
            run_id: self.scenario.run_id(),
            engine: crate::ENGINE_VERSION,
            seed: self.scenario.seed,
            replication: self.scenario.replication,
            metrics: self.metrics(graph, &flows, &ports, ledger),
            flows,
            ports,
            completions,
            return_links,
            ledger,
            work: self.work(),
            fingerprint: format!("{:016x}", self.fingerprint().value()),
        }
    }

    pub fn seconds(&self) -> f64 {
        self.measured().as_seconds()
    }

    fn metrics(&self, graph: &Graph, flows: &[FlowRecord], ports: &[PortRecord], ledger: Ledger) -> Metrics {
        let goodputs: Vec<f64> = flows.iter().map(|flow| flow.goodput_bps).collect();
        let over_tcp = flows.iter().filter(|flow| flow.datagrams.is_none());
        let over_tcp: Vec<_> = over_tcp.map(|flow| flow.goodput_bps).collect();
        let datagrams = DatagramTotals::of(flows);
        let use_of_bottleneck =
            self.use_of_line(graph, self.bottleneck_port, &goodputs_over_tcp(flows)).unwrap_or_default();
        let max_goodput_bps = use_of_bottleneck.max_goodput_bps;
        let cells_in: u64 = ports.iter().map(|port| port.cells_in).sum();
        let dropped: u64 = ports.iter().map(|port| port.cells_dropped).sum();
        let promised = self.promised_bps(graph);
        let frames = flows.iter().filter_map(|flow| flow.frames).reduce(FrameRecord::and);
        let (data, bits) = self.segment_bits();
        let on_line: Vec<f64> = goodputs.iter().map(|goodput| goodput / data * bits).collect();
        let counts = self.bottleneck().and_then(AnyPort::discipline_counts);
        let delays = counts.map(|counts| counts.delays);
        Metrics {
            efficiency: use_of_bottleneck.efficiency,
            fairness: fairness_index(&over_tcp),
            first_group_share: self.first_group_share(&goodputs),
            goodput_bps: goodputs.iter().sum(),
            max_goodput_bps,
            max_queue_cells: ports.iter().map(|port| port.max_queue_cells).max().unwrap_or(0),
            mean_queue_cells: ports.get(self.bottleneck_port).map_or(0.0, |port| port.mean_queue_cells),
            cell_loss_ratio: if cells_in == 0 { 0.0 } else { dropped as f64 / cells_in as f64 },
            timeouts: flows.iter().map(|flow| flow.timeouts).sum(),
            packets_lost: self.driver.lost().packets - self.before.as_ref().map_or(0, |before| before.packets_lost),
            least_share_of_mcr: promised.as_ref().and_then(|promised| least_share_of_promises(&on_line, promised)),
            excess_fairness: promised.as_ref().map(|promised| excess_fairness(&on_line, promised)),
            offered_bps: self.offered_bps(flows),
            max_min_fairness: self.max_min_fairness(graph, &goodputs, max_goodput_bps),
            mean_round_trip_s: mean_of_means(flows),
            mean_queueing_delay_s: delays.and_then(Histogram::mean_seconds),
            queueing_delay_p95_s: delays.and_then(|delays| delays.quantile_seconds(0.95)),
            queueing_delay_p99_s: delays.and_then(|delays| delays.quantile_seconds(0.99)),
            packet_mark_ratio: Self::packet_mark_ratio(ports),
            clp0_frame_loss_ratio: frames.and_then(|frames| frames.clp0_loss_ratio()),
            clp1_frame_loss_ratio: frames.and_then(|frames| frames.clp1_loss_ratio()),
            max_proxy_bytes: flows.iter().flat_map(|flow| &flow.legs).filter_map(|leg| leg.most_kept_bytes).max(),
            mean_granted_bps: self.granted_bits_measured().map(|bits| bits / self.seconds()),
            granted_capacity_used: self.granted_capacity_used(graph),
            datagram_delay_s: datagrams.delays.mean_seconds(),
            datagram_delay_p95_s: datagrams.delays.quantile_seconds(0.95),
            datagram_delay_p99_s: datagrams.delays.quantile_seconds(0.99),
            datagram_jitter_s: datagrams.jitter_s,
            datagram_loss_ratio: ratio(datagrams.lost, datagrams.lost + datagrams.known),
            datagram_reordered_ratio: ratio(datagrams.reordered, datagrams.delays.count()),
            probe_round_trip_s: datagrams.round_trips.mean_seconds(),
            probe_round_trip_p99_s: datagrams.round_trips.quantile_seconds(0.99),
            shares: Shares(ledger),
        }
    }

    /// The use of a port's line by the connections over TCP whose data cross it; of the lines that have a ledger.
    pub(super) fn use_of_line(&self, graph: &Graph, port: usize, goodputs: &[f64]) -> Option<LineUse> {
        let line = self.driver.ports().nth(port)?.state().line;
        let crosses = self.by_sender(
            self.ledger.of_port(port)?.crosses().iter().map(|(data, _)| *data).take(self.sources.len()),
            |one, _| one,
        );
        let crossing = goodputs.iter().zip(crosses).filter(|(_, crosses)| *crosses).map(|(own, _)| own);
        // From a zero: the sum of no numbers is -0.0.
        let goodput_bps = crossing.fold(0.0, |sum, own| sum + own);
        let max_goodput_bps = self.max_goodput_bps(graph, line);
        // A line that is out for the whole run can carry nothing, and its use is none.
        let efficiency = if max_goodput_bps > 0.0 { goodput_bps / max_goodput_bps } else { 0.0 };
        Some(LineUse { efficiency, goodput_bps, max_goodput_bps })
    }

    /// The share of the first group of connections in all goodput.
    fn first_group_share(&self, goodputs: &[f64]) -> Option<f64> {
        let first = usize::try_from(self.scenario.connections.first()?.count.0).ok()?;
        let all: f64 = goodputs.iter().sum();
        (all > 0.0).then(|| goodputs[..first].iter().sum::<f64>() / all)
    }

    /// Packets that queue disciplines have marked over packets that these have sent.
    fn packet_mark_ratio(ports: &[PortRecord]) -> Option<f64> {
        let queues: Vec<_> = ports.iter().filter_map(|port| port.queue.as_ref()).collect();
        let sent: u64 = queues.iter().map(|queue| queue.delays.count()).sum();
        let marked: u64 = queues.iter().map(|queue| queue.packets_marked).sum();
        (sent > 0).then(|| marked as f64 / sent as f64)
    }

    /// Throughputs relative to max-min fair shares of the lines with managed ports, of which the bottleneck carries
    /// `at_bottleneck_bps`; `None` where all shares are equal because nothing but these lines limits them.
    fn max_min_fairness(&self, graph: &Graph, goodputs: &[f64], at_bottleneck_bps: f64) -> Option<f64> {
        let demands = self.demands_bps();
        let (data, on_line) = self.segment_bits();
        let capacity = |(number, port): (usize, &AnyPort)| {
            let rate = graph.links[port.state().line].rate.0 as f64;
            if number == self.bottleneck_port { at_bottleneck_bps } else { rate * data / on_line }
        };
        let capacities: Vec<_> = self.driver.ports().enumerate().map(capacity).collect();
        let ports_on = |path: &[usize]| {
            let ports = self.driver.ports().enumerate().filter(|(_, port)| path.contains(&port.state().line));
            ports.map(|(number, _)| number).collect::<Vec<_>>()
        };
        let paths = self.by_sender(graph.flows.iter().map(|flow| ports_on(&flow.forward)), |one, _| one);
        let shares = max_min_shares_of_lines(&capacities, &paths, &demands);
        let are_equal =
            demands.iter().all(|demand| demand.is_infinite()) && shares.windows(2).all(|pair| pair[0] == pair[1]);
        (!are_equal).then(|| max_min_fairness(goodputs, &shares))
    }

    /// The demand of each sender in bits per second (S of M-04): what its applications have handed over, with the backlog when measuring
    /// began.
    fn demands_bps(&self) -> Vec<f64> {
        let wanted =
            self.bytes_offered().zip(0..).map(|(offered, number)| offered.saturating_add(self.backlog(number)));
        let data = self.by_sender(wanted, u64::saturating_add);
        let demand = |bytes| if bytes == u64::MAX { f64::INFINITY } else { self.per_second(bytes) };
        data.into_iter().map(demand).collect()
    }

    /// Bytes that the application of each connection has handed over.
    fn bytes_offered(&self) -> impl Iterator<Item = u64> {
        let offered = |number| self.outcome(number).map_or(0, |flow| flow.offered);
        (0..self.sources.len()).map(move |connection| offered(self.numbers.first(connection, false)))
    }

    /// Bits per second that clients have asked for, or that were handed over to flows with an end.
    fn offered_bps(&self, flows: &[FlowRecord]) -> Option<f64> {
        if self.asks() {
            return flows.iter().map(|flow| flow.requests.as_ref().map(|requests| requests.offered_bps)).sum();
        }
        let ends = self.bytes_offered().filter(|&bytes| bytes < u64::MAX);
        let tells_applications = self.barriers.is_some() || self.sources.iter().any(|source| source.is_told());
        tells_applications.then(|| ends.map(|bytes| self.per_second(bytes)).sum())
    }

    /// Values of connections, combined for each sender.
    fn by_sender<T>(&self, of_connections: impl Iterator<Item = T>, and: impl Fn(T, T) -> T) -> Vec<T> {
        let mut of_senders: Vec<T> = Vec::with_capacity(self.senders.last().map_or(0, |last| last + 1));
        for (sender, of_connection) in self.senders.iter().zip(of_connections) {
            if *sender < of_senders.len() {
                let before = of_senders.pop().expect("a sender's connections are one behind the other");
                of_senders.push(and(before, of_connection));
            } else {
                of_senders.push(of_connection);
            }
        }
        of_senders
    }

    /// Bytes of all the time that is measured as bits per second.
    fn per_second(&self, bytes: u64) -> f64 {
        (8 * bytes) as f64 / self.seconds()
    }

    /// The minimum cell rate of each sender's connections in bits on the line, if they are promised any.
    fn promised_bps(&self, graph: &Graph) -> Option<Vec<f64>> {
        let contract = self.scenario.contract(graph)?;
        let of_connections = contract.minimum_cell_rates.iter().map(|rate| rate.0 as f64);
        Some(self.by_sender(of_connections, |one, other| one + other))
    }

    /// C (M-02): a line's rate times the share of data in a segment's bits on the line, times the share of it that VBR at the bottleneck
    /// leaves to UBR: what it does not use in the mean, however the run divides its cycles, or what UBR is guaranteed.
    fn max_goodput_bps(&self, graph: &Graph, line: usize) -> f64 {
        let rate = match self.scenario.conditions_at(graph, line) {
            Some(conditions) => conditions.mean_rate_bps(self.measured_from(), self.end),
            None => graph.links[line].rate.0 as f64,
        };
        let segment = self.scenario.measure.reference_segment.bytes(self.largest_segment().mss);
        let (data, on_line) = self.bits_of_segment(segment);
        let left = if graph.bottleneck_number() == Some(line) { self.scenario.ubr_share(graph) } else { 1.0 };
        rate * data / on_line * left
    }

    /// Bits of data in the largest full segment of any connection, and the bits that it takes on the line.
    fn segment_bits(&self) -> (f64, f64) {
        self.bits_of_segment(self.largest_segment().mss)
    }

    fn largest_segment(&self) -> FullSegment {
        self.scenario.largest_segment(self.graph.senders())
    }

    /// Bits of data in a segment of `bytes` bytes, and the bits that it takes on the line.
    fn bits_of_segment(&self, bytes: u64) -> (f64, f64) {
        ((8 * bytes) as f64, self.sizes.framing().bits(bytes, self.largest_segment().options) as f64)
    }

    fn flow_records(&self) -> Vec<FlowRecord> {
        let record = |connection: usize| {
            if self.proxies.is_some() && !self.flows.passes_proxies(connection) {
                self.record_of_split(connection)
            } else {
                self.record_of_flow(&self.begun_or_not(connection))
            }
        };
        let with_requests = |connection: usize| FlowRecord {
            requests: self.request_record(connection),
            frames: self.frame_record(connection),
            ..record(connection)
        };
        let of_connections = (0..self.sources.len()).map(with_requests);
        let mut records = self.by_sender(of_connections, |one, other| one.and(&other));
        (1..).zip(&mut records).for_each(|(sender, record): (u64, _)| record.name = format!("flow {sender}"));
        records
    }

    fn frame_record(&self, connection: usize) -> Option<FrameRecord> {
        let frames = self.policing.as_ref()?.frames[connection];
        let before = self.before.as_ref().map(|before| before.frames[connection]);
        Some(frames.since(before.unwrap_or_default()))
    }

    /// The outcome of a flow, whether it has begun or not.
    fn begun_or_not(&self, number: usize) -> Cow<'_, Outcome> {
        self.outcome(number).unwrap_or_else(|| Cow::Owned(self.planned_flow(number).outcome()))
    }

    /// The record of a connection that proxies split: the work of its senders together, and the bytes from host to host.
    fn record_of_split(&self, connection: usize) -> FlowRecord {
        let [first, between, last] = self.numbers.legs_in_turn(connection).map(|number| self.begun_or_not(number));
        let [of_first, of_between, end] = [&first, &between, &last].map(|flow| self.record_of_flow(flow));
        FlowRecord {
            goodput_bps: end.goodput_bps,
            bytes_delivered: end.bytes_delivered,
            round_trips: of_first.round_trips,
            started_s: of_first.started_s,
            finished_s: end.finished_s,
            legs: self.leg_records(connection, &[first, between, last]),
            ..of_first.and(&of_between).and(&end)
        }
    }

    fn record_of_flow(&self, flow: &Outcome) -> FlowRecord {
        let bytes = match self.scenario.measure.throughput {
            Throughput::InOrder => flow.delivered,
            Throughput::HighestSequence => flow.received_to,
        };
        let sent = &flow.sent;
        FlowRecord {
            name: String::new(),
            flavor: flow.flavor.clone(),
            goodput_bps: self.per_second(bytes),
            bytes_delivered: flow.delivered,
            segments_sent: sent.segments_sent,
            segments_retransmitted: sent.segments_retransmitted,
            timeouts: sent.timeouts,
            openings_sent_again: sent.openings_sent_again,
            fast_retransmits: sent.fast_retransmits,
            reductions_for_marks: (!flow.ecn.is_absent()).then_some(sent.reductions_for_marks),
            duplicate_acknowledgments: sent.duplicate_acknowledgments,
            max_cwnd_bytes: sent.max_cwnd,
            round_trips: flow.datagrams.as_ref().map_or(sent.round_trips, |counts| counts.round_trips()),
            started_s: flow.started.map(Time::as_seconds),
            finished_s: flow.finished.map(Time::as_seconds),
            requests: None,
            datagrams: flow.datagrams.as_deref().map(|counts| Box::new(datagram_record(counts))),
            frames: None,
            legs: Vec::new(),
        }
    }

    /// A record for each leg, from the host on: the work of its sender, and the most bytes that its proxy kept.
    fn leg_records(&self, connection: usize, legs: &[Cow<'_, Outcome>]) -> Vec<LegRecord> {
        let record = |(number, flow): (usize, &Cow<'_, Outcome>)| LegRecord {
            name: self.numbers.leg(number).name(),
            flavor: flow.flavor.clone(),
            bytes_delivered: flow.delivered,
            segments_sent: flow.sent.segments_sent,
            segments_retransmitted: flow.sent.segments_retransmitted,
            timeouts: flow.sent.timeouts,
            fast_retransmits: flow.sent.fast_retransmits,
            window_probes: flow.sent.window_probes,
            max_cwnd_bytes: flow.sent.max_cwnd,
            round_trips: flow.sent.round_trips,
            most_kept_bytes: self.proxies.as_ref().and_then(|proxies| proxies.most_kept(number)),
        };
        self.numbers.in_turn(connection, false).zip(legs).map(record).collect()
    }

    /// Counters of what sends the requests of a connection: a sender for each leg, or the far end of a stack.
    fn senders_of_requests(&self, connection: usize) -> Vec<SenderStatistics> {
        if let Some(sent) = self.requests_of_stack(connection) {
            return vec![self.before.as_ref().map_or(sent, |before| sent.since(&before.request_senders[connection]))];
        }
        let outcomes = self.numbers.in_turn(connection, true).filter_map(|number| self.outcome(number));
        outcomes.map(|flow| flow.sent).collect()
    }

    fn request_record(&self, connection: usize) -> Option<RequestRecord> {
        let so_far = RequestCounts::of(&self.sources[connection].exchange()?);
        let before = self.before.as_ref().map(|before| before.requests[connection]);
        let counts = so_far.since(before.unwrap_or_default());
        let mut record = RequestRecord {
            made: counts.made,
            answered: counts.answered,
            files_delivered: counts.files_delivered,
            offered_bps: self.per_second(counts.bytes_asked),
            segments_sent: 0,
            segments_retransmitted: 0,
            timeouts: 0,
            openings_sent_again: 0,
        };
        for sent in self.senders_of_requests(connection) {
            record.segments_sent += sent.segments_sent;
            record.segments_retransmitted += sent.segments_retransmitted;
            record.timeouts += sent.timeouts;
            record.openings_sent_again += sent.openings_sent_again;
        }
        Some(record)
    }

    /// How long each kind of thing took, over all connections; the datagrams of each group with a name; and the volume that was granted on each
    /// return link.
    fn completion_records(&self, flows: &[FlowRecord], return_links: &[ReturnLinkRecord]) -> Vec<CompletionRecord> {
        let mut all = Completions::default();
        self.sources.iter().for_each(|source| source.add_completions(&mut all));
        self.barriers.iter().for_each(|barriers| barriers.add_completions(&mut all));
        for (sender, flow) in flows.iter().enumerate() {
            let name = self.scenario.group(sender).and_then(|group| group.name.as_deref());
            name.zip(flow.datagrams.as_deref())
                .into_iter()
                .for_each(|(name, record)| add_delays(&mut all, name, record));
        }
        for link in return_links {
            let kind = all.kind(&format!("{} grant", link.name));
            kind.asked += link.waits.count();
            kind.times.merge(&link.waits);
            if let Some(times) = &link.log_ons {
                let kind = all.kind(&format!("{} log-on", link.name));
                kind.asked += link.terminals.len() as u64;
                kind.times.merge(times);
            }
        }
        let record = |Kind { name, asked, times }| CompletionRecord { name, asked, delivered: times.count(), times };
        all.into_kinds().into_iter().map(record).collect()
    }

    fn work(&self) -> Work {
        Work {
            events: self.events_processed,
            cell_hops: self.links.made().map(|(_, link)| link.line.cell_hops()).sum(),
            packet_hops: self.links.made().map(|(_, link)| link.line.packet_hops()).sum(),
            driver: D::DRIVER.name(),
            handed_over: self.driver.handed_over().map(Into::into),
        }
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut all = Fingerprint::default();
        let of_flow = |number| self.flows.fingerprint(number);
        let parts = (0..self.flows.len()).map(of_flow).chain(self.port_fingerprints.iter().copied());
        parts.for_each(|part| all.add(part.value()));
        for (number, port) in self.driver.ports().enumerate() {
            let state = port.state();
            let before = self.before.as_ref().map(|before| &before.ports[number]);
            let peak = |now: &PortStatistics, before: Option<&PortStatistics>| {
                now.max_queue_cells.max(before.map_or(0, |before| before.max_queue_cells))
            };
            all.add(state.statistics().cells_out);
            all.add(peak(state.statistics(), before.map(|before| &before.ubr)));
            if let Some(counts) = port.discipline_counts() {
                all.add(counts.packets_marked);
            }
            if let Some(vbr) = state.vbr() {
                all.add(vbr.statistics().cells_out);
                all.add(peak(vbr.statistics(), before.and_then(|before| before.vbr.as_ref())));
            }
        }
        all
    }
}

/// Throughputs of the connections over TCP, and 0 of the others: datagrams may carry more data for each bit than the segments do with which
/// lines are compared.
fn goodputs_over_tcp(flows: &[FlowRecord]) -> Vec<f64> {
    flows.iter().map(|flow| if flow.datagrams.is_none() { flow.goodput_bps } else { 0.0 }).collect()
}

/// The mean of the mean round trips of those connections that have measured any.
#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
fn mean_of_means(flows: &[FlowRecord]) -> Option<f64> {
    let over_tcp = flows.iter().filter(|flow| flow.datagrams.is_none());
    let means: Vec<f64> = over_tcp.filter_map(|flow| flow.round_trips.mean_seconds()).collect();
    (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
}
