//! Random networks: every registered framing and policy and every knob, drawn from the declarations.

use longfat_engine::background::BACKGROUNDS;
use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::framing::{FRAMINGS, Framing, Unit};
use longfat_engine::loss::LOSS_MODELS;
use longfat_engine::registry::Chosen;
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::PortConfig;
use longfat_engine::switch::service::SERVICES;
use proptest::prelude::*;

use super::random_tcp::{any_flavor, any_tcp};
use super::random_traffic::{
    any_asking_traffic, any_endless_traffic, any_http_traffic, any_limited_traffic, any_www_traffic,
};
use crate::support::declared::any_table;

/// A scenario with its text, which failures print: it can be pasted into a file and run.
#[derive(Clone)]
pub struct RandomNetwork {
    pub text: String,
    pub scenario: Scenario,
}

impl std::fmt::Debug for RandomNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}", self.text)
    }
}

/// Any valid network that simulates in milliseconds.
pub fn any_network() -> impl Strategy<Value = RandomNetwork> {
    let traffic = prop_oneof![3 => any_endless_traffic(), 2 => any_limited_traffic(), 1 => any_asking_traffic()];
    any_network_with(traffic, any_groups_with_traffic())
}

/// Any network with split connections and proxies with buffers of one to many segments.
pub fn any_split_network() -> impl Strategy<Value = RandomNetwork> {
    split(any_network())
}

/// Any of the networks with proxies, if all of its connections pass them.
pub fn split(networks: impl Strategy<Value = RandomNetwork>) -> impl Strategy<Value = RandomNetwork> {
    let leg = (prop::option::of(any_flavor()), prop::option::of(1_u64..100_000), 1_u64..60_000);
    (networks, leg).prop_filter_map("some parts do not fit together", |(network, (flavor, window, buffer))| {
        let flavor = flavor.map_or(String::new(), |flavor| format!("flavor = {flavor}, "));
        let window = window.map_or(String::new(), |window| format!("receiver_window = \"{window} B\", "));
        let tcp = format!("{{ {flavor}{window}}}").replace(", }", " }");
        let text =
            format!("{}proxies = {{ kind = \"split-tcp\", buffer = \"{buffer} B\", tcp = {tcp} }}\n", network.text);
        parse(&text).map(|scenario| RandomNetwork { text, scenario })
    })
}

/// Any of the networks with its connections in two blocks: each with end systems of its own and a stop or not, and the second after the
/// first or not.
pub fn in_blocks(networks: impl Strategy<Value = RandomNetwork>) -> impl Strategy<Value = RandomNetwork> {
    let traffic = prop_oneof![1 => any_endless_traffic(), 3 => any_limited_traffic()];
    let block = || (prop::option::of(any_tcp(1..3_700)), 1_u64..300, any::<bool>());
    (networks, block(), block(), prop::option::of(traffic)).prop_filter_map(
        "some parts do not fit together",
        |(network, first, second, traffic)| {
            let senders = network.scenario.graph().senders();
            let asks = network.scenario.has_requests(senders);
            let settings = |(tcp, stop, stops): &(Option<String>, u64, bool)| {
                let tcp = tcp.as_ref().map_or(String::new(), |tcp| format!(", tcp = {tcp}"));
                let stop = if *stops { format!(", stop = \"{stop} ms\"") } else { String::new() };
                tcp + &stop
            };
            let mut own = settings(&first);
            let mut blocks = Vec::new();
            if let Some(traffic) = traffic.filter(|_| !asks) {
                own += &format!(", traffic = {traffic}");
            }
            blocks.push(format!("{{ count = 1, name = \"first\"{own} }}"));
            if senders > 1 {
                let after = if first.2 && !asks { ", after = \"first\"" } else { "" };
                blocks.push(format!("{{ count = {}{after}{} }}", senders - 1, settings(&second)));
            }
            let blocks = format!("connections = [{}]", blocks.join(", "));
            let lines =
                network.text.lines().map(|line| if line.starts_with("connections = ") { &blocks } else { line });
            let text = lines.fold(String::new(), |text, line| text + line + "\n");
            parse(&text).map(|scenario| RandomNetwork { text, scenario })
        },
    )
}

/// Any network of clients and servers.
pub fn any_www_network() -> impl Strategy<Value = RandomNetwork> {
    any_network_with(any_www_traffic(), any_groups())
}

/// Any network of clients that load pages.
pub fn any_http_network() -> impl Strategy<Value = RandomNetwork> {
    any_network_with(any_http_traffic(), any_groups())
}

