//! Properties of BBR on a path of 100 Mbit/s and 40 ms.

use longfat_engine::observer::Observer;
use longfat_engine::run_told;
use longfat_engine::transport::Sender;
use longfat_engine::units::Time;
use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::{record, scenario};

/// A version of BBR, with its parameters of ProbeRTT.
#[derive(Clone, Copy)]
struct Version {
    name: &'static str,
    flavor: &'static str,
    /// Seconds between probes.
    interval: f64,
    /// Largest window during a probe, in bytes.
    probe_bytes: f64,
}

/// draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5: four segments every 10 s. draft-ietf-ccwg-bbr section 5.3.4: half of the
/// bandwidth-delay product every 5 s.
const VERSIONS: [Version; 2] = [
    Version { name: "BBR", flavor: "bbr", interval: 10.0, probe_bytes: 4.0 * SEGMENT_BYTES },
    Version { name: "BBR v3", flavor: "bbr3", interval: 5.0, probe_bytes: 0.55 * BANDWIDTH_DELAY_BYTES },
];

/// Utilization, data in flight, ProbeRTT, and utilization with random losses.
pub fn checks() -> Vec<Check> {
    let mut checks = Vec::new();
    for version in VERSIONS {
        let Version { name, interval, .. } = version;
        let mut add = |what: String, finding: fn(Version) -> Finding| {
            checks.push(Check::new(format!("{name} {what}"), Kind::Law, move || finding(version)));
        };
        add("alone uses 95 % of 100 Mbit/s over 40 ms".into(), uses_the_rate);
        add("alone has less than 1.5 bandwidth-delay products in flight".into(), keeps_queues_short);
        add(format!("probes for the shortest round trip every {interval} s, for 200 ms"), probes_round_trips);
    }
    let tolerates = "BBR v3 has five times the rate of CUBIC where 1 % is lost at random";
    checks.push(Check::new(tolerates, Kind::Law, tolerates_losses));
    let shares = "BBR v3 and CUBIC beside each other each have a tenth of the line at least";
    checks.push(Check::new(shares, Kind::Law, starves_nobody));
    checks
}

const SEGMENT_BYTES: f64 = 1448.0;
const SECONDS: u64 = 35;
/// Bandwidth-delay product of the path.
const BANDWIDTH_DELAY_BYTES: f64 = 500_000.0;

fn path(flavor: &str) -> Json {
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
            "flavor": flavor, "mss": format!("{SEGMENT_BYTES} B"), "initial_window": "10 MSS", "receiver_window": "8 MB",
            "timestamps": true, "timer_granularity": "1 ms", "retransmission_timeout": "rfc-6298",
        },
    })
}

fn uses_the_rate(version: Version) -> Finding {
    let efficiency = record(&path(version.flavor))?.metrics.efficiency;
    require(efficiency >= 0.95, format!("{:.1} % of what segments can have", 100.0 * efficiency))
}

#[expect(clippy::cast_precision_loss, reason = "a few seconds")]
fn keeps_queues_short(version: Version) -> Finding {
    let journal = journal(version)?;
    let mean = journal.byte_picoseconds / journal.until.0 as f64;
    let products = mean / BANDWIDTH_DELAY_BYTES;
    require((0.9..1.5).contains(&products), format!("{products:.2} bandwidth-delay products on the mean"))
}

/// The window drops an interval after the minimum round trip was last measured, and returns after 200 ms and a round.
fn probes_round_trips(version: Version) -> Finding {
    let probes = journal(version)?.probes;
    let starts: Vec<f64> = probes.iter().map(|probe| seconds(probe.0)).collect();
    let apart = starts.windows(2).all(|pair| (pair[1] - pair[0] - version.interval).abs() < 0.5);
    let lasting = probes.iter().all(|probe| (0.2..0.4).contains(&(seconds(probe.1) - seconds(probe.0))));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few probes")]
    let expected = (34.0 / version.interval) as usize;
    require(starts.len() == expected && apart && lasting, format!("probes at {starts:.2?} s"))
}

/// A loss rate of 1 % is below the tolerated one (section 2.8 of draft-ietf-ccwg-bbr: 2 %), while CUBIC's window follows its response
/// function (RFC 9438 section 5.1: a few segments).
fn tolerates_losses() -> Finding {
    let rate = |flavor: &str| {
        let mut lossy = path(flavor);
        lossy["loss"] = json!({ "kind": "random", "probability": 0.01 });
        record(&lossy).map(|record| record.metrics.goodput_bps / 1e6)
    };
    let (bbr, cubic) = (rate("bbr3")?, rate("cubic")?);
    require(bbr >= 5.0 * cubic, format!("{bbr:.1} Mbit/s, CUBIC {cubic:.1} Mbit/s"))
}

/// With a buffer of one bandwidth-delay product, a case that section 5.3.3.8.1 of draft-ietf-ccwg-bbr targets. The finding reports the
/// shares.
fn starves_nobody() -> Finding {
    let mut shared = path("cubic");
    shared["topology"]["sources"] = 2.into();
    shared["port"]["buffer"] = "1 BDP".into();
    shared["connections"] = json!([{ "count": 1, "flavor": "bbr3" }]);
    let share = record(&shared)?.metrics.first_group_share.ok_or("no share")?;
    require((0.1..0.9).contains(&share), format!("BBR v3 has {:.0} %", 100.0 * share))
}

/// Data in flight over time, and the periods with a window of at most a probe's.
struct Journal {
    probe_bytes: f64,
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
        // Windows are as small in the first round trips.
        let is_probing = window.cwnd <= self.probe_bytes && seconds(now) > 1.0;
        if is_probing && !self.is_probing {
            self.probes.push((now, now));
        }
        if let Some(probe) = self.probes.last_mut().filter(|_| is_probing) {
            probe.1 = now;
        }
        self.is_probing = is_probing;
    }
}

fn journal(version: Version) -> Result<Journal, String> {
    let mut journal = Journal {
        probe_bytes: version.probe_bytes,
        in_flight: 0,
        until: Time::ZERO,
        byte_picoseconds: 0.0,
        probes: Vec::new(),
        is_probing: false,
    };
    run_told(&scenario(&path(version.flavor))?, &mut journal).map_err(|violation| violation.to_string())?;
    Ok(journal)
}

fn seconds(time: Time) -> f64 {
    time.as_seconds()
}
