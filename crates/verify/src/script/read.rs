//! Text of a script: settings of the end system, and steps.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::units::Span;

/// A script that was read.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Settings with their lines, as `(line, path, value)`.
    pub settings: Vec<(usize, String, String)>,
    /// Steps with their lines.
    pub steps: Vec<(usize, Step)>,
}

/// Time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// From the beginning.
    At(Span),
    /// After the step before.
    After(Span),
    /// Whenever it happens.
    Anytime,
}

/// A step of a script. Segments are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its time.
    pub when: When,
    /// Act or expectation at that time.
    pub act: Act,
}

/// Act or expectation of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The application hands over so many segments; without a number there is no end of them.
    Write(Option<u64>),
    /// An acknowledgment arrives.
    Acknowledge(Arrival),
    /// The sender sends these segments, and none before.
    Sends(Vec<u64>),
    /// A quantity of the sender is so large: in segments.
    Is(Quantity, String),
}

/// An acknowledgment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Of TCP.
    Segment {
        /// The first segment that has not arrived.
        next: u64,
        /// Segments that have arrived beyond it: first and last of each block, the latest first.
        blocks: Vec<(u64, u64)>,
        /// ECN echo as it stands in the header: its meaning depends on `tcp.ecn`.
        marks: u64,
    },
    /// Of QUIC.
    Packets {
        /// Packets that have arrived: first and last of each range.
        ranges: Vec<(u64, u64)>,
        /// Time since the arrival of the largest.
        delay: Span,
    },
}

/// A quantity of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Congestion window.
    Cwnd,
    /// Slow start threshold.
    Ssthresh,
}

const FORMS: &str = "\"TIME write N\", \"TIME < ack N\" with \"sack A-B\", \"TIME < acked A-B C\", \"TIME > A B-C\", \"TIME > nothing\", \"TIME cwnd N\" or \"TIME ssthresh N\"; \
                     TIME as in \"100 ms\", \"+5 ms\" or \"any\"";

