//! A sender that goes through a script.

use std::collections::VecDeque;

use longfat_engine::scenario::Scenario;
use longfat_engine::units::{Span, Time};
use serde::Serialize;

use super::player::Player;
use super::quic::Quic;
use super::read::{Act, Arrival, Quantity, Script, Step, When};
use super::tcp::Tcp;

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
    player: Box<dyn Player>,
    now: Time,
    /// Segments or packets sent and not expected yet, with their times.
    sent: VecDeque<(Time, u64)>,
    transcript: Vec<Line>,
}

/// Plays a script, read from `source`, with the end systems of a scenario.
///
/// # Errors
/// If the end systems need what a script has not: a handshake of TCP, another stack than QUIC's model.
pub fn play(script: &Script, scenario: &Scenario, source: &str) -> Result<Played, String> {
    let placed = |problem: String| format!("{source}: {problem}");
    let player: Box<dyn Player> = match Quic::new(scenario).map_err(placed)? {
        Some(quic) => Box::new(quic),
        None => Box::new(Tcp::new(scenario).map_err(placed)?),
    };
    let mut play = Play { player, now: Time::ZERO, sent: VecDeque::new(), transcript: Vec::new() };
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
                let sent = self.player.write(self.now, *segments);
                self.note_sent(sent);
            }
            Act::Acknowledge(arrival) => {
                self.inject(time, &written(arrival))?;
                let sent = self.player.acknowledge(self.now, arrival)?;
                self.note_sent(sent);
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
            let due = self.player.expires().filter(|due| *due < until || (with && *due <= until + TOLERANCE));
            let Some(due) = due else {
                self.now = self.now.max(until);
                return Ok(());
            };
            self.now = self.now.max(due);
            let (which, sent) = self.player.expire(self.now);
            self.note(which.into());
            self.note_sent(sent);
        }
        Err(format!("timers have expired {MOST_EXPIRIES} times before {}", shown(until)))
    }

    fn note_sent(&mut self, numbers: Vec<u64>) {
        for number in numbers {
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
            && let Some(due) = self.player.expires()
        {
            self.advance(due, true)?;
        }
        Ok(())
    }

    fn compare(&self, quantity: Quantity, value: &str) -> Result<(), String> {
        let name = match quantity {
            Quantity::Cwnd => "cwnd",
            Quantity::Ssthresh => "ssthresh",
        };
        let (number, unit) = (self.player.quantity(quantity), self.player.unit());
        // As exact as it is written.
        let decimals = value.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let is_equal = format!("{number:.decimals$}").parse::<f64>().ok() == value.parse::<f64>().ok();
        if is_equal { Ok(()) } else { Err(format!("at {} {name} is {number} {unit}, not {value}", shown(self.now))) }
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

fn written(arrival: &Arrival) -> String {
    let listed = |ranges: &[(u64, u64)]| {
        ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect::<Vec<_>>().join(" ")
    };
    match arrival {
        Arrival::Segment { next, blocks, .. } if blocks.is_empty() => format!("< ack {next}"),
        Arrival::Segment { next, blocks, .. } => format!("< ack {next} sack {}", listed(blocks)),
        Arrival::Packets { ranges, .. } => format!("< acked {}", listed(ranges)),
    }
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

    /// RFC 9002 section 6.1.1: packet 0 is lost when packet 3 is acknowledged, three numbers later; its data goes again in packet 10.
    const PACKET_THRESHOLD: &str = "stack = { kind = \"quic\", pacing = \"none\" }\n0 ms write 10\n0 ms > 0-9\n\
        100 ms < acked 1-2\n100 ms > nothing\n100 ms < acked 1-3\n100 ms > 10\n";

    #[test]
    fn packets_of_quic_are_played_by_their_numbers() {
        let played = played(PACKET_THRESHOLD);
        assert_eq!((played.failure, played.met), (None, 3), "{:?}", played.transcript);
    }

    #[test]
    fn the_example_of_quic_meets_its_expectations() {
        let played = played(include_str!("../../../../examples/scripts/quic-losses.script"));
        assert_eq!((played.failure, played.met), (None, 9), "{:?}", played.transcript);
    }

    #[test]
    fn a_receiver_sends_what_its_protocol_has() {
        let refused = |text: &str| played(text).failure.unwrap_or_default();
        let quic = PACKET_THRESHOLD.replacen("100 ms < acked 1-2", "100 ms < ack 1", 1);
        assert!(refused(&quic).starts_with("x:4: \"< ack\" is of TCP"), "{}", refused(&quic));
        let tcp = FAST_RETRANSMIT.replacen("< ack 0", "< acked 0", 1);
        assert!(refused(&tcp).starts_with("x:5: \"< acked\" is of QUIC"), "{}", refused(&tcp));
        let unsent = PACKET_THRESHOLD.replacen("1-2", "1-20", 1);
        assert!(refused(&unsent).starts_with("x:4: packets up to 21 are acknowledged; 10 were sent"));
        let touching = PACKET_THRESHOLD.replacen("acked 1-2", "acked 1-2 3", 1);
        assert!(refused(&touching).starts_with("x:4: ranges of packets touch each other"));
    }

    #[test]
    fn a_handshake_is_refused() {
        let script = read("0 ms write 1", "x").expect("sound");
        let with = [("tcp.handshake".to_owned(), "true".to_owned())];
        let scenario = Scenario::parse(BASE.as_bytes(), "base", &with).expect("sound");
        assert!(play(&script, &scenario, "x").is_err_and(|problem| problem.contains("set tcp.handshake = false")));
    }
}
