//! The text of a recording: a header of `# key: value` lines, then sections of a title, a line of columns, and rows.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value;

const FIRST_LINE: &str = "# longfat recording of Linux, version 1";

/// A recording.
#[derive(Debug)]
pub struct Recording {
    header: BTreeMap<String, String>,
    /// The experiment as it was declared: rates in Mbit/s, times in ms, flows, steps.
    pub experiment: Value,
    /// Connections, by number.
    pub connections: Vec<Connection>,
    /// The queue, at equal intervals.
    pub queue: Vec<Queue>,
    /// Times in the queue, second by second.
    pub waits: Vec<Waits>,
    /// Times at which the steps of the experiment were made, in seconds.
    pub steps: Vec<f64>,
}

/// A connection: times, bytes received, and its windows if it was not one of a `count`.
#[derive(Debug)]
pub struct Connection {
    /// The sender, from 1.
    pub sender: u64,
    /// The congestion control, by Linux's name.
    pub control: String,
    /// When the application called `connect`, in seconds.
    pub began: f64,
    /// When `connect` returned, in seconds.
    pub established: f64,
    /// Payload of a full segment.
    pub segment_bytes: u64,
    /// Bytes that the receiving application read.
    pub received_bytes: u64,
    /// When it read the last of it, in seconds.
    pub last_byte: f64,
    /// The window when it had changed by more than a segment and 2 %, had turned, or had another threshold.
    pub windows: Vec<Window>,
    /// `tcp_info` at equal intervals.
    pub samples: Vec<Sample>,
    /// Times of retransmissions by the sender, in seconds.
    pub retransmissions: Vec<f64>,
    /// Times of retransmissions by the receiver: of its SYN and its FIN.
    pub retransmissions_by_receiver: Vec<f64>,
}

/// A congestion window just before an acknowledgment was processed.
#[derive(Debug)]
pub struct Window {
    /// Time in seconds.
    pub time: f64,
    /// Congestion window in segments.
    pub segments: u64,
    /// Slow start threshold in segments, once there is one.
    pub threshold: Option<u64>,
    /// Smoothed round trip in microseconds.
    pub round_trip: u64,
}

/// A sample of `tcp_info`. Counts are those since the sample before.
#[derive(Debug)]
pub struct Sample {
    /// Time in ms.
    pub time: u64,
    /// Congestion window in segments.
    pub segments: u64,
    /// State: 0 open, 1 disorder, 2 window being reduced, 3 recovery, 4 loss.
    pub state: u64,
    /// Smoothed round trip in microseconds.
    pub round_trip: u64,
    /// Its variation in microseconds.
    pub variation: u64,
    /// Retransmission timeout in ms.
    pub timeout: u64,
    /// Segments under way, as Linux counts them.
    pub flight: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Bytes acknowledged.
    pub acknowledged: u64,
    /// Pacing rate in kbit/s.
    pub pacing: u64,
    /// Measured delivery rate in kbit/s.
    pub delivery: u64,
    /// Segments acknowledged with an echo of a mark: with classic ECN, all until the sender answers.
    pub marked: u64,
}

/// A sample of the queue, with the packet on the line. Counts are those since the sample before.
#[derive(Debug)]
pub struct Queue {
    /// Time in ms.
    pub time: u64,
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Packets sent.
    pub sent: u64,
}

/// Times from entering the queue to leaving it, in microseconds, of the packets that left it within a second.
#[derive(Debug)]
pub struct Waits {
    /// The second.
    pub second: u64,
    /// Packets.
    pub packets: u64,
    /// Mean.
    pub mean: u64,
    /// 95th percentile.
    pub p95: u64,
    /// Longest.
    pub longest: u64,
}

