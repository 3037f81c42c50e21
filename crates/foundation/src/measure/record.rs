//! The record of a run: what `longfat run --json` prints and the store keeps.
//!
//! Where packets travel whole, everything that says cells counts packets.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value as Json;

use super::{Histogram, Ledger, Metrics, RoundTrips};

/// Everything a run has to tell.
#[derive(Clone, Debug, Serialize)]
pub struct RunRecord {
    /// The scenario with every default filled in.
    pub scenario: Json,
    /// The scenario's name: a hash that ignores seed and replication.
    pub scenario_hash: String,
    /// The run's name.
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
    /// How long what was asked for took to arrive, by kind; left out where nobody asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub completions: Vec<CompletionRecord>,
    /// Where the bottleneck's capacity went; sums to the duration exactly.
    pub ledger: Ledger,
    /// What the simulation cost, in counts that do not depend on the machine.
    pub work: Work,
    /// Hash of all that happened (16 hexadecimal digits).
    pub fingerprint: String,
}

/// Results of one connection, or of all connections of a sender whose flows have one each.
#[derive(Clone, Debug, Serialize)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// Its congestion control.
    pub flavor: Cow<'static, str>,
    /// Throughput in bits per second (M-01).
    pub goodput_bps: f64,
    /// Bytes delivered to the application.
    pub bytes_delivered: u64,
    /// Segments sent, again or not.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer with data under way.
    pub timeouts: u64,
    /// Expiries of the timer before the connection was open, at each of which its synchronizing segment was sent again; left out
    /// where none was.
    #[serde(skip_serializing_if = "is_zero")]
    pub openings_sent_again: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Reductions of the window for marks of queues; left out where the ends do not understand them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reductions_for_marks: Option<u64>,
    /// Acknowledgments that acknowledge nothing new.
    pub duplicate_acknowledgments: u64,
    /// Largest congestion window.
    pub max_cwnd_bytes: f64,
    /// Round trips that its sender has measured, queueing included.
    pub round_trips: RoundTrips,
    /// When the first data was handed over, in seconds; `null` if that has not happened. The goodput counts the whole run all the same.
    pub started_s: Option<f64>,
    /// When the last byte was delivered, in seconds; `null` if that has not happened, or the source has no end.
    pub finished_s: Option<f64>,
    /// What the receiving end asked for; left out where it does not ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestRecord>,
    /// What became of its frames at the bottleneck's port; left out where nothing is promised.
    #[serde(flatten)]
    pub frames: Option<FrameRecord>,
    /// The legs of a connection that proxies split, in the order in which data take them; left out where none do. What a sender does
    /// is then counted over all of them; its congestion control, and its round trips, are those of the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legs: Vec<LegRecord>,
}

/// Results of one leg of a connection that proxies split.
#[derive(Clone, Debug, Serialize)]
pub struct LegRecord {
    /// From where to where.
    pub name: &'static str,
    /// Its congestion control.
    pub flavor: Cow<'static, str>,
    /// Bytes delivered to the next leg, or to the application.
    pub bytes_delivered: u64,
    /// Segments sent, again or not.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer with data under way.
    pub timeouts: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Probes of a window that the proxy at its end had closed, which are not among the segments.
    pub window_probes: u64,
    /// Largest congestion window.
    pub max_cwnd_bytes: f64,
    /// Round trips that its sender has measured, over this leg.
    pub round_trips: RoundTrips,
    /// The most bytes that the proxy at its end has kept; `null` where a host is.
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
    /// The results of two connections of one sender together.
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
            frames: self.frames.zip(other.frames).map(|(one, other)| one.and(other)),
            legs: self.legs.iter().zip(&other.legs).map(|(one, other)| one.and(other)).collect(),
            ..self
        }
    }
}

/// Requests of a connection's client, and what they cost on their way to the server.
#[derive(Clone, Debug, Serialize)]
pub struct RequestRecord {
    /// Requests that the client has handed to its TCP.
    pub made: u64,
    /// Requests that have reached the server, which answers at once.
    pub answered: u64,
    /// Files that have arrived whole.
    pub files_delivered: u64,
    /// What was asked for in bits per second of the run.
    pub offered_bps: f64,
    /// Segments that the client sent, again or not.
    pub segments_sent: u64,
    /// Segments that the client sent again.
    pub segments_retransmitted: u64,
    /// Expiries of the client's retransmission timer with requests under way.
    pub timeouts: u64,
    /// Synchronizing segments that the client sent again; left out where it sent none again.
    #[serde(skip_serializing_if = "is_zero")]
    pub openings_sent_again: u64,
}

