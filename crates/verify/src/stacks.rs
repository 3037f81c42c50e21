//! QUIC as a model beside quinn, whose code is another's: end by end over a line of 20 ms, and through whole networks.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::end_system::Parcel;
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::stacks::Stack;
use longfat_engine::units::{PICOSECONDS_PER_SECOND, Span, Time};
use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Ratios that the model keeps to: goodput, and mean queue and completion time.
const GOODPUT_WITHIN: f64 = 0.02;
const TIMES_WITHIN: f64 = 0.10;

/// The window laws of quinn that draw nothing from the system's randomness, with those of the model.
const LAWS: [(&str, &str); 2] = [("new-reno", "newreno"), ("cubic", "cubic")];

/// All checks.
pub fn checks() -> Vec<Check> {
    let mut all = Vec::new();
    for law in LAWS {
        for network in NETWORKS.iter().filter(|network| network.only.is_none_or(|only| only == law.0)) {
            let name = format!("quic beside quinn, {}, {}", law.0, network.name);
            all.push(Check::new(name, Kind::Stack, move || through(law, network)));
        }
        for case in CASES {
            let name = format!("quic beside quinn, {}, packet by packet: {}", law.0, case.name);
            all.push(Check::new(name, Kind::Stack, move || end_by_end(law, case)));
        }
    }
    all
}

/// Settings of both stacks that are alike: packets of one size, and windows of receivers that never limit.
fn settings((quinn, model): (&str, &str)) -> [Json; 2] {
    [
        json!({ "kind": "quinn", "congestion_control": quinn, "largest_mtu": "1200 B", "stream_window": "100 MB", "send_window": "100 MB" }),
        json!({ "kind": "quic", "as": "quinn", "flavor": model, "codepoint": "ect-0", "stream_window": "100 MB", "connection_window": "1 GB" }),
    ]
}

/// A network with connections of one stack.
struct Network {
    name: &'static str,
    delays_ms: &'static [u64],
    buffer: &'static str,
    loss: f64,
    /// The law of quinn that the model follows there, if not all.
    only: Option<&'static str>,
}

const NETWORKS: &[Network] = &[
    Network {
        name: "alone, 40 ms, half a bandwidth-delay product",
        delays_ms: &[18],
        buffer: "0.5 BDP",
        loss: 0.0,
        only: None,
    },
    Network {
        name: "alone, 200 ms, a bandwidth-delay product",
        delays_ms: &[98],
        buffer: "1 BDP",
        loss: 0.0,
        only: None,
    },
    Network {
        name: "alone, 40 ms, every hundredth packet lost",
        delays_ms: &[18],
        buffer: "1 BDP",
        loss: 0.01,
        only: Some("cubic"),
    },
    Network { name: "four of 20 to 80 ms", delays_ms: &[8, 18, 28, 38], buffer: "1 BDP", loss: 0.0, only: None },
];

/// Goodput and mean queue of data without end, and the time of 1 MB.
fn through(law: (&str, &str), network: &Network) -> Finding {
    let groups: Vec<_> =
        network.delays_ms.iter().map(|delay| json!({ "access_delay": format!("{delay} ms") })).collect();
    let scenario = |stack: &Json, traffic: Json, loss: f64| {
        json!({
            "schema_version": 1, "duration": "40 s", "framing": "packet", "stack": stack, "traffic": traffic,
            "port": { "buffer": network.buffer }, "connections": groups, "loss": { "kind": "random", "probability": loss },
            "topology": { "kind": "n-source", "sources": network.delays_ms.len(), "access": { "rate": "1 Gbit/s", "delay": "1 ms" },
                          "bottleneck": { "rate": "10 Mbit/s", "delay": "1 ms" } },
        })
    };
    let measured = |stack: &Json| -> Result<[f64; 3], String> {
        let endless = record(&scenario(stack, json!("infinite"), network.loss))?;
        let file = record(&scenario(stack, json!({ "kind": "finite", "size": "1 MB" }), 0.0))?;
        let last = file.flows.iter().map(|flow| flow.finished_s).collect::<Option<Vec<_>>>();
        let last = last.ok_or("a file was not delivered")?.into_iter().fold(0.0, f64::max);
        let goodput: f64 = endless.flows.iter().map(|flow| flow.goodput_bps).sum();
        Ok([goodput / 1e6, endless.ports[0].mean_queue_cells, last])
    };
    let [quinn, model] = settings(law);
    let (theirs, ours) = (measured(&quinn)?, measured(&model)?);
    let near = |place: usize, within: f64| (ours[place] / theirs[place] - 1.0).abs() <= within;
    // Where packets are lost by chance, the queue is that of rare bursts.
    let queue_counts = network.loss == 0.0;
    let holds = near(0, GOODPUT_WITHIN) && near(2, TIMES_WITHIN) && (!queue_counts || near(1, TIMES_WITHIN));
    let words = format!(
        "goodput {:.3} for {:.3} Mbit/s, mean queue {:.1} for {:.1} packets, 1 MB in {:.3} for {:.3} s",
        ours[0], theirs[0], ours[1], theirs[1], ours[2], theirs[2]
    );
    require(holds, words)
}

/// Packets that are lost, by direction (0 from the sender) and number, and the first packet of both directions that may differ.
struct Case {
    name: &'static str,
    lost: &'static [(usize, u64)],
    differ_from: Option<usize>,
}

/// The first packet that the reduced window lets go. quinn lets an acknowledgment widen the window before it looks for the losses that it
/// shows, so its reduced window is larger; RFC 9002 appendix A.7 looks for losses first.
const BY_REDUCED_WINDOW: Option<usize> = Some(49);