/// Any network with unlimited sources.
pub fn any_endless_network() -> impl Strategy<Value = RandomNetwork> {
    any_network_with(any_endless_traffic(), any_groups())
}

/// Any network that the fast driver supports: losses in the buffer alone; cells in slots, on access lines at least as fast as the
/// bottleneck, or whole packets.
pub fn any_network_for_the_fast_driver() -> impl Strategy<Value = RandomNetwork> {
    let port = prop_oneof![
        3 => any_framing_and_port_in_slots(),
        2 => any_framing_and_policy_of(Unit::Packet),
        1 => any_framing_and_tail_drop_queue(),
        2 => (any_framing_of(Unit::Packet), any_port_with_discipline()).boxed(),
    ];
    let delays = (0_u64..300, 0_u64..3_000);
    let backs = (any_rate_back(), any_delay_back(), any_delay_back());
    let topology = (1_u64..9, any_rates_for_the_fast_driver(), delays, any::<bool>(), backs);
    let traffic = prop_oneof![4 => any_endless_traffic(), 2 => any_limited_traffic(), 1 => any_asking_traffic()];
    let run = (10_u64..400, 0_u64..1000, any_vbr(), any_groups_with_traffic());
    (topology, port, any_tcp(1..9_300), traffic, run).prop_filter_map(
        "some parts do not fit together",
        |((sources, (fast, slow), (near, far), has_fast_access, backs), (framing, port), tcp, traffic, run)| {
            let (milliseconds, seed, vbr, groups) = run;
            let (back, delay_back, access_delay_back) = backs;
            let in_cells = unit_of(&framing) == Unit::Cell;
            // With cells, acknowledgments queue where lines of different delays follow the common one.
            if in_cells && groups.contains("access_delay") {
                return None;
            }
            // Nor may they find a faster line behind a slower one there.
            let back = if in_cells { "as-there".to_owned() } else { back };
            let (access, bottleneck) = if in_cells || has_fast_access { (fast, slow) } else { (slow, fast) };
            let vbr = if port.contains("\"fifo\"") { String::new() } else { vbr.join(", ") };
            let text = format!(
                "schema_version = 1\nduration = \"{milliseconds} ms\"\nseed = {seed}\n\
                 topology = {{ kind = \"n-source\", sources = {sources}, access = {{ rate = \"{access} bit/s\", \
                 delay = \"{near} us\", delay_back = \"{access_delay_back}\" }}, bottleneck = {{ rate = \"{bottleneck} bit/s\", \
                 rate_back = \"{back}\", delay = \"{far} us\", delay_back = \"{delay_back}\" }} }}\n\
                 framing = {framing}\nport = {port}\ntcp = {tcp}\nconnections = {groups}\ntraffic = {traffic}\nbackground = [{vbr}]\n"
            );
            parse(&text).map(|scenario| RandomNetwork { text, scenario })
        },
    )
}

/// Packets that travel whole, and the queue discipline that decides about each when it arrives.
fn any_framing_and_tail_drop_queue() -> BoxedStrategy<(String, String)> {
    let buffer = prop_oneof![
        (1_u64..60).prop_map(|packets| format!("{packets} packets")),
        (10_u64..200).prop_map(|kilobytes| format!("{kilobytes} kB")),
        Just("unlimited".to_owned()),
    ];
    // A scheduler that is "fifo" has no queue for VBR.
    let port = |buffer| format!("{{ buffer = \"{buffer}\", queue = \"tail-drop\", scheduler = \"fifo\" }}");
    (any_framing_of(Unit::Packet), buffer.prop_map(port)).boxed()
}

/// Cells, with a port that admits them by slots.
fn any_framing_and_port_in_slots() -> BoxedStrategy<(String, String)> {
    let aal5 = FRAMINGS.iter().find(|entry| entry.name == "aal5").expect("it is registered");
    let framing = any_table(Some(aal5.name), &(aal5.parameters)(), &["clock"]);
    let order = prop::sample::select(vec!["by-framing", "seeded-random", "rotating", "alternating", "fixed"]);
    let port = (any_port_with(Unit::Cell, &["buffer", "queue", "service", "arrival_order"], false), order)
        .prop_map(|(port, order)| port.replacen('{', &format!("{{ arrival_order = \"{order}\","), 1));
    (framing, port).boxed()
}

