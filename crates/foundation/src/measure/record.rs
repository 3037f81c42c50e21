//! The run record: what `longfat run --json` prints and the store keeps.
//!
//! Where packets travel whole, fields that say cells count packets.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value as Json;

use super::{Histogram, Ledger, Metrics, ReturnLinkRecord, RoundTrips};

/// The record of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunRecord {
    /// Scenario with all defaults.
    pub scenario: Json,
    /// Hash of the scenario without seed and replication.
    pub scenario_hash: String,
    /// Name of the run: a hash of everything.
    pub run_id: String,
    /// Version of the engine.
    pub engine: &'static str,
    /// Seed.
    pub seed: u64,
    /// Replication.
    pub replication: u64,
    /// Results of the whole network.
    pub metrics: Metrics,
    /// Results of each connection.
    pub flows: Vec<FlowRecord>,
    /// Results of each managed port.
    pub ports: Vec<PortRecord>,
    /// Completion times of requests and flows, by kind; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub completions: Vec<CompletionRecord>,
    /// Results of each return link that terminals share; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub return_links: Vec<ReturnLinkRecord>,
    /// Use of the bottleneck's capacity; sums to the duration exactly.
    pub ledger: Ledger,
    /// Cost of the simulation, in counts that do not depend on the machine.
    pub work: Work,
    /// Hash of all events (16 hexadecimal digits).
    pub fingerprint: String,
}

/// Results of a connection, or of all connections of a sender whose flows have one each.
#[derive(Clone, Debug, Serialize)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// Congestion control; "udp" if the connection has none.
    pub flavor: Cow<'static, str>,
    /// Throughput in bits per second (M-01).
    pub goodput_bps: f64,
    /// Bytes delivered to the application.
    pub bytes_delivered: u64,
    /// Segments sent, including retransmissions; of UDP, datagrams, without answers.
    pub segments_sent: u64,
    /// Segments retransmitted.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer with data in flight.
    pub timeouts: u64,
    /// Expiries of the timer during the handshake, each of which retransmits the SYN; left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub openings_sent_again: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Reductions of the window for ECN marks; left out without ECN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reductions_for_marks: Option<u64>,
    /// Acknowledgments that acknowledge nothing new.
    pub duplicate_acknowledgments: u64,
    /// Largest congestion window.
    pub max_cwnd_bytes: f64,
    /// Round trips measured by the sender, including queueing; of UDP, those of answered datagrams.
    pub round_trips: RoundTrips,
    /// Time in seconds at which the first data was handed over; `null` if none was. The goodput counts the whole run all the same.
    pub started_s: Option<f64>,
    /// Time in seconds at which the last byte was delivered; `null` if it was not, or the source is unlimited.
    pub finished_s: Option<f64>,
    /// Requests of the receiving end; left out if it makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestRecord>,
    /// Datagrams of a connection over UDP; left out of one over TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<Box<DatagramRecord>>,
    /// Frames at the bottleneck's port; left out if no rates are promised.
    #[serde(flatten)]
    pub frames: Option<FrameRecord>,
    /// Legs of a connection that proxies split, in the direction of the data; left out without proxies. The sender's counters are then sums
    /// over all legs; congestion control and round trips are those of the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legs: Vec<LegRecord>,
}

/// Results of one leg of a connection that proxies split.
#[derive(Clone, Debug, Serialize)]
pub struct LegRecord {
    /// Its two ends.
    pub name: &'static str,
    /// Congestion control.
    pub flavor: Cow<'static, str>,
    /// Bytes delivered to the next leg, or to the application.
    pub bytes_delivered: u64,
    /// Segments sent, including retransmissions.
    pub segments_sent: u64,
    /// Segments retransmitted.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer with data in flight.
    pub timeouts: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Probes of a zero window of the proxy at its end; not counted as segments.
    pub window_probes: u64,
    /// Largest congestion window.
    pub max_cwnd_bytes: f64,
    /// Round trips measured by its sender over this leg.
    pub round_trips: RoundTrips,
    /// Largest number of bytes buffered by the proxy at its end; `null` if a host is there.
    pub most_kept_bytes: Option<u64>,
}

impl LegRecord {
    fn and(&self, other: &Self) -> Self {
        Self {
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
            segments_sent: self.segments_sent + other.segments_sent,
            segments_retransmitted: self.segments_retransmitted + other.segments_retransmitted,
            timeouts: self.timeouts + other.timeouts,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            window_probes: self.window_probes + other.window_probes,
            max_cwnd_bytes: self.max_cwnd_bytes.max(other.max_cwnd_bytes),
            round_trips: self.round_trips.and(&other.round_trips),
            most_kept_bytes: self.most_kept_bytes.max(other.most_kept_bytes),
            ..self.clone()
        }
    }
}

