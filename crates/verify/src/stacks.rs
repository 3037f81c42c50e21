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

/// Ratio of goodput that the model keeps to.
const GOODPUT_WITHIN: f64 = 0.02;

/// Ratio of mean queues and completion times that it keeps to.
pub const TIMES_WITHIN: f64 = 0.10;

/// A window law over both stacks.
pub struct Law {
    pub name: &'static str,
    /// Congestion control of quinn, and flavor of the model.
    pub control: &'static str,
    pub flavor: &'static str,
}

/// The window laws of quinn that draw nothing from the system's randomness, and laws of the engine over both.
pub const LAWS: &[Law] = &[
    Law { name: "new-reno", control: "new-reno", flavor: "newreno" },
    Law { name: QUINNS_CUBIC, control: "cubic", flavor: "cubic" },
    Law { name: "the engine's cubic", control: ENGINES, flavor: "cubic" },
    Law { name: "the engine's bbr", control: ENGINES, flavor: "bbr" },
    Law { name: "the engine's bbr3", control: ENGINES, flavor: "bbr3" },
];

/// The setting by which quinn uses a law of the engine.
pub const ENGINES: &str = "flavor";

/// It is that of RFC 8312: its W_est is another than that of RFC 9438, which is the model's, and decides where losses are frequent.
const QUINNS_CUBIC: &str = "cubic";

/// All checks.
pub fn checks() -> Vec<Check> {
    let mut all = Vec::new();
    for law in LAWS {
        for network in NETWORKS.iter().filter(|network| network.loss == 0.0 || law.name != QUINNS_CUBIC) {
            let name = format!("quic beside quinn, {}, {}", law.name, network.name);
            all.push(Check::new(name, Kind::Stack, move || through(law, network)));
        }
        for case in CASES.iter().filter(|_| law.control != ENGINES) {
            let name = format!("quic beside quinn, {}, packet by packet: {}", law.name, case.name);
            all.push(Check::new(name, Kind::Stack, move || end_by_end(law, case)));
        }
    }
    all
}

/// Settings of both stacks that are alike: packets of one size, and windows of receivers that never limit.
pub fn settings(law: &Law) -> [Json; 2] {
    let (control, flavor) = (law.control, law.flavor);
    let mut quinn = json!({
        "kind": "quinn", "congestion_control": control, "largest_mtu": "1200 B", "stream_window": "100 MB", "send_window": "100 MB",
    });
    let mut model = json!({
        "kind": "quic", "as": "quinn", "flavor": flavor, "codepoint": "ect-0", "stream_window": "100 MB", "connection_window": "1 GB",
    });
    if control == ENGINES {
        quinn["flavor"] = flavor.into();
        model["avoidance"] = "shares".into();
    }
    [quinn, model]
}

/// A network with connections of one stack.
struct Network {
    name: &'static str,
    delays_ms: &'static [u64],
    /// Buffer in bandwidth-delay products.
    buffer: f64,
    loss: f64,
}

const NETWORKS: &[Network] = &[
    Network { name: "alone, 40 ms, half a bandwidth-delay product", delays_ms: &[18], buffer: 0.5, loss: 0.0 },
    Network { name: "alone, 200 ms, a bandwidth-delay product", delays_ms: &[98], buffer: 1.0, loss: 0.0 },
    Network { name: "alone, 40 ms, every hundredth packet lost", delays_ms: &[18], buffer: 1.0, loss: 0.01 },
    Network { name: "four of 20 to 80 ms", delays_ms: &[8, 18, 28, 38], buffer: 1.0, loss: 0.0 },
];

/// Runs of a network, with a seed and a share of its buffer each: which of several connections loses a packet first is chance, and decides
/// when the last of them has done.
const RUNS: [(u64, f64); 4] = [(101, 0.88), (102, 0.96), (103, 1.04), (104, 1.12)];

/// Means of goodput and queue of data without end, and of the time of 1 MB.
fn through(law: &Law, network: &Network) -> Finding {
    let groups: Vec<_> =
        network.delays_ms.iter().map(|delay| json!({ "access_delay": format!("{delay} ms") })).collect();
    let scenario = |stack: &Json, traffic: Json, loss: f64, (seed, share): (u64, f64)| {
        json!({
            "schema_version": 1, "duration": "40 s", "seed": seed, "framing": "packet", "stack": stack, "traffic": traffic,
            "port": { "buffer": format!("{:.3} BDP", network.buffer * share) }, "connections": groups,
            "loss": { "kind": "random", "probability": loss },
            "topology": { "kind": "n-source", "sources": network.delays_ms.len(), "access": { "rate": "1 Gbit/s", "delay": "1 ms" },
                          "bottleneck": { "rate": "10 Mbit/s", "delay": "1 ms" } },
        })
    };
    let measured = |stack: &Json, run: (u64, f64)| -> Result<[f64; 3], String> {
        let endless = record(&scenario(stack, json!("infinite"), network.loss, run))?;
        let file = record(&scenario(stack, json!({ "kind": "finite", "size": "1 MB" }), 0.0, run))?;
        let last = file.flows.iter().map(|flow| flow.finished_s).collect::<Option<Vec<_>>>();
        let last = last.ok_or("a file was not delivered")?.into_iter().fold(0.0, f64::max);
        let goodput: f64 = endless.flows.iter().map(|flow| flow.goodput_bps).sum();
        Ok([goodput / 1e6, endless.ports[0].mean_queue_cells, last])
    };
    let means = |stack: &Json| -> Result<[f64; 3], String> {
        let runs = RUNS.iter().map(|run| measured(stack, *run)).collect::<Result<Vec<_>, _>>()?;
        Ok(std::array::from_fn(|place| mean(runs.iter().map(|run| run[place]))))
    };
    let [quinn, model] = settings(law);
    let (theirs, ours) = (means(&quinn)?, means(&model)?);
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

#[expect(clippy::cast_precision_loss, reason = "a few runs")]
pub fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Packets that are lost, by direction (0 from the sender) and number, and the first packet of both directions that may differ.
struct Case {
    name: &'static str,
    lost: &'static [(usize, u64)],
    differ_from: Option<usize>,
}

/// An acknowledgment in the round trip after a loss, which the receiver of quinn sends a packet later.
const BY_ACKNOWLEDGMENT: Option<usize> = Some(64);

/// The first acknowledgment by a client of Handshake packets that came without the Initial packet before them.
const BY_LOST_HELLO: Option<usize> = Some(10);

/// The first packet behind the acknowledgment of a probe: it leaves within a round trip of that of quinn.
const BY_PROBE: Option<usize> = Some(75);

/// Handshake and first data take five packets there and three back.
const CASES: &[Case] = &[
    Case { name: "nothing lost", lost: &[], differ_from: None },
    Case { name: "one packet lost in slow start", lost: &[(0, 12)], differ_from: BY_ACKNOWLEDGMENT },
    Case { name: "a burst lost", lost: &[(0, 14), (0, 15), (0, 16), (0, 18)], differ_from: BY_ACKNOWLEDGMENT },
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
fn end_by_end(law: &Law, case: &Case) -> Finding {
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
