//! End systems driven by hand.

use longfat_engine::random::Chance;
use longfat_engine::transport::{Acknowledgment, Blocks, Segment, Sender, TcpConfig, TickClock};
use longfat_engine::units::{Span, Time};
use serde_json::{Value as Json, json};

use crate::check::Finding;
use crate::runs::scenario;

/// Settings of end systems with segments of 100 bytes and a window of 100 segments, changed by `settings`.
pub fn end_systems(settings: &Json) -> Result<TcpConfig, String> {
    let link = json!({ "rate": "10 Mbit/s", "delay": "10 ms" });
    let mut tcp = json!({
        "mss": "100 B", "receiver_window": "10000 B", "timer_granularity": "1 ms", "timer_phase": "from-start",
        "retransmission_timeout": "rfc-6298", "ssthresh_rule": "flight-size", "slow_start_at_ssthresh": false,
    });
    for (name, value) in settings.as_object().ok_or("settings are a table")? {
        tcp[name] = value.clone();
    }
    let json = json!({
        "schema_version": 1, "duration": "1 s", "framing": "packet", "port": { "buffer": "unlimited" }, "tcp": tcp,
        "topology": { "kind": "n-source", "sources": 1, "access": link, "bottleneck": link },
    });
    Ok(scenario(&json)?.tcp)
}

/// A sender driven by hand.
pub struct ByHand {
    /// The sender.
    pub sender: Sender,
    now: Time,
}

impl ByHand {
    /// A sender with unlimited data, and `segments` in flight; returns the segments sent.
    pub fn sending(settings: &Json, segments: u64) -> Result<(Self, Vec<u64>), String> {
        Self::offering(settings, segments, u64::MAX)
    }

    /// A sender with `segments` segments of data, all in flight; returns the segments sent.
    pub fn sending_all(settings: &Json, segments: u64) -> Result<(Self, Vec<u64>), String> {
        Self::offering(settings, segments, 100 * segments)
    }

    fn offering(settings: &Json, segments: u64, bytes: u64) -> Result<(Self, Vec<u64>), String> {
        let mut settings = settings.clone();
        settings["initial_window"] = format!("{segments} MSS").into();
        let config = end_systems(&settings)?;
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        let clock = TickClock::new(Span::from_microseconds(1000), config.timer_phase, &mut chance);
        let mut by_hand = Self { sender: Sender::new(&config, clock), now: Time::ZERO };
        let mut sent = Vec::new();
        by_hand.sender.offer(by_hand.now, bytes, &mut sent);
        Ok((by_hand, numbers(&sent)))
    }

    /// Acknowledges all segments below `next` and reports ranges of segments; returns the segments sent in response.
    pub fn acknowledge(&mut self, next: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.now += Span::from_microseconds(1000);
        let blocks: Blocks = blocks.iter().map(|block| (100 * block.0, 100 * block.1)).collect();
        let mut sent = Vec::new();
        let acknowledgment = Acknowledgment { next: 100 * next, blocks, ..Acknowledgment::default() };
        self.sender.acknowledge(self.now, acknowledgment, &mut sent);
        numbers(&sent)
    }

    /// Lets the next timer expire; returns the segments sent.
    pub fn expire(&mut self) -> Vec<u64> {
        let mut sent = Vec::new();
        self.now = self.sender.expires().unwrap_or(self.now);
        self.sender.expire(self.now, &mut sent);
        numbers(&sent)
    }

    /// Congestion window, including inflation, and threshold, in segments.
    pub fn windows(&self) -> (f64, f64) {
        let window = self.sender.window();
        ((window.cwnd + window.inflation) / 100.0, window.ssthresh / 100.0)
    }
}

fn numbers(segments: &[Segment]) -> Vec<u64> {
    segments.iter().map(|segment| segment.sequence / 100).collect()
}

/// Compares a result with the expected one.
#[expect(clippy::needless_pass_by_value, reason = "literals read better without a sign before them")]
pub fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, by_hand: T) -> Finding {
    if found == by_hand {
        Ok(format!("{what}: {found:?}"))
    } else {
        Err(format!("{what}: {found:?}, by hand {by_hand:?}"))
    }
}

/// Compares pairs of fractional numbers, with a tolerance for whole bytes in flight.
pub fn near(what: &str, found: (f64, f64), by_hand: (f64, f64)) -> Finding {
    let is_near = |found: f64, by_hand: f64| (found - by_hand).abs() <= 1e-3 * by_hand.abs();
    let holds = is_near(found.0, by_hand.0) && is_near(found.1, by_hand.1);
    let (one, other) = found;
    if holds {
        Ok(format!("{what}: {one:.4}, {other:.4}"))
    } else {
        Err(format!("{what}: {one:.4}, {other:.4}, by hand {:.4}, {:.4}", by_hand.0, by_hand.1))
    }
}

/// Combines findings: all of them, or the first difference.
pub fn all(findings: impl IntoIterator<Item = Finding>) -> Finding {
    let findings: Result<Vec<String>, String> = findings.into_iter().collect();
    findings.map(|words| words.join("; "))
}