impl FlowRecord {
    /// Combined results of two connections of the same sender.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        let both = |one: Option<u64>, other| one.zip(other).map(|(one, other)| one + other);
        Self {
            goodput_bps: self.goodput_bps + other.goodput_bps,
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
            segments_sent: self.segments_sent + other.segments_sent,
            segments_retransmitted: self.segments_retransmitted + other.segments_retransmitted,
            timeouts: self.timeouts + other.timeouts,
            openings_sent_again: self.openings_sent_again + other.openings_sent_again,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            reductions_for_marks: both(self.reductions_for_marks, other.reductions_for_marks),
            duplicate_acknowledgments: self.duplicate_acknowledgments + other.duplicate_acknowledgments,
            max_cwnd_bytes: self.max_cwnd_bytes.max(other.max_cwnd_bytes),
            round_trips: self.round_trips.and(&other.round_trips),
            started_s: self.started_s.into_iter().chain(other.started_s).reduce(f64::min),
            finished_s: self.finished_s.zip(other.finished_s).map(|(one, other)| one.max(other)),
            datagrams: self.datagrams.clone().or_else(|| other.datagrams.clone()),
            frames: self.frames.zip(other.frames).map(|(one, other)| one.and(other)),
            legs: self.legs.iter().zip(&other.legs).map(|(one, other)| one.and(other)).collect(),
            ..self
        }
    }
}

/// Datagrams of a connection over UDP, as its far end has measured them.
#[derive(Clone, Debug, Serialize)]
pub struct DatagramRecord {
    /// Datagrams sent; answers are not counted.
    pub sent: u64,
    /// Datagrams that have arrived.
    pub received: u64,
    /// Answers that have come back; left out if the far end gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// Datagrams lost, or their answers. The others are under way at the end.
    pub lost: u64,
    /// Share of those lost in all whose fate is known; `null` if there are none.
    pub loss_ratio: Option<f64>,
    /// Copies of datagrams that had arrived before; left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub duplicates: u64,
    /// Smallest one-way delay, from the transmission of a datagram to the arrival of its last bit (RFC 7679), in seconds; `null`, like all of
    /// these, if none has arrived.
    pub delay_min_s: Option<f64>,
    /// Mean of these delays.
    pub delay_mean_s: Option<f64>,
    /// Their median: as the other quantiles, the middle of its bin.
    pub delay_p50_s: Option<f64>,
    /// Their 95th percentile.
    pub delay_p95_s: Option<f64>,
    /// Their 99th percentile.
    pub delay_p99_s: Option<f64>,
    /// The largest of them.
    pub delay_max_s: Option<f64>,
    /// Their distribution.
    pub delays: Histogram,
    /// Variation of these delays: the estimate of RFC 3550 section 6.4.1 after the last arrival, in seconds; `null` before the second.
    pub jitter_s: Option<f64>,
    /// Mean of the estimates after each arrival.
    pub mean_jitter_s: Option<f64>,
    /// Datagrams that arrived after one that was sent later (RFC 4737 section 3.3).
    pub reordered: u64,
    /// Share of these in those that have arrived; `null` if none has.
    pub reordered_ratio: Option<f64>,
    /// The most arrivals between a reordered datagram and the first that overtook it, itself included (RFC 4737 section 4.2).
    pub max_reordering_extent: u64,
    /// Distribution of the round trips, from the transmission of a datagram to the arrival of its answer (RFC 2681); left out without
    /// answers. Mean and extremes are the connection's `round_trips`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<Histogram>,
}

/// Requests of a connection's client, and the segments that carried them.
#[derive(Clone, Debug, Serialize)]
pub struct RequestRecord {
    /// Requests that the client has handed to its TCP.
    pub made: u64,
    /// Requests that have reached the server, which answers at once.
    pub answered: u64,
    /// Files delivered completely.
    pub files_delivered: u64,
    /// Rate of the requested data, in bits per second of the run.
    pub offered_bps: f64,
    /// Segments sent by the client, including retransmissions.
    pub segments_sent: u64,
    /// Segments retransmitted by the client.
    pub segments_retransmitted: u64,
    /// Expiries of the client's retransmission timer with requests in flight.
    pub timeouts: u64,
    /// SYNs retransmitted by the client; left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub openings_sent_again: u64,
}

/// Completion times of one kind of request or flow, from the request to the last byte, over all connections.
#[derive(Clone, Debug, Serialize)]
pub struct CompletionRecord {
    /// Name, such as "class 0" or "page".
    pub name: String,
    /// Number requested.
    pub asked: u64,
    /// Number delivered by the end of the run; only these have a time.
    pub delivered: u64,
    /// Completion times.
    pub times: Histogram,
}

/// Frames that arrived at the bottleneck's port, by cell loss priority, and those of them that lost a cell there: dropped because the
/// buffer was full, or by the policy. Excludes frames whose first cell was lost by a loss model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameRecord {
    /// Frames with CLP = 0: within the promised rate, or not tagged.
    pub clp0_frames: u64,
    /// Frames with CLP = 0 that lost a cell.
    pub clp0_frames_dropped: u64,
    /// Frames with CLP = 1.
    pub clp1_frames: u64,
    /// Frames with CLP = 1 that lost a cell.
    pub clp1_frames_dropped: u64,
}

