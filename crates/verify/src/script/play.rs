//! A sender that goes through a script.

use std::collections::{BTreeMap, VecDeque};

use longfat_engine::random::Chance;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::{Acknowledgment, Echo, Segment, Sender, TcpConfig, TickClock};
use longfat_engine::units::{Span, Time};
use serde::Serialize;

use super::read::{Act, Quantity, Script, Step, When};

/// Times in a script are compared to within this: it is written in decimals, and timers may not fall on them.
const TOLERANCE: Span = Span(1_000_000);

/// Timers that expire within one step before it is given up: a sender that never comes to rest.
const MOST_EXPIRIES: usize = 100_000;

/// An entry of what happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Time in seconds from the beginning.
    pub time_s: f64,
    /// The event, as a script would write it.
    pub what: String,
}

/// Result of a script.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Played {
    /// The first expectation that was not met, with its place; nothing if all were.
    pub failure: Option<String>,
    /// Expectations that were met.
    pub met: usize,
    /// All that happened, in order.
    pub transcript: Vec<Line>,
}

struct Play {
    sender: Sender,
    mss: u64,
    carries_timestamps: bool,
    now: Time,
    /// Segments sent and not expected yet, with their times.
    sent: VecDeque<(Time, u64)>,
    /// When each segment was sent last.
    latest: BTreeMap<u64, Time>,
    transcript: Vec<Line>,
}

/// Plays a script, read from `source`, with the end systems of a scenario.
///
/// # Errors
/// If the end systems need what a script has not: a handshake.
pub fn play(script: &Script, scenario: &Scenario, source: &str) -> Result<Played, String> {
    let config: &TcpConfig = &scenario.tcp;
    if config.handshake {
        return Err(format!("{source}: a script begins with an open connection; set tcp.handshake = false"));
    }
    let chance = Chance { seed: scenario.seed, replication: scenario.replication };
    let clock = TickClock::with_chance(config.timer_granularity.0, config.timer_phase, || chance.stream("clock"));
    let mut sender = Sender::new(config, clock);
    sender.take_chance(|| chance.stream("window-law"));
    let mut play = Play {
        sender,
        mss: config.mss.0,
        carries_timestamps: config.timestamps,
        now: Time::ZERO,
        sent: VecDeque::new(),
        latest: BTreeMap::new(),
        transcript: Vec::new(),
    };
    let mut met = 0;
    for (line, step) in &script.steps {
        match play.take(step) {
            Ok(expected) => met += usize::from(expected),
            Err(why) => {
                let failure = Some(format!("{source}:{line}: {why}"));
                return Ok(Played { failure, met, transcript: play.transcript });
            }
        }
    }
    let failure = play.nothing_else().err().map(|why| format!("{source}: at the end, {why}"));
    Ok(Played { failure, met, transcript: play.transcript })
}

