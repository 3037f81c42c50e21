//! RFC 2416: four packets at the start into only three buffers.

use longfat_engine::observer::Observer;
use longfat_engine::run_told;
use longfat_engine::transport::{Acknowledgment, Segment, Window};
use longfat_engine::units::Time;
use serde_json::{Value as Json, json};

use super::support::all;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::scenario;

/// A row of the trace at the sender: seconds, the packet that an acknowledgment reports, and the first and last packet that are then sent.
type Row = (f64, Option<u64>, Option<(u64, u64)>);

/// The trace after a start with one packet. The RFC prints 6.111 for the first duplicate, in a row of steps of 0.833 s: a digit is wrong.
const ONE: [Row; 10] = [
    (0.0, None, Some((1, 1))),
    (1.222, Some(1), Some((2, 3))),
    (2.444, Some(2), Some((4, 5))),
    (3.278, Some(3), Some((6, 7))),
    (4.111, Some(4), Some((8, 9))),
    (4.944, Some(5), Some((10, 11))),
    (5.778, Some(6), Some((12, 13))),
    (6.611, Some(6), None),
    (7.444, Some(6), None),
    (8.278, Some(6), Some((7, 7))),
];

/// The trace after a start with four packets, the last of which finds no buffer.
const FOUR: [Row; 7] = [
    (0.0, None, Some((1, 4))),
    (1.222, Some(1), Some((5, 6))),
    (2.055, Some(2), Some((7, 8))),
    (2.889, Some(3), Some((9, 10))),
    (3.722, Some(3), None),
    (4.555, Some(3), None),
    (5.389, Some(3), Some((4, 4))),
];

/// One check per start.
pub fn checks() -> Vec<Check> {
    let check = |packets: u64, rows: &'static [Row]| {
        let window = if packets == 1 { "1 packet".into() } else { format!("{packets} packets") };
        let name = format!("RFC 2416: a start with {window} into three buffers, row by row");
        Check::new(name, Kind::Example, move || follows(packets, rows))
    };
    vec![check(1, &ONE), check(4, &FOUR)]
}

/// Data of a packet of 1000 bytes: the text has 1024 for the whole, but 0.833 s at 9600 bit/s, the distance of two acknowledgments, are 1000.
const DATA_BYTES: u64 = 960;

/// The RFC's figure: 100 Mbit/s without delay, 1.5 Mbit/s and 25 ms, 9600 bit/s and 150 ms behind three buffers, of which one holds the packet being
/// sent.
fn behind_a_modem(packets: u64) -> Json {
    let link = |from, to, rate, delay, managed| json!({ "from": from, "to": to, "rate": rate, "delay": delay, "managed": managed });
    json!({
        "schema_version": 1,
        "duration": "9 s",
        "topology": {
            "kind": "graph", "hosts": ["source", "receiver"], "switches": ["near", "far"],
            "links": [
                link("source", "near", "100 Mbit/s", "0 s", "none"),
                link("near", "far", "1.5 Mbit/s", "25 ms", "none"),
                link("far", "receiver", "9600 bit/s", "150 ms", "there"),
            ],
        },
        "connections": [{ "from": "source", "to": "receiver" }],
        "framing": "packet",
        "port": { "buffer": "2 packets" },
        "tcp": {
            "flavor": "tahoe", "mss": format!("{DATA_BYTES} B"), "receiver_window": "64 kB", "initial_window": format!("{packets} MSS"),
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s", "initial": "3 s" }, "acknowledgments": "immediate",
        },
    })
}

#[derive(Default)]
struct Journal(Vec<Row>);

impl Observer for Journal {
    fn segment_sent(&mut self, now: Time, _flow: usize, segment: Segment, _window: &Window) {
        let packet = segment.sequence / DATA_BYTES + 1;
        match self.0.last_mut().filter(|row| row.0 >= now.as_seconds()) {
            Some((_, _, sent)) => *sent = Some((sent.map_or(packet, |sent| sent.0), packet)),
            None => self.0.push((now.as_seconds(), None, Some((packet, packet)))),
        }
    }

    fn acknowledgment_received(&mut self, now: Time, _flow: usize, acknowledgment: &Acknowledgment, _window: &Window) {
        self.0.push((now.as_seconds(), Some(acknowledgment.next / DATA_BYTES), None));
    }
}

fn follows(packets: u64, rows: &[Row]) -> Finding {
    let mut journal = Journal::default();
    run_told(&scenario(&behind_a_modem(packets))?, &mut journal).map_err(|violation| violation.to_string())?;
    let same = |(own, printed): (&Row, &Row)| {
        let is_same = (own.0 - printed.0).abs() < 0.0015 && (own.1, own.2) == (printed.1, printed.2);
        require(is_same, format!("{:.3} s", own.0)).map_err(|_| format!("{own:?}, in the RFC {printed:?}"))
    };
    require(journal.0.len() >= rows.len(), format!("{} rows", journal.0.len()))?;
    all(journal.0.iter().zip(rows).map(same))
}