impl FrameRecord {
    /// Counts a frame that arrived.
    pub fn count(&mut self, is_tagged: bool) {
        *(if is_tagged { &mut self.clp1_frames } else { &mut self.clp0_frames }) += 1;
    }

    /// Counts a frame that lost a cell.
    pub fn count_dropped(&mut self, is_tagged: bool) {
        *(if is_tagged { &mut self.clp1_frames_dropped } else { &mut self.clp0_frames_dropped }) += 1;
    }

    /// Sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            clp0_frames: self.clp0_frames + other.clp0_frames,
            clp0_frames_dropped: self.clp0_frames_dropped + other.clp0_frames_dropped,
            clp1_frames: self.clp1_frames + other.clp1_frames,
            clp1_frames_dropped: self.clp1_frames_dropped + other.clp1_frames_dropped,
        }
    }

    /// Difference from `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            clp0_frames: self.clp0_frames - earlier.clp0_frames,
            clp0_frames_dropped: self.clp0_frames_dropped - earlier.clp0_frames_dropped,
            clp1_frames: self.clp1_frames - earlier.clp1_frames,
            clp1_frames_dropped: self.clp1_frames_dropped - earlier.clp1_frames_dropped,
        }
    }

    /// Share of the frames with CLP = 0 that lost a cell; `None` if none arrived.
    #[must_use]
    pub fn clp0_loss_ratio(&self) -> Option<f64> {
        ratio(self.clp0_frames_dropped, self.clp0_frames)
    }

    /// Share of the frames with CLP = 1 that lost a cell; `None` if none arrived.
    #[must_use]
    pub fn clp1_loss_ratio(&self) -> Option<f64> {
        ratio(self.clp1_frames_dropped, self.clp1_frames)
    }
}

#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Results of one managed port; with service classes, those of UBR.
#[derive(Clone, Debug, Serialize)]
pub struct PortRecord {
    /// Its name.
    pub name: String,
    /// Drop policy, or the queue discipline that replaces it.
    pub policy: &'static str,
    /// Most cells in the buffer at any time.
    pub max_queue_cells: u64,
    /// Mean cells in the buffer.
    pub mean_queue_cells: f64,
    /// Cells that arrived.
    pub cells_in: u64,
    /// Cells sent to the line.
    pub cells_out: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Packets that lost at least one cell.
    pub packets_dropped: u64,
    /// Share of the time that the line was sending, all classes.
    pub utilization: f64,
    /// Results of the queue discipline; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueRecord>,
    /// Use of the line; left out unless `measure.ledgers` names it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineRecord>,
    /// Results of each service class; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassRecord>,
}

/// Results of a line, as the metrics and the ledger of the whole network have them of the bottleneck.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LineRecord {
    /// Use by the connections whose data cross it.
    #[serde(flatten)]
    pub line_use: LineUse,
    /// Mean time that what was sent had waited at the port: that of the queue discipline's packets, or by Little's law, the mean queue over the
    /// rate at which it was sent; `None` if nothing was sent.
    pub mean_queueing_delay_s: Option<f64>,
    /// Use of its capacity; sums to the duration exactly.
    pub ledger: Ledger,
}

/// Use of a line by the connections whose data cross it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct LineUse {
    /// Their throughput relative to the highest one.
    pub efficiency: f64,
    /// Their throughput.
    pub goodput_bps: f64,
    /// Highest throughput that TCP could reach on it (C of M-02).
    pub max_goodput_bps: f64,
}

/// Results of a queue discipline.
#[derive(Clone, Debug, Serialize)]
pub struct QueueRecord {
    /// Its name.
    pub discipline: &'static str,
    /// Packets marked and sent.
    pub packets_marked: u64,
    /// Acknowledgments dropped because a newer one made them redundant, by disciplines with ACK filtering.
    #[serde(skip_serializing_if = "is_zero")]
    pub acknowledgments_superseded: u64,
    /// Queueing delays of the packets sent.
    pub delays: Histogram,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Results of a service class at a managed port.
#[derive(Clone, Debug, Serialize)]
pub struct ClassRecord {
    /// Its name.
    pub name: &'static str,
    /// Cells that arrived.
    pub cells_in: u64,
    /// Cells sent to the line.
    pub cells_out: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Most cells in the queue at any time; a cell that is sent at the end of its slot is not counted.
    pub max_queue_cells: u64,
    /// Mean cells in the queue.
    pub mean_queue_cells: f64,
}

/// Cost of a simulation. Counts are those of the model and do not depend on the driver: the fast one computes them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Work {
    /// Events processed.
    pub events: u64,
    /// Cells carried, counted once per line.
    pub cell_hops: u64,
    /// Packets carried, counted once per line by their last cells.
    pub packet_hops: u64,
    /// Driver that advanced time: "fast" or "events". Nothing else in a record depends on it.
    pub driver: &'static str,
    /// Reason why lookahead could not be used, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_over: Option<String>,
}