/// Rates of the access lines and the bottleneck: equal, nearly equal, or a multiple.
fn any_rates_for_the_fast_driver() -> impl Strategy<Value = (u64, u64)> {
    // A cell takes 10 us at 42.4 Mbit/s and 4 us at 106: many events are simultaneous.
    let rate =
        || prop_oneof![2 => 1_000_000_u64..160_000_000, 1 => prop::sample::select(vec![42_400_000, 106_000_000])];
    prop_oneof![
        2 => rate().prop_map(|rate| (rate, rate)),
        1 => (rate(), 1_u64..2_000_000).prop_map(|(rate, more)| (rate + more, rate)),
        2 => (rate(), 101_u64..500).prop_map(|(rate, percent)| (rate * percent / 100, rate)),
        1 => (rate(), 2_u64..5).prop_map(|(rate, times)| (rate * times, rate)),
    ]
}

/// Rate of the line back: nearly always that of the line there.
pub fn any_rate_back() -> impl Strategy<Value = String> + Clone {
    prop_oneof![3 => Just("as-there".to_owned()), 1 => (100_000_u64..40_000_000).prop_map(|rate| format!("{rate} bit/s"))]
}

/// Delay of the line back: mostly that of the line there.
pub fn any_delay_back() -> impl Strategy<Value = String> + Clone {
    prop_oneof![2 => Just("as-there".to_owned()), 1 => (0_u64..4_000).prop_map(|delay| format!("{delay} us"))]
}

fn any_network_with(
    traffic: impl Strategy<Value = String>,
    groups: impl Strategy<Value = String>,
) -> impl Strategy<Value = RandomNetwork> {
    let run = (10_u64..300, 0_u64..1000, any_backgrounds(), any_vbr(), groups);
    let text = (any_topology(), any_framing_and_port(), any_tcp(1..3_700), traffic, any_loss(), any_loss(), run);
    text.prop_filter_map(
        "some parts do not fit together: a threshold below the buffer, a segment in a frame",
        |parts| {
            let (topology, (framing, port), tcp, traffic, loss, acknowledgment_loss, run) = parts;
            let (milliseconds, seed, mut background, vbr, groups) = run;
            // VBR needs a queue of its own.
            if !port.contains("\"fifo\"") {
                background.extend(vbr);
            }
            let background = background.join(", ");
            let text = format!(
                "schema_version = 1\nduration = \"{milliseconds} ms\"\nseed = {seed}\ntopology = {topology}\n\
             framing = {framing}\nport = {port}\ntcp = {tcp}\nconnections = {groups}\ntraffic = {traffic}\n\
             loss = {loss}\nacknowledgment_loss = {acknowledgment_loss}\nbackground = [{background}]\n"
            );
            parse(&text).map(|scenario| RandomNetwork { text, scenario })
        },
    )
}

/// A random scenario; `None` if its values exclude each other.
pub fn parse(text: &str) -> Option<Scenario> {
    let known = [
        "port.policy.threshold",
        "port.queue.minimum",
        "port.queue.maximum",
        "port.queue.ramp_begin",
        "port.policy.low",
        "port.policy.high",
        "port.policy.kind: goes by minimum cell rates",
        "port.service.minimum_cell_rate: together",
        "does not fit a packet",
        "never come",
        "tcp.out_of_order",
        "tcp.sack_blocks",
        "needs a window scale of",
        "cannot hold one segment",
        "cannot hold one packet",
        "shorter than a cell",
        "nothing is left",
        "keeps its promises at one managed port",
        "acknowledgments cross the bottleneck too",
        "the receiving ends make requests",
        "whose datagrams have no end",
        "sends more than a proxy has room for",
        "proxies split these",
        "proxies stand at the switches",
        "proxies.udp: ",
        "is above most_increase",
        "is above most_decrease",
        "is above short_delay",
        "is above long_delay",
        "a carrier that terminals share is always there",
        "none of these connections' packets cross the bottleneck",
        "ends slow start by a rule of its own",
        "goes by delivery rates and not by its window",
    ];
    match Scenario::parse(text.as_bytes(), "random.toml", &[]) {
        Ok(scenario) => Some(scenario),
        Err(problems) => {
            let wrong = problems.iter().find(|problem| !known.iter().any(|words| problem.contains(words)));
            assert!(wrong.is_none(), "the generator writes invalid scenarios: {wrong:?}\n{text}");
            None
        }
    }
}