impl Recording {
    /// Parses a recording.
    ///
    /// # Errors
    /// Says which line cannot be read, or which section or key is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().peekable();
        if lines.next().is_none_or(|(_, line)| line != FIRST_LINE) {
            return Err(format!("line 1: expected \"{FIRST_LINE}\""));
        }
        let mut header = BTreeMap::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with('#')) {
            let (key, value) =
                line[1..].split_once(':').ok_or_else(|| format!("\"{line}\" is not of the form \"# key: value\""))?;
            header.insert(key.trim().to_owned(), value.trim().to_owned());
        }
        let mut sections: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        let mut current = None;
        while let Some((at, line)) = lines.next() {
            if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                lines.next();
                current = Some(sections.entry(title).or_default());
            } else {
                current
                    .as_mut()
                    .ok_or_else(|| format!("line {}: a row before the first section", at + 1))?
                    .push((at + 1, line));
            }
        }
        let experiment = header.get("experiment").ok_or("the header has no experiment")?;
        let experiment =
            serde_json::from_str(experiment).map_err(|error| format!("the header's experiment: {error}"))?;
        let mut rows = |title: &str| sections.remove(title).unwrap_or_default();
        let connections = rows("connections");
        let connections = connections
            .iter()
            .enumerate()
            .map(|(number, row)| connection(number, row, &mut rows))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            experiment,
            connections,
            queue: read(&rows("queue"), |&[time, packets, bytes, dropped, sent]| Queue {
                time,
                packets,
                bytes,
                dropped,
                sent,
            })?,
            waits: read(&rows("waiting"), |&[second, packets, mean, p95, longest]| Waits {
                second,
                packets,
                mean,
                p95,
                longest,
            })?,
            steps: read(&rows("steps"), |&[time]| time)?,
            header,
        })
    }

    /// A value of the header.
    ///
    /// # Errors
    /// Says that the key is missing.
    pub fn get(&self, key: &str) -> Result<&str, String> {
        self.header.get(key).map(String::as_str).ok_or_else(|| format!("the header has no {key}"))
    }

    /// True if the recording is held out: it judges models and must not guide changes of them.
    ///
    /// # Errors
    /// Says that the header does not tell.
    pub fn held_out(&self) -> Result<bool, String> {
        self.get("held_out")?.parse().map_err(|_| "held_out is neither true nor false".to_owned())
    }
}

type Rows<'a> = Vec<(usize, &'a str)>;

fn connection<'a>(
    number: usize,
    &(at, row): &(usize, &str),
    rows: &mut impl FnMut(&str) -> Rows<'a>,
) -> Result<Connection, String> {
    let words: Vec<_> = row.split(' ').collect();
    let unreadable = || format!("line {at}: cannot read the connection \"{row}\"");
    let &[named, sender, control, began, established, segment, received, last] = words.as_slice() else {
        return Err(unreadable());
    };
    if named != number.to_string() {
        return Err(unreadable());
    }
    let windows = rows(&format!("window {number}"));
    let windows: Result<_, String> = windows.iter().map(window).collect();
    let samples = rows(&format!("tcp_info {number}"));
    let sample = |&[
        time,
        segments,
        state,
        round_trip,
        variation,
        timeout,
        flight,
        retransmitted,
        acknowledged,
        pacing,
        delivery,
        marked,
    ]: &[u64; 12]| {
        Sample {
            time,
            segments,
            state,
            round_trip,
            variation,
            timeout,
            flight,
            retransmitted,
            acknowledged,
            pacing,
            delivery,
            marked,
        }
    };
    let again = rows(&format!("retransmissions {number}"));
    let (by_receiver, by_sender): (Vec<_>, Vec<_>) = again
        .iter()
        .flat_map(|(at, row)| row.split(' ').map(move |word| (*at, word)))
        .partition(|(_, word)| word.ends_with('r'));
    let times = |words: Vec<(usize, &str)>| -> Result<Vec<f64>, String> {
        words.into_iter().map(|(at, word)| value(at, word.trim_end_matches('r'))).collect()
    };
    Ok(Connection {
        sender: value(at, sender)?,
        control: control.to_owned(),
        began: value(at, began)?,
        established: value(at, established)?,
        segment_bytes: value(at, segment)?,
        received_bytes: value(at, received)?,
        last_byte: value(at, last)?,
        windows: windows?,
        samples: read(&samples, sample)?,
        retransmissions: times(by_sender)?,
        retransmissions_by_receiver: times(by_receiver)?,
    })
}

fn window(&(at, row): &(usize, &str)) -> Result<Window, String> {
    let words: Vec<_> = row.split(' ').collect();
    let &[time, segments, threshold, round_trip] = words.as_slice() else {
        return Err(format!("line {at}: expected 4 values"));
    };
    Ok(Window {
        time: value(at, time)?,
        segments: value(at, segments)?,
        threshold: if threshold == "-" { None } else { Some(value(at, threshold)?) },
        round_trip: value(at, round_trip)?,
    })
}

/// Rows of `N` values.
fn read<V: FromStr, T, const N: usize>(rows: &[(usize, &str)], make: impl Fn(&[V; N]) -> T) -> Result<Vec<T>, String> {
    let row = |&(at, row): &(usize, &str)| {
        let values: Vec<V> = row.split(' ').map(|word| value(at, word)).collect::<Result<_, _>>()?;
        <&[V; N]>::try_from(values.as_slice()).map(&make).map_err(|_| format!("line {at}: expected {N} values"))
    };
    rows.iter().map(row).collect()
}

fn value<V: FromStr>(at: usize, word: &str) -> Result<V, String> {
    word.parse().map_err(|_| format!("line {at}: cannot read \"{word}\""))
}
