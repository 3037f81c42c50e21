//! Recorder of longfat's events in the format of a recorded trace.

use longfat_engine::observer::Observer;
use longfat_engine::transport::{Acknowledgment, Segment, Window};
use longfat_engine::units::Time;

use super::recorded::{Act, Event};

/// Observer that records what is sent and acknowledged.
pub struct Recorder {
    mss: u64,
    /// Events, in order.
    pub events: Vec<Event>,
}

impl Recorder {
    /// Creates a recorder for segments of `mss` bytes.
    pub fn new(mss: u64) -> Self {
        Self { mss, events: Vec::new() }
    }

    fn note(&mut self, time: Time, source: usize, act: Act, sequence: u64) {
        self.events.push(Event { time, act, segment: sequence / self.mss, source });
    }
}

impl Observer for Recorder {
    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, _window: &Window) {
        self.note(now, flow, if segment.again { Act::Resend } else { Act::Send }, segment.sequence);
    }

    fn acknowledgment_sent(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment) {
        self.note(now, flow, Act::Acknowledge, acknowledgment.next);
    }

    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, _window: &Window) {
        self.note(now, flow, Act::Acknowledged, acknowledgment.next);
    }
}