/// Reads a script.
///
/// # Errors
/// A line for each mistake, with its place in `source`.
pub fn read(text: &str, source: &str) -> Result<Script, Vec<String>> {
    let (mut script, mut problems) = (Script::default(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        if line.is_empty() {
            continue;
        }
        if let Some(setting) = setting(line) {
            if script.steps.is_empty() {
                script.settings.push((number, setting.0, setting.1));
            } else {
                problems.push(format!("{source}:{number}: settings stand before the first step"));
            }
            continue;
        }
        match step(line) {
            Ok(step) => script.steps.push((number, step)),
            Err(problem) => problems.push(format!("{source}:{number}: {problem}")),
        }
    }
    if problems.is_empty() && script.steps.is_empty() {
        problems.push(format!("{source}: no step; expected lines such as {FORMS}"));
    }
    if problems.is_empty() { Ok(script) } else { Err(problems) }
}

/// `path = value` of an end system.
fn setting(line: &str) -> Option<(String, String)> {
    let (path, value) = line.split_once('=')?;
    let path = path.trim();
    (path.starts_with("tcp.") || path == "stack").then(|| (path.to_owned(), value.trim().to_owned()))
}

fn step(line: &str) -> Result<Step, String> {
    let unknown = || format!("{line:?} is no step; expected {FORMS}");
    let words: Vec<_> = line.split_whitespace().collect();
    let (when, words) = time(&words).ok_or_else(unknown)?;
    let act = match words {
        ["write"] => Act::Write(None),
        ["write", number] => Act::Write(Some(whole(number)?)),
        ["<", "ack", next, rest @ ..] => acknowledgment(whole(next)?, rest)?,
        ["<", "acked", ranges @ .., "delay", number, unit] => packets(ranges, &format!("{number} {unit}"))?,
        ["<", "acked", ranges @ ..] => packets(ranges, "0 s")?,
        [">", "nothing"] => Act::Sends(Vec::new()),
        [">", segments @ ..] if !segments.is_empty() => {
            let ranges = segments.iter().map(|word| range(word)).collect::<Result<Vec<_>, _>>()?;
            Act::Sends(ranges.into_iter().flat_map(|(first, last)| first..=last).collect())
        }
        ["cwnd", number] => Act::Is(Quantity::Cwnd, decimal(number)?),
        ["ssthresh", number] => Act::Is(Quantity::Ssthresh, decimal(number)?),
        _ => return Err(unknown()),
    };
    let expects = matches!(act, Act::Sends(_) | Act::Is(..));
    if when == When::Anytime && !expects {
        return Err(format!("{line:?} needs a time: only what is expected may happen at any"));
    }
    Ok(Step { when, act })
}

/// The time at the beginning of a step, and the words behind it.
fn time<'a>(words: &'a [&'a str]) -> Option<(When, &'a [&'a str])> {
    match words {
        ["any", rest @ ..] => Some((When::Anytime, rest)),
        [number, unit, rest @ ..] => {
            let (number, is_later) = number.strip_prefix('+').map_or((*number, false), |number| (number, true));
            let node = parse_fragment(&format!("\"{number} {unit}\""));
            let span = Span::read(&node, &mut Reader::default())?;
            Some((if is_later { When::After(span) } else { When::At(span) }, rest))
        }
        _ => None,
    }
}

fn acknowledgment(next: u64, mut rest: &[&str]) -> Result<Act, String> {
    let (mut blocks, mut marks) = (Vec::new(), 0);
    while let [word, behind @ ..] = rest {
        match (*word, behind) {
            ("marks", [number, behind @ ..]) => {
                marks = whole(number)?;
                rest = behind;
            }
            ("sack", behind) => {
                let count = behind.iter().take_while(|word| range(word).is_ok()).count();
                if count == 0 {
                    return Err(
                        "\"sack\" has no block; expected the first and the last segment of each, such as \"2-4\""
                            .into(),
                    );
                }
                blocks = behind[..count].iter().map(|word| range(word)).collect::<Result<_, _>>()?;
                rest = &behind[count..];
            }
            _ => {
                return Err(format!(
                    "{word:?} is not known of an acknowledgment; \"sack A-B C-D\" and \"marks N\" are"
                ));
            }
        }
    }
    Ok(Act::Acknowledge(Arrival::Segment { next, blocks, marks }))
}

fn packets(ranges: &[&str], delay: &str) -> Result<Act, String> {
    if ranges.is_empty() {
        return Err("\"acked\" has no packet; expected the first and the last of each range, such as \"0-2 4\"".into());
    }
    let ranges = ranges.iter().map(|word| range(word)).collect::<Result<_, _>>()?;
    let node = parse_fragment(&format!("\"{delay}\""));
    let known = Span::read(&node, &mut Reader::default());
    let delay = known.ok_or_else(|| format!("{delay:?} is no delay, such as \"25 ms\""))?;
    Ok(Act::Acknowledge(Arrival::Packets { ranges, delay }))
}

/// The first and the last segment of `2-4`, or of `2`.
fn range(word: &str) -> Result<(u64, u64), String> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (whole(first)?, whole(last)?);
    if last < first || last - first > MOST_IN_A_RANGE {
        return Err(format!(
            "{word:?} is no range of segments; the first and the last, at most {MOST_IN_A_RANGE} apart"
        ));
    }
    Ok((first, last))
}

/// Segments that a script may name at once.
const MOST_IN_A_RANGE: u64 = 100_000;

fn whole(word: &str) -> Result<u64, String> {
    let number = word.parse().ok().filter(|number| *number <= MOST_SEGMENTS);
    number.ok_or_else(|| format!("{word:?} is no number of segments; a whole number up to {MOST_SEGMENTS}"))
}

/// Segments of a connection, so that their bytes can be counted.
const MOST_SEGMENTS: u64 = 1 << 40;

fn decimal(word: &str) -> Result<String, String> {
    let is_number = word.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0);
    if is_number { Ok(word.to_owned()) } else { Err(format!("{word:?} is no number of segments, such as 10 or 2.5")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        read(text, "x.script").expect_err("a mistake").join("\n")
    }

    #[test]
    fn settings_and_steps_are_read_with_their_lines() {
        let script = read(
            "# of a test\ntcp.flavor = \"reno\"\n\n0 ms write 20\n+5 ms < ack 1 sack 3-4 6 marks 2\nany > 1-2 9\n1 s cwnd 2.5",
            "x",
        );
        let script = script.expect("it is sound");
        assert_eq!(script.settings, [(2, "tcp.flavor".to_owned(), "\"reno\"".to_owned())]);
        let acts: Vec<_> = script.steps.iter().map(|(line, step)| (*line, step.act.clone())).collect();
        assert_eq!(
            acts,
            [
                (4, Act::Write(Some(20))),
                (5, Act::Acknowledge(Arrival::Segment { next: 1, blocks: vec![(3, 4), (6, 6)], marks: 2 })),
                (6, Act::Sends(vec![1, 2, 9])),
                (7, Act::Is(Quantity::Cwnd, "2.5".into())),
            ]
        );
        let after = Span::from_microseconds(5000);
        assert_eq!([script.steps[1].1.when, script.steps[2].1.when], [When::After(after), When::Anytime]);
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        assert!(problem("").contains("x.script: no step"));
        assert!(problem("0 ms wait").starts_with("x.script:1: \"0 ms wait\" is no step; expected"));
        assert!(problem("0 ms write ten").contains("\"ten\" is no number of segments"));
        assert!(problem("0 ms < ack 1 sak 2").contains("\"sak\" is not known of an acknowledgment"));
        assert!(problem("0 ms < ack 1 sack").contains("\"sack\" has no block"));
        assert!(problem("0 ms < acked").contains("\"acked\" has no packet"));
        assert!(problem("0 ms < acked 3 delay 5 miles").contains("\"5 miles\" is no delay"));
        assert!(problem("0 ms > 5-2").contains("\"5-2\" is no range"));
        assert!(problem("0 ms > 0-99999999").contains("at most 100000 apart"));
        assert!(problem("any write 3").contains("needs a time"));
        assert!(problem("0 ms write\ntcp.mss = \"1 B\"").contains("x.script:2: settings stand before"));
        assert!(problem("0 ms cwnd -1").contains("\"-1\" is no number of segments"));
        assert!(problem("5 lightyears > 1").contains("is no step"));
    }
}
