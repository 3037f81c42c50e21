//! A sender of TCP in a script.

use std::collections::BTreeMap;

use longfat_engine::random::Chance;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::{Acknowledgment, Echo, Segment, Sender, TickClock};
use longfat_engine::units::Time;

use super::player::Player;
use super::read::{Arrival, Quantity};

/// A sender with an open connection.
pub struct Tcp {
    sender: Sender,
    mss: u64,
    carries_timestamps: bool,
    /// When each segment was sent last.
    latest: BTreeMap<u64, Time>,
}

impl Tcp {
    /// The sender of a scenario.
    ///
    /// # Errors
    /// If it needs what a script has not: a handshake.
    pub fn new(scenario: &Scenario) -> Result<Self, String> {
        let config = &scenario.tcp;
        if config.handshake {
            return Err("a script begins with an open connection; set tcp.handshake = false".into());
        }
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let clock = TickClock::with_chance(config.timer_granularity.0, config.timer_phase, || chance.stream("clock"));
        let mut sender = Sender::new(config, clock);
        sender.take_chance(|| chance.stream("window-law"));
        let (mss, carries_timestamps) = (config.mss.0, config.timestamps);
        Ok(Self { sender, mss, carries_timestamps, latest: BTreeMap::new() })
    }

    fn act(&mut self, now: Time, act: impl FnOnce(&mut Sender, &mut Vec<Segment>)) -> Vec<u64> {
        let mut segments = Vec::new();
        act(&mut self.sender, &mut segments);
        let numbers: Vec<_> = segments.iter().map(|segment| segment.sequence / self.mss).collect();
        self.latest.extend(numbers.iter().map(|number| (*number, now)));
        numbers
    }

    fn acknowledgment(
        &self,
        now: Time,
        next: u64,
        blocks: &[(u64, u64)],
        marks: u64,
    ) -> Result<Acknowledgment, String> {
        let highest = self.sender.highest();
        let end = blocks.iter().map(|(_, last)| last + 1).chain([next]).max().unwrap_or(0) * self.mss;
        if end > highest {
            return Err(format!(
                "segments up to {} are acknowledged; {} were sent",
                end / self.mss,
                highest / self.mss
            ));
        }
        // A receiver echoes the time of what made it answer: the latest block, or else the last segment in order.
        let newest = blocks.first().map(|(_, last)| *last).or_else(|| next.checked_sub(1));
        let sent = newest.and_then(|number| self.latest.get(&number).copied());
        let echo = sent.filter(|_| self.carries_timestamps).map(|sent| Echo::new(sent, now));
        let blocks = blocks.iter().map(|(first, last)| (first * self.mss, (last + 1) * self.mss)).collect();
        Ok(Acknowledgment { next: next * self.mss, echo, marks, blocks })
    }
}

impl Player for Tcp {
    fn unit(&self) -> &'static str {
        "segments"
    }

    fn write(&mut self, now: Time, number: Option<u64>) -> Vec<u64> {
        let bytes = number.map_or(u64::MAX, |segments| segments * self.mss);
        self.act(now, |sender, out| sender.offer(now, bytes, out))
    }

    fn acknowledge(&mut self, now: Time, arrival: &Arrival) -> Result<Vec<u64>, String> {
        let Arrival::Segment { next, blocks, marks } = arrival else {
            return Err("\"< acked\" is of QUIC; a receiver of TCP sends \"< ack N\" with \"sack A-B\"".into());
        };
        let acknowledgment = self.acknowledgment(now, *next, blocks, *marks)?;
        Ok(self.act(now, |sender, out| sender.acknowledge(now, acknowledgment, out)))
    }

    fn expires(&mut self) -> Option<Time> {
        self.sender.expires()
    }

    fn expire(&mut self, now: Time) -> (&'static str, Vec<u64>) {
        let which = if self.sender.times_out_next() { "the retransmission timer expires" } else { "a timer expires" };
        (which, self.act(now, |sender, out| sender.expire(now, out)))
    }

    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn quantity(&self, quantity: Quantity) -> f64 {
        let window = self.sender.window();
        let bytes = match quantity {
            Quantity::Cwnd => window.cwnd,
            Quantity::Ssthresh => window.ssthresh,
        };
        bytes / self.mss as f64
    }
}
