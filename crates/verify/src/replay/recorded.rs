//! Recorded traces as text: a header of `# key: value` lines, then rows of time, event, segment and, with several sources, source.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use longfat_engine::units::Time;

/// A row of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time of the event.
    pub time: Time,
    /// Kind of event.
    pub act: Act,
    /// Segment number, from 0; for acknowledgments, the next one expected.
    pub segment: u64,
    /// Source number, from 0.
    pub source: usize,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The sender sends a segment for the first time.
    Send,
    /// The sender retransmits a segment.
    Resend,
    /// The receiver sends an acknowledgment.
    Acknowledge,
    /// An acknowledgment reaches the sender.
    Acknowledged,
}

impl Act {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Send, "send"),
        (Self::Resend, "resend"),
        (Self::Acknowledge, "acknowledge"),
        (Self::Acknowledged, "acknowledged"),
    ];
}

impl Event {
    /// All but the time.
    pub fn what(&self) -> (Act, u64, usize) {
        (self.act, self.segment, self.source)
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let name = Act::ALL.iter().find(|(act, _)| *act == self.act).map_or("", |(_, name)| name);
        write!(f, "{:.6} s {name} {} of source {}", self.time.as_seconds(), self.segment, self.source)
    }
}

/// A recorded trace.
pub struct Trace {
    /// Header.
    header: BTreeMap<String, String>,
    /// Events, in order.
    pub events: Vec<Event>,
}

impl Trace {
    /// Parses a trace.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (comments, rows): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with('#'));
        let entry = |line: &str| {
            let (key, value) = line.strip_prefix("# ")?.split_once(':')?;
            Some((key.to_owned(), value.trim().to_owned()))
        };
        let events: Result<_, _> =
            rows.iter().map(|row| event(row).ok_or_else(|| format!("cannot read \"{row}\""))).collect();
        Ok(Self { header: comments.into_iter().filter_map(entry).collect(), events: events? })
    }

    /// A value of the header.
    pub fn get(&self, key: &str) -> Result<&str, String> {
        self.header.get(key).map(String::as_str).ok_or_else(|| format!("no {key} in the trace's header"))
    }

    /// Words of a header value that is a list.
    pub fn list(&self, key: &str) -> Result<Vec<&str>, String> {
        Ok(self.get(key)?.split_whitespace().collect())
    }

    /// ns-2 variables in a header value: alternating names and values.
    pub fn variables(&self, key: &str) -> Result<BTreeMap<&str, &str>, String> {
        let words = self.list(key)?;
        Ok(words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }
}

fn event(row: &str) -> Option<Event> {
    let words: Vec<_> = row.split_whitespace().collect();
    let [seconds, name, segment, rest @ ..] = words.as_slice() else { return None };
    Some(Event {
        time: Time(picoseconds(seconds)?),
        act: Act::ALL.iter().find(|(_, known)| known == name)?.0,
        segment: segment.parse().ok()?,
        source: rest.first().map_or(Some(0), |source| source.parse().ok())?,
    })
}

/// Seconds with six decimals.
fn picoseconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.')?;
    let microseconds: u64 = format!("{whole}{fraction}").parse().ok().filter(|_| fraction.len() == 6)?;
    microseconds.checked_mul(1_000_000)
}