impl Play {
    /// Does a step. Returns whether it was an expectation.
    fn take(&mut self, step: &Step) -> Result<bool, String> {
        let time = match step.when {
            When::At(span) => Some(Time::ZERO + span),
            When::After(span) => Some(self.now + span),
            When::Anytime => None,
        };
        if let Some(time) = time.filter(|time| *time < self.now) {
            return Err(format!("the time goes back from {} to {}", shown(self.now), shown(time)));
        }
        match &step.act {
            Act::Write(segments) => {
                self.inject(time, "write")?;
                let bytes = segments.map_or(u64::MAX, |segments| segments * self.mss);
                self.act(|sender, now, out| sender.offer(now, bytes, out));
            }
            Act::Acknowledge { next, blocks, marks } => {
                self.inject(time, &written(*next, blocks))?;
                let acknowledgment = self.acknowledgment(*next, blocks, *marks)?;
                self.act(|sender, now, out| sender.acknowledge(now, acknowledgment, out));
            }
            Act::Sends(segments) => {
                self.expect(time, segments)?;
                return Ok(true);
            }
            Act::Is(quantity, value) => {
                if let Some(time) = time {
                    self.advance(time, true)?;
                }
                self.compare(*quantity, value)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets time pass before something reaches the sender: all that it has sent until then must have been expected.
    fn inject(&mut self, time: Option<Time>, what: &str) -> Result<(), String> {
        self.advance(time.unwrap_or(self.now), false)?;
        self.nothing_else()?;
        self.note(what.to_owned());
        Ok(())
    }

    fn nothing_else(&self) -> Result<(), String> {
        match self.sent.front() {
            None => Ok(()),
            Some(_) => Err(format!("the sender has also sent {}", listed(&self.sent))),
        }
    }

    /// Lets timers expire before `until`, and at it, if `with`.
    fn advance(&mut self, until: Time, with: bool) -> Result<(), String> {
        for _ in 0..MOST_EXPIRIES {
            let due = self.sender.expires().filter(|due| *due < until || (with && *due <= until + TOLERANCE));
            let Some(due) = due else {
                self.now = self.now.max(until);
                return Ok(());
            };
            self.now = self.now.max(due);
            let is_timeout = self.sender.times_out_next();
            self.note(if is_timeout { "the retransmission timer expires" } else { "a timer expires" }.into());
            self.act(Sender::expire);
        }
        Err(format!("timers have expired {MOST_EXPIRIES} times before {}", shown(until)))
    }

    fn act<T>(&mut self, act: impl FnOnce(&mut Sender, Time, &mut Vec<Segment>) -> T) {
        let mut segments = Vec::new();
        act(&mut self.sender, self.now, &mut segments);
        for segment in segments {
            let number = segment.sequence / self.mss;
            self.latest.insert(number, self.now);
            self.sent.push_back((self.now, number));
            self.note(format!("> {number}"));
        }
    }

    fn expect(&mut self, time: Option<Time>, segments: &[u64]) -> Result<(), String> {
        match time {
            Some(time) => self.advance(time, true)?,
            None => self.wait_for(segments.len())?,
        }
        let wanted = || if segments.is_empty() { "nothing".to_owned() } else { numbers(segments) };
        let at = time.map_or("at any time".into(), |time| format!("at {}", shown(time)));
        let got: Vec<_> = self.sent.drain(..segments.len().min(self.sent.len())).collect();
        let is_on_time = |(sent, _): &(Time, u64)| time.is_none_or(|time| sent.0.abs_diff(time.0) <= TOLERANCE.0);
        if got.len() < segments.len()
            || !got.iter().map(|(_, number)| number).eq(segments)
            || !got.iter().all(is_on_time)
        {
            let found = if got.is_empty() {
                "nothing".into()
            } else {
                listed(&got.into_iter().chain(self.sent.drain(..)).collect())
            };
            return Err(format!("{at} expected {}; the sender has sent {found}", wanted()));
        }
        if segments.is_empty() {
            self.nothing_else()?;
        }
        Ok(())
    }

    /// Lets timers expire until so many segments wait to be expected, or none runs.
    fn wait_for(&mut self, count: usize) -> Result<(), String> {
        while self.sent.len() < count
            && let Some(due) = self.sender.expires()
        {
            self.advance(due, true)?;
        }
        Ok(())
    }

    fn acknowledgment(&self, next: u64, blocks: &[(u64, u64)], marks: u64) -> Result<Acknowledgment, String> {
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
        let echo = sent.filter(|_| self.carries_timestamps).map(|sent| Echo::new(sent, self.now));
        let blocks = blocks.iter().map(|(first, last)| (first * self.mss, (last + 1) * self.mss)).collect();
        Ok(Acknowledgment { next: next * self.mss, echo, marks, blocks })
    }

    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn compare(&self, quantity: Quantity, value: &str) -> Result<(), String> {
        let window = self.sender.window();
        let (name, bytes) = match quantity {
            Quantity::Cwnd => ("cwnd", window.cwnd),
            Quantity::Ssthresh => ("ssthresh", window.ssthresh),
        };
        let segments = bytes / self.mss as f64;
        // As exact as it is written.
        let decimals = value.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let is_equal = format!("{segments:.decimals$}").parse::<f64>().ok() == value.parse::<f64>().ok();
        if is_equal {
            Ok(())
        } else {
            Err(format!("at {} {name} is {segments} segments, not {value}", shown(self.now)))
        }
    }

    fn note(&mut self, what: String) {
        self.transcript.push(Line { time_s: self.now.as_seconds(), what });
    }
}

/// A time in milliseconds.
fn shown(time: Time) -> String {
    format!("{} ms", (time.as_seconds() * 1e9).round() / 1e6)
}

fn numbers(segments: &[u64]) -> String {
    segments.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn listed(sent: &VecDeque<(Time, u64)>) -> String {
    sent.iter().map(|(time, number)| format!("{number} at {}", shown(*time))).collect::<Vec<_>>().join(", ")
}

fn written(next: u64, blocks: &[(u64, u64)]) -> String {
    let blocks: Vec<_> = blocks.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    if blocks.is_empty() { format!("< ack {next}") } else { format!("< ack {next} sack {}", blocks.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::super::{BASE, read};
    use super::*;

    fn played(text: &str) -> Played {
        let script = read(text, "x").unwrap_or_else(|problems| panic!("{problems:?}"));
        let overrides: Vec<_> = script.settings.iter().map(|(_, path, value)| (path.clone(), value.clone())).collect();
        let scenario =
            Scenario::parse(BASE.as_bytes(), "base", &overrides).unwrap_or_else(|problems| panic!("{problems:?}"));
        play(&script, &scenario, "x").expect("no handshake")
    }

    /// RFC 5681 section 3.2: the third duplicate sends the lost segment again, and the threshold is half of what was in flight.
    const FAST_RETRANSMIT: &str = "tcp.flavor = \"reno\"\ntcp.limited_transmit = false\n0 ms write 10\n0 ms > 0-9\n\
        100 ms < ack 0\n100 ms < ack 0\n100 ms < ack 0\n100 ms > 0\n100 ms ssthresh 5\n";

    #[test]
    fn a_script_whose_expectations_are_met_passes() {
        let played = played(FAST_RETRANSMIT);
        assert_eq!((played.failure, played.met), (None, 3));
        assert_eq!(played.transcript.iter().filter(|line| line.what.starts_with('>')).count(), 11);
    }

    #[test]
    fn what_is_not_as_expected_is_named_with_its_line_and_what_happened() {
        for (was, is, words) in [
            ("100 ms > 0", "100 ms > 1", "x:8: at 100 ms expected 1; the sender has sent 0 at 100 ms"),
            ("100 ms > 0", "120 ms > 0", "x:8: at 120 ms expected 0; the sender has sent 0 at 100 ms"),
            ("100 ms > 0", "100 ms > nothing", "x:8: the sender has also sent 0 at 100 ms"),
            ("ssthresh 5", "ssthresh 6", "x:9: at 100 ms ssthresh is 5 segments, not 6"),
            ("100 ms > 0\n", "", "x:9"),
            (
                "100 ms < ack 0\n100 ms > 0",
                "100 ms < ack 30\n100 ms > 0",
                "x:7: segments up to 30 are acknowledged; 10 were sent",
            ),
            ("100 ms < ack 0\n100 ms > 0", "99 ms < ack 0\n100 ms > 0", "x:7: the time goes back from 100 ms to 99 ms"),
        ] {
            let failure = played(&FAST_RETRANSMIT.replacen(was, is, 1)).failure.unwrap_or_default();
            assert!(failure.starts_with(words) || (words == "x:9" && failure.contains("has also sent 0")), "{failure}");
        }
    }

    /// RFC 6298: without a sample the timer is 3 s (RFC 2988) or 1 s; whatever it is, `any` waits for it.
    #[test]
    fn a_segment_may_be_expected_at_any_time() {
        let played = played("0 ms write 1\n0 ms > 0\nany > 0\nany > 0\n");
        assert_eq!((played.failure, played.met), (None, 3));
    }

    #[test]
    fn a_handshake_is_refused() {
        let script = read("0 ms write 1", "x").expect("sound");
        let with = [("tcp.handshake".to_owned(), "true".to_owned())];
        let scenario = Scenario::parse(BASE.as_bytes(), "base", &with).expect("sound");
        assert!(play(&script, &scenario, "x").is_err_and(|problem| problem.contains("set tcp.handshake = false")));
    }
}