fn any_topology() -> impl Strategy<Value = String> {
    // Equal rates, with at most one cell of a circuit per slot, and unequal ones, with possibly several.
    let rates = prop_oneof![
        (1_u64..160).prop_map(|mbits| (mbits * 1_000_000, mbits * 1_000_000)),
        (1_000_u64..160_000, 1_000_u64..80_000).prop_map(|(access, bottleneck)| (access * 1_000, bottleneck * 1_000)),
        (100_000_001_u64..155_520_000, 997_u64..2_000_003),
    ];
    let back = (any_rate_back(), any_rate_back(), any_delay_back(), any_delay_back());
    (1_u64..7, rates, back, 0_u64..3_000, 0_u64..5_000).prop_map(
        |(sources, (access, bottleneck), (access_back, back, near_back, far_back), near, far)| {
            format!(
                "{{ kind = \"n-source\", sources = {sources}, access = {{ rate = \"{access} bit/s\", rate_back = \"{access_back}\", \
                 delay = \"{near} us\", delay_back = \"{near_back}\" }}, bottleneck = {{ rate = \"{bottleneck} bit/s\", \
                 rate_back = \"{back}\", delay = \"{far} us\", delay_back = \"{far_back}\" }} }}"
            )
        },
    )
}

/// A framing, and a port with a buffer in its unit.
pub fn any_framing_and_port() -> impl Strategy<Value = (String, String)> {
    prop_oneof![1 => any_framing_and_port_of(Unit::Cell), 2 => any_framing_and_port_of(Unit::Packet)]
}

/// [`any_framing_and_port`], with that unit.
fn any_framing_and_port_of(unit: Unit) -> BoxedStrategy<(String, String)> {
    (any_framing_of(unit), any_port(unit)).boxed()
}

/// [`any_framing_and_port_of`], with a policy that admits packets to the buffer.
fn any_framing_and_policy_of(unit: Unit) -> BoxedStrategy<(String, String)> {
    (any_framing_of(unit), any_port_with_policy(unit)).boxed()
}

fn any_framing_of(unit: Unit) -> BoxedStrategy<String> {
    let tables = FRAMINGS.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    let framing = prop::strategy::Union::new(tables.collect::<Vec<_>>());
    framing.prop_filter("of the other unit", move |framing| unit_of(framing) == unit).boxed()
}

pub fn unit_of(framing: &str) -> Unit {
    let chosen = Chosen::<dyn Framing>::read(&parse_fragment(framing), &mut Reader::default());
    chosen.expect("drawn from its declaration").build(&()).unit()
}

fn any_port(unit: Unit) -> BoxedStrategy<String> {
    let with_policy = any_port_with_policy(unit);
    match unit {
        Unit::Cell => with_policy,
        Unit::Packet => prop_oneof![with_policy, any_port_with_discipline()].boxed(),
    }
}

/// A port of packets with any queue discipline, which replaces the policy.
fn any_port_with_discipline() -> impl Strategy<Value = String> + use<> {
    let left_out = ["buffer", "arrival_order", "scheduler", "service", "policy", "counts_cell_in_service"];
    any_port_with(Unit::Packet, &left_out, true)
}

fn any_port_with_policy(unit: Unit) -> BoxedStrategy<String> {
    let left_out: &[&str] = match unit {
        Unit::Cell => &["buffer", "queue", "service"],
        // Whole packets have no slots.
        Unit::Packet => &["buffer", "queue", "service", "arrival_order", "scheduler"],
    };
    any_port_with(unit, left_out, true).boxed()
}

/// A port without the knobs `left_out`, which the caller adds; it may have promised rates.
fn any_port_with(unit: Unit, left_out: &[&str], may_promise: bool) -> impl Strategy<Value = String> + use<> {
    let sizes = match unit {
        Unit::Cell => [80_u64..260, 201..4_000],
        Unit::Packet => [1..20, 10..400],
    };
    let [small, large] = sizes.map(|sizes| sizes.prop_map(move |size| format!("{size} {}", unit.plural())));
    let buffer = prop_oneof![small, large, Just("unlimited".to_owned())];
    let knobs = any_table(None, &PortConfig::fields(), left_out);
    (buffer, knobs, any_promise()).prop_map(move |(buffer, knobs, promise)| {
        let knobs = knobs.trim_start_matches('{');
        // Omitted parameters have their defaults.
        let scheduler = if unit == Unit::Packet { " scheduler = \"fifo\"," } else { "" };
        // Some policies use minimum cell rates, which only cells have.
        let goes_by_rates = |policy: &str| knobs.contains(&format!("kind = {policy:?}"));
        let needs_promise =
            ["double-threshold", "per-vc-double-threshold", "weighted-fba", "dfba"].into_iter().any(goes_by_rates);
        let service = match unit {
            Unit::Cell if may_promise && (needs_promise || promise.0) => format!(" service = {},", promise.1),
            _ => String::new(),
        };
        format!("{{ buffer = \"{buffer}\",{scheduler}{service}{knobs}")
    })
}

