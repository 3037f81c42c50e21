//! The record of a run: what `longfat run --json` prints and the store keeps.
//!
//! Where packets travel whole, everything that says cells counts packets.

use serde::Serialize;
use serde_json::Value as Json;

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
    /// What the simulation cost, in counts that do not depend on the machine.
    pub work: Work,
    /// Hash of all that happened (16 hexadecimal digits).
    pub fingerprint: String,
}

/// Results of the whole network.
#[derive(Clone, Debug, Serialize)]
pub struct Metrics {
    /// Sum of throughputs over the most that TCP could get (M-02).
    pub efficiency: f64,
    /// Jain's fairness index of the throughputs (M-03).
    pub fairness: f64,
    /// Sum of throughputs in bits per second.
    pub goodput_bps: f64,
    /// The most that TCP could get: what full segments carry on the bottleneck (M-02).
    pub max_goodput_bps: f64,
    /// Most cells in a managed port's buffer at any time (M-05).
    pub max_queue_cells: u64,
    /// Mean cells in the bottleneck's buffer.
    pub mean_queue_cells: f64,
    /// Cells dropped over cells that arrived, at managed ports.
    pub cell_loss_ratio: f64,
    /// Expiries of retransmission timers, all connections.
    pub timeouts: u64,
    /// Packets that loss models have lost, acknowledgments included; what buffers drop is not among them.
    pub packets_lost: u64,
    /// The least share that any connection has of its minimum cell rate, in cells of the segments delivered; left out where
    /// nothing is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_share_of_mcr: Option<f64>,
    /// Jain's fairness index of what connections have beyond their minimum cell rates; left out where nothing is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excess_fairness: Option<f64>,
}

impl Metrics {
    /// The names of all metrics.
    pub const NAMES: &[&str] = &[
        "efficiency",
        "fairness",
        "goodput_bps",
        "max_goodput_bps",
        "max_queue_cells",
        "mean_queue_cells",
        "cell_loss_ratio",
        "timeouts",
        "packets_lost",
        "least_share_of_mcr",
        "excess_fairness",
    ];
}

/// Results of one connection.
#[derive(Clone, Debug, Serialize)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// Its congestion control.
    pub flavor: &'static str,
    /// Throughput in bits per second (M-01).
    pub goodput_bps: f64,
    /// Bytes delivered to the application.
    pub bytes_delivered: u64,
    /// Segments sent, again or not.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Largest congestion window.
    pub max_cwnd_bytes: f64,
    /// When the last byte was delivered, in seconds; `null` if that has not happened, or the source has no end.
    pub finished_s: Option<f64>,
}

/// Results of one managed port: of the class UBR, where there are service classes.
#[derive(Clone, Debug, Serialize)]
pub struct PortRecord {
    /// Its name.
    pub name: String,
    /// Its drop policy.
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
    /// Results of each service class; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassRecord>,
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
    /// Why the fast driver was not at work, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_over: Option<String>,
}
