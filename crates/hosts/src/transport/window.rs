//! Arithmetic of the congestion window and the slow start threshold. Laws and recoveries decide when to apply it.

mod reductions;
mod whole;

pub use whole::share_of_segments;

use longfat_foundation::measure::SendLimit;

use super::{
    LinearGrowth, SlowStartGrowth, TcpConfig, ThresholdRule, WindowAfterLoss, WindowArithmetic, WindowSettings,
};

/// Kinds of retransmission timeouts, which set ssthresh differently (RFC 5681 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutKind {
    /// The first timeout of a segment.
    First,
    /// Another timeout of a segment that a timeout has retransmitted.
    Again,
    /// A timeout during a recovery, for which the window was already reduced.
    InRecovery,
}

/// The congestion window and slow start threshold of a connection, in bytes.
#[derive(Clone, Debug)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow start threshold.
    pub ssthresh: f64,
    /// Bytes that duplicate acknowledgments add to the congestion window during fast recovery (RFC 5681 section 3.2 steps 3 and 4).
    pub inflation: f64,
    mss: f64,
    initial: f64,
    receiver_window: f64,
    limit: f64,
    threshold_rule: ThresholdRule,
    after_loss: WindowAfterLoss,
    growth: SlowStartGrowth,
    linear_growth: LinearGrowth,
    /// Whether the next slow start follows a timeout (RFC 3465 section 2.3).
    is_after_timeout: bool,
    timeout: TimeoutKind,
    /// Window and threshold before the latest timeout.
    before_timeout: (f64, f64),
    grows_unused: bool,
    slow_start_at_ssthresh: bool,
    arithmetic: WindowArithmetic,
    counts_windows: bool,
    /// True if linear growth adds fractions of bytes at once.
    grows_at_once: bool,
    /// Bytes that linear growth has counted of a window.
    counted: f64,
    /// N of Task 6: acknowledgments for one increment of linear growth.
    increment_period: u64,
    /// N * MSS * MSS.
    increment_area: f64,
    /// Acknowledgments since the last increment.
    acknowledgments: u64,
    /// Segments acknowledged since the last increment, with whole segments (`snd_cwnd_cnt` of Linux).
    pub credit: u64,
    /// Growth in bytes that is not yet a segment, with whole segments.
    pending: f64,
    /// The window before a reduction by the law alone, until the connection has taken note of it.
    backed_off_from: Option<f64>,
}

