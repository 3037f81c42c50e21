//! A sender with segments of 100 bytes, whose acknowledgments are written by hand.

use longfat_engine::random::Chance;
use longfat_engine::transport::{Acknowledgment, Segment, Sender, TcpConfig, TickClock};
use longfat_engine::units::{Span, Time};

use crate::support::n_source;

pub const MSS: f64 = 100.0;

/// A sender and its clock, which advances by a millisecond with every acknowledgment.
pub struct Bench {
    pub sender: Sender,
    now: Time,
    acknowledged: u64,
}

pub fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * milliseconds)
}

pub fn clock(config: &TcpConfig) -> TickClock {
    let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
    TickClock::new(config.timer_granularity.0, config.timer_phase, &mut chance)
}

impl Bench {
    /// A sender with `settings` (TOML), unlimited data and `window` segments in flight at 0 ms: segments 0 to `window - 1`. Its receiver
    /// window is 40 segments; a tick is 100 ms.
    pub fn new(window: u64, settings: &str) -> Self {
        Self::with_data(window, u64::MAX, settings)
    }

    /// [`new`](Self::new), with `segments` segments of data.
    pub fn with_data(window: u64, segments: u64, settings: &str) -> Self {
        let rest = format!(
            "port.buffer = \"unlimited\"
tcp = {{ mss = \"100 B\", receiver_window = \"4000 B\", initial_window = \"{window} MSS\", {settings} }}"
        );
        let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp;
        let mut bench = Self { sender: Sender::new(&config, clock(&config)), now: Time::ZERO, acknowledged: 0 };
        let sent = bench.act(|sender, now, out| sender.offer(now, segments.saturating_mul(100), out));
        assert_eq!(sent, (0..window.min(segments)).collect::<Vec<_>>());
        bench
    }

    fn act(&mut self, act: impl FnOnce(&mut Sender, Time, &mut Vec<Segment>)) -> Vec<u64> {
        let mut segments = Vec::new();
        act(&mut self.sender, self.now, &mut segments);
        assert!(segments.iter().all(|segment| segment.sequence % 100 == 0 && segment.length == 100), "{segments:?}");
        segments.iter().map(|segment| segment.sequence / 100).collect()
    }

    /// Hands over `segments` more segments of data.
    pub fn offer(&mut self, segments: u64) -> Vec<u64> {
        self.act(|sender, now, out| sender.offer(now, 100 * segments, out))
    }

    /// Acknowledges all segments below `next` and reports ranges of segments, the latest first.
    pub fn report(&mut self, next: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.now += Span::from_microseconds(1000);
        self.acknowledged = self.acknowledged.max(next);
        let blocks = blocks.iter().map(|&(begin, end)| (100 * begin, 100 * end)).collect();
        let acknowledgment = Acknowledgment { next: 100 * next, blocks, ..Acknowledgment::default() };
        self.act(|sender, now, out| sender.acknowledge(now, acknowledgment, out))
    }

    /// Acknowledges all segments below `next`; returns the segments sent in response.
    pub fn acknowledge(&mut self, next: u64) -> Vec<u64> {
        self.report(next, &[])
    }

    /// Repeats the latest acknowledgment.
    pub fn duplicate(&mut self) -> Vec<u64> {
        self.acknowledge(self.acknowledged)
    }

    /// Repeats it three times; returns the segments sent at the third. The first two must send nothing.
    #[track_caller]
    pub fn third_duplicate(&mut self) -> Vec<u64> {
        assert_eq!([self.duplicate(), self.duplicate()], [[0; 0]; 2], "the first two duplicates cause nothing");
        self.duplicate()
    }

    /// Lets the next timer expire.
    pub fn expire(&mut self) -> Vec<u64> {
        self.now = self.sender.expires().expect("a timer runs");
        self.act(|sender, now, out| sender.expire(now, out))
    }

    /// Advances the clock to `time`.
    pub fn wait_until(&mut self, time: Time) {
        self.now = time;
    }

    pub fn now(&self) -> Time {
        self.now
    }

    /// Window and threshold in segments.
    pub fn window(&self) -> (f64, f64) {
        (self.sender.window().cwnd / MSS, self.sender.window().ssthresh / MSS)
    }

    /// Window inflation by duplicates, in segments.
    pub fn inflation(&self) -> f64 {
        self.sender.window().inflation / MSS
    }
}
