//! An observer that records all events.

use longfat_engine::framing::{Cell, Content};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Observer;
use longfat_engine::run_told;
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::transport::{Acknowledgment, Blocks, Segment, Window};
use longfat_engine::units::Time;

/// Kind of an event. Windows are in bytes; the congestion window includes its inflation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    Sent {
        segment: Segment,
        cwnd: f64,
        ssthresh: f64,
    },
    Received {
        sequence: u64,
        length: u64,
        next: u64,
    },
    AcknowledgmentSent {
        acknowledgment: Acknowledgment,
    },
    Acknowledged {
        next: u64,
        blocks: Blocks,
        cwnd: f64,
        ssthresh: f64,
    },
    TimedOut {
        cwnd: f64,
        ssthresh: f64,
    },
    /// A loss model lost a packet.
    Lost {
        content: Content,
    },
    Dropped {
        cell: Cell,
        reason: Verdict,
    },
}

/// An event, with its time and flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub time: Time,
    pub flow: usize,
    pub what: Happening,
}

/// Effective congestion window, including inflation by segments known to have left the network.
fn counting(window: &Window) -> f64 {
    window.cwnd + window.inflation
}

#[derive(Default)]
struct Recorder(Vec<Entry>);

impl Recorder {
    fn note(&mut self, time: Time, flow: usize, what: Happening) {
        self.0.push(Entry { time, flow, what });
    }
}

impl Observer for Recorder {
    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, window: &Window) {
        self.note(now, flow, Happening::Sent { segment, cwnd: counting(window), ssthresh: window.ssthresh });
    }
    fn segment_received(&mut self, now: Time, flow: usize, sequence: u64, length: u64, next: u64) {
        self.note(now, flow, Happening::Received { sequence, length, next });
    }
    fn acknowledgment_sent(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment) {
        self.note(now, flow, Happening::AcknowledgmentSent { acknowledgment: *acknowledgment });
    }
    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, window: &Window) {
        let Acknowledgment { next, blocks, .. } = *acknowledgment;
        let (cwnd, ssthresh) = (counting(window), window.ssthresh);
        self.note(now, flow, Happening::Acknowledged { next, blocks, cwnd, ssthresh });
    }
    fn timed_out(&mut self, now: Time, flow: usize, window: &Window) {
        self.note(now, flow, Happening::TimedOut { cwnd: counting(window), ssthresh: window.ssthresh });
    }
    fn packet_lost(&mut self, now: Time, flow: usize, content: &Content) {
        self.note(now, flow, Happening::Lost { content: *content });
    }
    fn cell_dropped(&mut self, now: Time, _port: usize, cell: Cell, reason: Verdict) {
        self.note(now, cell.circuit() / 2, Happening::Dropped { cell, reason });
    }
}

/// Runs a scenario; returns all events, in order, and the record.
///
/// # Panics
/// If a conservation law is violated.
#[track_caller]
pub fn run_taped(scenario: &Scenario) -> (Vec<Entry>, RunRecord) {
    let mut tape = Recorder::default();
    let record = run_told(scenario, &mut tape).unwrap_or_else(|violation| panic!("{violation}"));
    (tape.0, record)
}