impl Window {
    /// The window of a new TCP connection.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        Self::of(&config.window_settings())
    }

    /// The window of a new connection.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn of(settings: &WindowSettings) -> Self {
        let (mss, initial) = (settings.mss as f64, settings.initial as f64);
        let period = settings.acknowledgments_per_increment;
        Self {
            cwnd: initial,
            inflation: 0.0,
            ssthresh: settings.threshold,
            mss,
            initial,
            receiver_window: settings.receiver_window as f64,
            limit: settings.limit,
            threshold_rule: settings.threshold_rule,
            growth: settings.slow_start_growth,
            linear_growth: settings.linear_growth,
            is_after_timeout: false,
            timeout: TimeoutKind::First,
            before_timeout: (initial, f64::INFINITY),
            grows_unused: settings.grows_unused,
            slow_start_at_ssthresh: settings.slow_start_at_ssthresh
                && settings.slow_start_growth != SlowStartGrowth::UpToThreshold,
            arithmetic: settings.arithmetic,
            counts_windows: settings.counts_windows,
            grows_at_once: settings.arithmetic == WindowArithmetic::FloatingPoint && !settings.counts_windows,
            counted: 0.0,
            after_loss: settings.after_loss,
            increment_period: period,
            increment_area: period as f64 * mss * mss,
            acknowledgments: 0,
            credit: 0,
            pending: 0.0,
            backed_off_from: None,
        }
    }

    /// Bytes that may be in flight: the smaller of congestion window and receiver window.
    #[must_use]
    #[inline]
    pub fn usable(&self) -> u64 {
        let window = self.cwnd + self.inflation;
        whole_bytes(if window < self.receiver_window { window } else { self.receiver_window })
    }

    /// Bytes that may be in flight with a congestion window larger by `segments` segments (limited transmit, RFC 3042).
    #[must_use]
    pub fn usable_beyond(&self, segments: u32) -> u64 {
        whole_bytes((self.cwnd + self.inflation + f64::from(segments) * self.mss).min(self.receiver_window))
    }

    /// Maximum segment size in bytes.
    #[must_use]
    pub fn mss(&self) -> f64 {
        self.mss
    }

    /// Initial window in bytes.
    #[must_use]
    pub fn initial(&self) -> f64 {
        self.initial
    }

    /// Congestion window in bytes, rounded down to whole segments; not bounded by the receiver window.
    #[must_use]
    pub fn whole_cwnd(&self) -> u64 {
        whole_bytes((self.cwnd / self.mss).floor() * self.mss)
    }

    /// Sets the receiver window to `bytes`.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn set_receiver_window(&mut self, bytes: u64) {
        self.receiver_window = bytes as f64;
    }

    /// Receiver window in bytes.
    #[must_use]
    pub fn receiver_window(&self) -> u64 {
        whole_bytes(self.receiver_window)
    }

    /// Whether the window is in slow start.
    #[must_use]
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh || (self.slow_start_at_ssthresh && self.cwnd <= self.ssthresh)
    }

    /// The limit that binds when the window is full.
    #[must_use]
    #[inline]
    pub fn send_limit(&self) -> SendLimit {
        if self.cwnd + self.inflation >= self.receiver_window {
            SendLimit::ReceiverWindow
        } else if self.in_slow_start() {
            SendLimit::SlowStart
        } else {
            SendLimit::CongestionAvoidance
        }
    }

    /// Reno growth for an acknowledgment of `acknowledged` new bytes: slow start up to the threshold, then one segment per round trip
    /// (Jacobson 1988; RFC 5681 section 3.1).
    // Always: nearly every acknowledgment passes here.
    #[inline(always)]
    pub fn grow_classically(&mut self, acknowledged: u64) {
        if self.in_slow_start() {
            let before = self.cwnd;
            self.grow_exponentially(acknowledged);
            if self.growth == SlowStartGrowth::UpToThreshold {
                self.grow_by_the_rest(acknowledged, before);
            }
        } else {
            self.grow_linearly(acknowledged);
        }
    }

    /// Applies linear growth for the bytes that slow start, from `before` to the threshold, did not use.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn grow_by_the_rest(&mut self, acknowledged: u64, before: f64) {
        let rest = acknowledged.saturating_sub(whole_bytes(self.cwnd - before));
        if rest > 0 {
            self.grow_linearly(rest);
            // With growth per acknowledgment the increment may exceed the bytes that are left.
            self.cwnd = self.cwnd.min(before + acknowledged as f64);
        }
    }

    /// True if growth does not count bytes that arrived before the latest timeout and are acknowledged after it (Linux).
    #[must_use]
    pub fn grows_by_arrivals(&self) -> bool {
        self.growth == SlowStartGrowth::UpToThreshold
    }

    /// True if the window also grows while it does not limit the sender.
    #[must_use]
    pub fn grows_unused(&self) -> bool {
        self.grows_unused
    }

    /// Slow start: one segment more for an acknowledgment of `acknowledged` new bytes (T-02).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn grow_exponentially(&mut self, acknowledged: u64) {
        let increment = match self.growth {
            SlowStartGrowth::PerAcknowledgment => self.mss,
            SlowStartGrowth::PerSegment => acknowledged as f64,
            SlowStartGrowth::AppropriateByteCounting => {
                (acknowledged as f64).min(if self.is_after_timeout { self.mss } else { 2.0 * self.mss })
            }
            SlowStartGrowth::AtMostASegment => (acknowledged as f64).min(self.mss),
            SlowStartGrowth::UpToThreshold => (acknowledged as f64).min((self.ssthresh - self.cwnd).max(0.0)),
        };
        self.grow(increment);
    }

    /// Congestion avoidance: adds MSS * MSS / cwnd per acknowledgment, about one segment per round trip (T-03); or N times as much every N
    /// acknowledgments, so that integer arithmetic does not round the increment to zero (T-41); or MSS / cwnd per acknowledged byte.
    #[inline]
    pub fn grow_linearly(&mut self, acknowledged: u64) {
        self.grow_linearly_by(1.0, acknowledged);
    }

    /// Congestion avoidance by `segments` segments per round trip, for laws that grow faster than Reno.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    #[inline]
    pub fn grow_linearly_by(&mut self, segments: f64, acknowledged: u64) {
        self.acknowledgments += 1;
        if self.acknowledgments < self.increment_period {
            return;
        }
        let area = match self.linear_growth {
            LinearGrowth::PerAcknowledgment => self.increment_area,
            LinearGrowth::Acknowledged => self.mss * acknowledged as f64 * self.increment_period as f64,
        };
        self.acknowledgments = 0;
        let increment = segments * area / self.cwnd;
        if self.grows_at_once {
            self.add(increment);
        } else {
            self.grow_linearly_in_units(segments, acknowledged, increment);
        }
    }

    /// Congestion window in segments, rounded down.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window is positive and below 2^53")]
    pub fn segments(&self) -> u64 {
        (self.cwnd / self.mss) as u64
    }

    /// Sets the congestion window to a number of segments, up to `cwnd_limit`.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
    pub fn set_segments(&mut self, segments: u64) {
        self.set(segments as f64 * self.mss);
    }

    /// Threshold in segments, rounded down; `u64::MAX` if it is infinite.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a threshold is positive")]
    pub fn threshold_segments(&self) -> u64 {
        (self.ssthresh / self.mss) as u64
    }

    /// Sets the threshold to a number of segments.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
    pub fn set_threshold_segments(&mut self, segments: u64) {
        self.ssthresh = segments as f64 * self.mss;
    }

    /// Segments in `bytes` bytes, of which the last may be shorter.
    #[must_use]
    pub fn in_segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(whole_bytes(self.mss))
    }

    /// Adds a segment for every `period` of `acknowledged` segments, and keeps the rest for the next time (Linux, `tcp_cong_avoid_ai`).
    pub fn add_one_per(&mut self, period: u64, acknowledged: u64) {
        let period = period.max(1);
        let mut added = 0;
        // Credit that a longer period has left counts for one segment.
        if self.credit >= period {
            (self.credit, added) = (0, 1);
        }
        self.credit += acknowledged;
        added += self.credit / period;
        self.credit %= period;
        self.set_segments(self.segments() + added);
    }

    /// Slow start in whole segments up to the threshold; returns the acknowledged segments that are left (Linux, `tcp_slow_start`).
    pub fn start_slowly(&mut self, acknowledged: u64) -> u64 {
        let before = self.segments();
        let grown = (before + acknowledged).min(self.threshold_segments());
        self.set_segments(grown);
        acknowledged - (grown - before)
    }

    /// Adds `increment` bytes, up to `cwnd_limit`.
    #[inline]
    pub fn grow(&mut self, increment: f64) {
        if self.arithmetic == WindowArithmetic::WholeSegments {
            self.grow_by_segments(increment);
        } else {
            self.add(increment);
        }
    }

    #[inline]
    fn add(&mut self, increment: f64) {
        let grown = self.cwnd + increment;
        self.cwnd = if grown <= self.limit { grown } else { grown.min(self.limit.max(self.cwnd)) };
    }

    /// [`set`](Self::set) to a whole number of bytes.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn set_bytes(&mut self, bytes: u64) {
        self.set(bytes as f64);
    }

    /// Sets the congestion window to `bytes`, up to `cwnd_limit`.
    pub fn set(&mut self, bytes: f64) {
        self.cwnd = bytes.min(self.limit);
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn rounded(&self, bytes: f64) -> f64 {
        match self.arithmetic {
            WindowArithmetic::FloatingPoint => bytes,
            WindowArithmetic::Integer => whole_bytes(bytes) as f64,
            WindowArithmetic::WholeSegments => (bytes / self.mss).floor() * self.mss,
        }
    }

    /// Lets the window be no more than `bytes`.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn limit(&mut self, bytes: u64) {
        self.cwnd = self.cwnd.min(bytes as f64);
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window is positive and below 2^53")]
fn whole_bytes(window: f64) -> u64 {
    // A processor has an instruction for signed integers.
    window as i64 as u64
}
