//! The sending end: sequence numbers, the retransmission timer and go-back-N.

use super::flavor::Flavor;
use super::rto::TimeoutEstimator;
use super::{TcpConfig, TickClock, Window};
use crate::units::Time;

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub sequence: u64,
    /// Number of bytes.
    pub length: u64,
    /// Whether it has been sent before.
    pub again: bool,
}

/// What a sender has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderStatistics {
    /// Segments sent, again or not.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Largest congestion window in bytes.
    pub max_cwnd: f64,
}

/// A segment whose round trip is being measured.
#[derive(Clone, Copy)]
struct Timed {
    sequence: u64,
    sent: Time,
}

/// One sending TCP.
pub struct Sender {
    flavor: Box<dyn Flavor>,
    estimator: Box<dyn TimeoutEstimator>,
    clock: TickClock,
    window: Window,
    mss: u64,
    /// Bytes that the application has handed over so far.
    offered: u64,
    /// First byte not acknowledged (`snd_una`).
    unacknowledged: u64,
    /// Next byte to send (`snd_nxt`).
    next: u64,
    /// First byte never sent (`snd_max`).
    highest: u64,
    timed: Option<Timed>,
    expires: Option<Time>,
    /// What it has done.
    pub statistics: SenderStatistics,
}

impl Sender {
    /// A connection that is already set up (T-46).
    #[must_use]
    pub fn new(config: &TcpConfig, clock: TickClock) -> Self {
        let window = Window::new(config);
        Self {
            flavor: config.flavor.build(&()),
            estimator: config.retransmission_timeout.build(&clock),
            clock,
            mss: config.mss.0,
            offered: 0,
            unacknowledged: 0,
            next: 0,
            highest: 0,
            timed: None,
            expires: None,
            statistics: SenderStatistics { max_cwnd: window.cwnd, ..SenderStatistics::default() },
            window,
        }
    }

    /// The congestion window and threshold.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// First byte not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.unacknowledged
    }

    /// First byte never sent.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// When the retransmission timer expires.
    #[must_use]
    pub fn expires(&self) -> Option<Time> {
        self.expires
    }

    /// The application hands over `bytes` more (`u64::MAX` for a source that never ends).
    pub fn offer(&mut self, now: Time, bytes: u64, segments: &mut Vec<Segment>) {
        self.offered = self.offered.saturating_add(bytes);
        self.send_window(now, segments);
    }

    /// An acknowledgment of everything below `acknowledged` has arrived.
    pub fn acknowledge(&mut self, now: Time, acknowledged: u64, segments: &mut Vec<Segment>) {
        if acknowledged <= self.unacknowledged {
            return;
        }
        self.measure_round_trip(now, acknowledged);
        let bytes = acknowledged - self.unacknowledged;
        self.unacknowledged = acknowledged;
        // After go-back-N a receiver that kept what lay beyond the hole acknowledges more than was sent again (T-15).
        self.next = self.next.max(acknowledged);
        self.flavor.on_acknowledgment(&mut self.window, bytes);
        self.statistics.max_cwnd = self.statistics.max_cwnd.max(self.window.cwnd);
        // The timer starts anew with each acknowledgment of new data, and stops when nothing is under way (T-13).
        self.expires = None;
        if self.unacknowledged < self.highest {
            self.start_timer(now);
        }
        self.send_window(now, segments);
    }

    /// The retransmission timer has expired: slow start, and everything from the lost segment on again (T-15).
    pub fn time_out(&mut self, now: Time, segments: &mut Vec<Segment>) {
        self.statistics.timeouts += 1;
        self.estimator.on_timeout();
        self.timed = None;
        self.flavor.on_timeout(&mut self.window);
        self.next = self.unacknowledged;
        self.expires = None;
        self.send_window(now, segments);
    }

    /// Sends the whole segments that the window allows (T-01).
    fn send_window(&mut self, now: Time, segments: &mut Vec<Segment>) {
        let edge = self.unacknowledged + self.window.usable();
        while let Some(length) = self.next_length(edge) {
            self.send(now, length, segments);
        }
    }

    /// The length of the next segment: a full one, or the last of the data, if it fits below the window's edge.
    fn next_length(&self, edge: u64) -> Option<u64> {
        let length = self.mss.min(self.offered - self.next);
        (length > 0 && self.next + length <= edge).then_some(length)
    }

    fn send(&mut self, now: Time, length: u64, segments: &mut Vec<Segment>) {
        let segment = Segment { sequence: self.next, length, again: self.next < self.highest };
        self.next += length;
        self.statistics.segments_sent += 1;
        if segment.again {
            self.statistics.segments_retransmitted += 1;
        }
        // One segment is timed at a time, and never one that was sent before (Karn; T-11).
        if self.next > self.highest {
            self.highest = self.next;
            if self.timed.is_none() {
                self.timed = Some(Timed { sequence: segment.sequence, sent: now });
            }
        }
        if self.expires.is_none() {
            self.start_timer(now);
        }
        segments.push(segment);
    }

    fn measure_round_trip(&mut self, now: Time, acknowledged: u64) {
        if let Some(timed) = self.timed.filter(|timed| acknowledged > timed.sequence) {
            self.estimator.on_round_trip(self.clock.elapsed(timed.sent, now));
            self.timed = None;
        }
    }

    fn start_timer(&mut self, now: Time) {
        self.expires = Some(self.clock.after(now, self.estimator.timeout_ticks()));
    }
}