/// The first acknowledgment by a client of Handshake packets that came without the Initial packet before them.
const BY_LOST_HELLO: Option<usize> = Some(10);

/// The first packet behind the acknowledgment of a probe: it leaves within a round trip of that of quinn.
const BY_PROBE: Option<usize> = Some(75);

/// Handshake and first data take five packets there and three back.
const CASES: &[Case] = &[
    Case { name: "nothing lost", lost: &[], differ_from: None },
    Case { name: "one packet lost in slow start", lost: &[(0, 12)], differ_from: BY_REDUCED_WINDOW },
    Case { name: "a burst lost", lost: &[(0, 14), (0, 15), (0, 16), (0, 18)], differ_from: BY_REDUCED_WINDOW },
    Case {
        name: "the last packets lost, and their probe",
        lost: &[(0, 44), (0, 45), (0, 46), (0, 47)],
        differ_from: BY_PROBE,
    },
    Case { name: "acknowledgments lost", lost: &[(1, 5), (1, 6), (1, 7), (1, 9)], differ_from: None },
    Case { name: "the first flight of the server lost", lost: &[(1, 0), (1, 1), (1, 2)], differ_from: BY_LOST_HELLO },
];

const ONE_WAY: Span = Span(PICOSECONDS_PER_SECOND / 50);

/// 10 Mbit/s, on which bits of a packet take so long.
const PICOSECONDS_PER_BYTE: u64 = 800_000;

const FILE_BYTES: u64 = 50_000;

/// A packet: when it left, from which end, and its length.
type Sent = (Time, usize, u64);

/// A file of 50 kB: when it was delivered, and how far the packets of both are alike: as far as no difference is known.
fn end_by_end(law: (&str, &str), case: &Case) -> Finding {
    let [theirs, ours] = settings(law).map(|stack| carried(&stack, case));
    let ((theirs, their_end), (ours, our_end)) = (theirs?, ours?);
    // Frames differ by some bytes, and times with them.
    let is_alike = |(one, other): &(&Sent, &Sent)| {
        let (longer, shorter) = (one.2.max(other.2), one.2.min(other.2));
        one.1 == other.1 && (longer - shorter < 200) && one.0.0.abs_diff(other.0.0) < PICOSECONDS_PER_SECOND / 1000
    };
    let alike = theirs.iter().zip(&ours).take_while(is_alike).count();
    let (our_s, their_s) = (our_end.as_seconds(), their_end.as_seconds());
    let next = |sent: &[Sent]| match sent.get(alike) {
        Some((time, from, bytes)) => {
            format!("{bytes} B from {} at {:.1} ms", ["sender", "receiver"][*from], time.as_seconds() * 1e3)
        }
        None => "no packet".into(),
    };
    let differ_next = alike < theirs.len().max(ours.len());
    let words = format!(
        "delivered in {our_s:.3} for {their_s:.3} s; {alike} packets alike, then {} for {} ({} for {} in all)",
        next(&ours),
        next(&theirs),
        ours.len(),
        theirs.len()
    );
    require(case.differ_from.map_or(!differ_next, |packet| alike >= packet), words)
}

/// Carries a file from one end of a stack to the other. Returns the packets, and when all was delivered.
fn carried(settings: &Json, case: &Case) -> Result<(Vec<Sent>, Time), String> {
    let mut reader = Reader::default();
    let stack = <Chosen<dyn Stack>>::read(&parse_fragment(&toml(settings)), &mut reader);
    let stack = stack.ok_or_else(|| format!("{:?}", reader.problems))?;
    let chance = Chance { seed: 1, replication: 0 }.stream("stack");
    let mut ends = stack.build(&()).ends(chance).ok_or("no stack of its own")?;
    let (mut sent, mut numbers, mut free) = (Vec::new(), [0; 2], [Time::ZERO; 2]);
    let mut under_way: Vec<(Time, usize, Parcel)> = Vec::new();
    let mut now = Time::ZERO;
    ends.iter_mut().for_each(|end| end.begin(now));
    ends[0].offer(now, FILE_BYTES);
    while ends[1].progress().delivered < FILE_BYTES {
        for (from, end) in ends.iter_mut().enumerate() {
            while let Some(parcel) = end.transmit(now) {
                sent.push((now, from, parcel.length));
                free[from] = free[from].max(now) + Span(parcel.length * PICOSECONDS_PER_BYTE);
                if !case.lost.contains(&(from, numbers[from])) {
                    under_way.push((free[from] + ONE_WAY, 1 - from, parcel));
                }
                numbers[from] += 1;
            }
        }
        let timer = ends.iter_mut().filter_map(|end| end.expires()).min().map(|due| due.max(now));
        let arrival = under_way.iter().map(|(time, _, _)| *time).min();
        let next = timer
            .into_iter()
            .chain(arrival)
            .min()
            .ok_or_else(|| format!("nothing more happens after {now:?}: {sent:?} {settings}"))?;
        if next > Time::ZERO + Span(60 * PICOSECONDS_PER_SECOND) {
            return Err(format!("{} B delivered in a minute", ends[1].progress().delivered));
        }
        now = next;
        if let Some(first) = under_way.iter().position(|(time, _, _)| *time == now) {
            let (_, to, parcel) = under_way.remove(first);
            ends[to].receive(now, parcel);
        } else {
            for end in &mut ends {
                if end.expires().is_some_and(|due| due <= now) {
                    end.expire(now);
                }
            }
        }
    }
    Ok((sent, now))
}

/// A flat table as TOML.
fn toml(table: &Json) -> String {
    let entries = table.as_object().into_iter().flatten().map(|(key, value)| format!("{key} = {value}"));
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}