/// Whether rates are promised, and the rate: at most a sixth of the slowest line.
fn any_promise() -> impl Strategy<Value = (bool, String)> {
    let gfr = SERVICES.iter().find(|entry| entry.name == "gfr").expect("it is registered");
    let knobs = any_table(Some(gfr.name), &(gfr.parameters)(), &["minimum_cell_rate"]);
    (prop::bool::weighted(0.2), knobs, 1_u64..160).prop_map(|(is_promised, knobs, rate)| {
        (is_promised, knobs.replace(" }", &format!(", minimum_cell_rate = \"{rate} bit/s\" }}")))
    })
}

/// Traffic sources: the common one, and those of groups.
pub fn kinds_of_traffic(scenario: &Scenario) -> impl Iterator<Item = &'static str> {
    let of_groups = scenario.connections.iter().filter_map(|group| group.traffic.as_ref());
    std::iter::once(&scenario.traffic).chain(of_groups).map(|traffic| traffic.name())
}

/// True if all sources are unlimited.
pub fn is_endless(scenario: &Scenario) -> bool {
    kinds_of_traffic(scenario).all(|kind| kind == "infinite")
}

/// Mostly no group, otherwise a different first connection, at a different distance or not.
fn any_groups() -> impl Strategy<Value = String> {
    let one = (any_flavor(), prop::option::of(1_u64..3_000), 1_u64..50).prop_map(|(flavor, delay, later)| {
        let delay = delay.map_or(String::new(), |delay| format!("access_delay = \"{delay} us\", "));
        format!("[{{ count = 1, flavor = {flavor}, {delay}later = \"{later} ms\" }}]")
    });
    prop_oneof![2 => Just("[]".to_owned()), 1 => one]
}

/// [`any_groups`], sometimes with a different application of the first connection.
fn any_groups_with_traffic() -> impl Strategy<Value = String> {
    let traffic = prop_oneof![1 => any_endless_traffic(), 2 => any_limited_traffic()];
    (any_groups(), prop::option::of(traffic)).prop_map(|(groups, traffic)| match traffic {
        Some(traffic) => groups.replace(" }]", &format!(", traffic = {traffic} }}]")),
        None => groups,
    })
}

/// Background traffic in the buffer of UBR; mostly none.
pub fn any_backgrounds() -> impl Strategy<Value = Vec<String>> {
    let of_ubr = BACKGROUNDS.iter().filter(|entry| entry.name != "vbr-on-off");
    let tables = of_ubr.map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &["size"]));
    let model = prop::strategy::Union::new(tables.collect::<Vec<_>>());
    let sized = (model, 1_u64..500).prop_map(|(model, size)| model.replace(" }", &format!(", size = \"{size} B\" }}")));
    prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(sized, 1..3)]
}

/// Background traffic with a queue of its own: bursts of at least a cell on the slowest line (997 bit/s).
pub fn any_vbr() -> impl Strategy<Value = Vec<String>> {
    let milliseconds = prop_oneof![Just((430, 1)), (1_u64..40, 0_u64..40)];
    let model = (milliseconds, any::<bool>(), 0_u64..1000).prop_map(|((on, off), starts_on, phase)| {
        let starts = if starts_on { "on" } else { "off" };
        let phase = phase * (on + off) / 1000;
        format!(
            "{{ kind = \"vbr-on-off\", on = \"{on} ms\", off = \"{off} ms\", starts = \"{starts}\", phase = \"{phase} ms\" }}"
        )
    });
    prop::collection::vec(model, 0..3)
}

/// Losses; none with probability one half.
pub fn any_loss() -> impl Strategy<Value = String> {
    let drops = prop::collection::btree_set(1_u64..40, 0..4).prop_map(|numbers| {
        let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
        format!("{{ kind = \"list\", drops = [{}] }}", numbers.join(", "))
    });
    let tables = LOSS_MODELS.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    let models = prop::strategy::Union::new(tables.collect::<Vec<_>>());
    prop_oneof![4 => Just("\"none\"".to_owned()), 1 => drops, 3 => models]
}
