//! What BBR promises on a path that nothing disturbs: 100 Mbit/s, 40 ms.

use longfat_engine::Simulation;
use longfat_engine::observer::Observer;
use longfat_engine::transport::Sender;
use longfat_engine::units::Time;
use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::{record, scenario};

/// Rate, what is in flight, and the search for the shortest round trip.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("BBR alone uses 95 % of 100 Mbit/s over 40 ms", Kind::Law, uses_the_rate),
        Check::new("BBR alone has less than 1.5 bandwidth-delay products in flight", Kind::Law, keeps_queues_short),
        Check::new("BBR probes for the shortest round trip every 10 s, for 200 ms", Kind::Law, probes_round_trips),
    ]
}

const SEGMENT_BYTES: u64 = 1448;
const SECONDS: u64 = 35;
/// 100 Mbit/s for 40 ms.
const BANDWIDTH_DELAY_BYTES: f64 = 500_000.0;

fn path() -> Json {
    json!({
        "schema_version": 1,
        "duration": format!("{SECONDS} s"),
        "topology": {
            "kind": "n-source", "sources": 1,
            "access": { "rate": "1 Gbit/s", "delay": "1 ms" },
            "bottleneck": { "rate": "100 Mbit/s", "delay": "18 ms" },
        },
        "framing": "packet",
        "port": { "buffer": "4 BDP" },
        "tcp": {
            "flavor": "bbr", "mss": format!("{SEGMENT_BYTES} B"), "initial_window": "10 MSS", "receiver_window": "8 MB",
            "timestamps": true, "timer_granularity": "1 ms", "retransmission_timeout": "rfc-6298",
        },
    })
}

fn uses_the_rate() -> Finding {
    let efficiency = record(&path())?.metrics.efficiency;
    require(efficiency >= 0.95, format!("{:.1} % of what segments can have", 100.0 * efficiency))
}

#[expect(clippy::cast_precision_loss, reason = "a few seconds")]
fn keeps_queues_short() -> Finding {
    let journal = journal()?;
    let mean = journal.byte_picoseconds / journal.until.0 as f64;
    let products = mean / BANDWIDTH_DELAY_BYTES;
    require((0.9..1.5).contains(&products), format!("{products:.2} bandwidth-delay products on the mean"))
}

/// The window falls to four segments 10 s after the shortest round trip was measured last, and comes back after 200 ms and a round.
fn probes_round_trips() -> Finding {
    let probes = journal()?.probes;
    let starts: Vec<f64> = probes.iter().map(|probe| seconds(probe.0)).collect();
    let apart = starts.windows(2).all(|pair| (pair[1] - pair[0] - 10.0).abs() < 0.5);
    let lasting = probes.iter().all(|probe| (0.2..0.4).contains(&(seconds(probe.1) - seconds(probe.0))));
    require(starts.len() == 3 && apart && lasting, format!("probes at {starts:.2?} s"))
}

/// What is in flight over time, and when the window was four segments or less, from when until when.
#[derive(Default)]
struct Journal {
    in_flight: u64,
    until: Time,
    byte_picoseconds: f64,
    probes: Vec<(Time, Time)>,
    is_probing: bool,
}

impl Observer for Journal {
    #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
    fn sender_acted(&mut self, now: Time, _flow: usize, sender: &Sender) {
        self.byte_picoseconds += self.in_flight as f64 * (now - self.until).0 as f64;
        (self.in_flight, self.until) = (sender.flight(), now);
        let window = sender.window();
        let is_probing = window.cwnd <= 4.0 * window.mss();
        if is_probing && !self.is_probing {
            self.probes.push((now, now));
        }
        if let Some(probe) = self.probes.last_mut().filter(|_| is_probing) {
            probe.1 = now;
        }
        self.is_probing = is_probing;
    }
}

fn journal() -> Result<Journal, String> {
    let mut simulation = Simulation::new(&scenario(&path())?, Journal::default());
    simulation.advance(simulation.end());
    simulation.audit().map_err(|violation| violation.to_string())?;
    Ok(simulation.into_observer())
}

fn seconds(time: Time) -> f64 {
    time.as_seconds()
}