/// How long one kind of thing took, from the request to the last byte, over all connections.
#[derive(Clone, Debug, Serialize)]
pub struct CompletionRecord {
    /// What it is ("class 0", "page").
    pub name: String,
    /// How many were asked for.
    pub asked: u64,
    /// How many arrived before the end of the run; only these have a time.
    pub delivered: u64,
    /// Their times.
    pub times: Histogram,
}

/// Frames that came to the bottleneck's port, by their cell loss priority, and those of them that lost a cell there: dropped for a
/// full buffer or by the policy. Frames of which loss models have lost the first cell never came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameRecord {
    /// Frames with CLP = 0: within what the connection is promised, or nobody marks.
    pub clp0_frames: u64,
    /// Those of them that lost a cell.
    pub clp0_frames_dropped: u64,
    /// Frames with CLP = 1.
    pub clp1_frames: u64,
    /// Those of them that lost a cell.
    pub clp1_frames_dropped: u64,
}

impl FrameRecord {
    /// Counts a frame that came.
    pub fn count(&mut self, is_tagged: bool) {
        *(if is_tagged { &mut self.clp1_frames } else { &mut self.clp0_frames }) += 1;
    }

    /// Counts a frame that lost a cell.
    pub fn count_dropped(&mut self, is_tagged: bool) {
        *(if is_tagged { &mut self.clp1_frames_dropped } else { &mut self.clp0_frames_dropped }) += 1;
    }

    /// The frames of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            clp0_frames: self.clp0_frames + other.clp0_frames,
            clp0_frames_dropped: self.clp0_frames_dropped + other.clp0_frames_dropped,
            clp1_frames: self.clp1_frames + other.clp1_frames,
            clp1_frames_dropped: self.clp1_frames_dropped + other.clp1_frames_dropped,
        }
    }

    /// What was added since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            clp0_frames: self.clp0_frames - earlier.clp0_frames,
            clp0_frames_dropped: self.clp0_frames_dropped - earlier.clp0_frames_dropped,
            clp1_frames: self.clp1_frames - earlier.clp1_frames,
            clp1_frames_dropped: self.clp1_frames_dropped - earlier.clp1_frames_dropped,
        }
    }

    /// Share of the frames with CLP = 0 that lost a cell; `None` if none came.
    #[must_use]
    pub fn clp0_loss_ratio(&self) -> Option<f64> {
        ratio(self.clp0_frames_dropped, self.clp0_frames)
    }

    /// Share of the frames with CLP = 1 that lost a cell; `None` if none came.
    #[must_use]
    pub fn clp1_loss_ratio(&self) -> Option<f64> {
        ratio(self.clp1_frames_dropped, self.clp1_frames)
    }
}

#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Results of one managed port: of the class UBR, where there are service classes.
#[derive(Clone, Debug, Serialize)]
pub struct PortRecord {
    /// Its name.
    pub name: String,
    /// Its drop policy, or the queue discipline in its place.
    pub policy: &'static str,
    /// Most cells in the buffer at any time.
    pub max_queue_cells: u64,
    /// Mean cells in the buffer.
    pub mean_queue_cells: f64,
    /// Cells that arrived.
    pub cells_in: u64,
    /// Cells handed to the line.
    pub cells_out: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Packets that lost at least one cell.
    pub packets_dropped: u64,
    /// Share of the time that the line was sending, whatever the class.
    pub utilization: f64,
    /// What a queue discipline has done; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueRecord>,
    /// Results of each service class; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassRecord>,
}

/// What a queue discipline has done.
#[derive(Clone, Debug, Serialize)]
pub struct QueueRecord {
    /// Its name.
    pub discipline: &'static str,
    /// Packets sent that it has marked.
    pub packets_marked: u64,
    /// Acknowledgments that it has dropped because a newer one said what they said, of disciplines that do.
    #[serde(skip_serializing_if = "is_zero")]
    pub acknowledgments_superseded: u64,
    /// How long the packets waited that were sent.
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
    /// Cells handed to the line.
    pub cells_out: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Most cells in the queue at any time; one that is sent when its slot is over has been there for no time.
    pub max_queue_cells: u64,
    /// Mean cells in the queue.
    pub mean_queue_cells: f64,
}

/// What a simulation cost. All counts are those of the model, whatever the driver: the fast one counts what it computes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Work {
    /// Events processed.
    pub events: u64,
    /// Cells carried, counted on each line.
    pub cell_hops: u64,
    /// Packets carried, counted on each line by their last cells.
    pub packet_hops: u64,
    /// How time was advanced: "fast", or "events" one by one. Nothing else in a record depends on it.
    pub driver: &'static str,
    /// Why time was not advanced by lookahead, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_over: Option<String>,
}
