//! Random graphs: switches in a tree with an optional extra link, hosts, connections between any two of them, and anything on any line.

use std::collections::BTreeSet;

use longfat_engine::framing::Unit;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;

use super::random_networks::{
    RandomNetwork, any_backgrounds, any_delay_back, any_framing_and_port, any_loss, any_rate_back, any_vbr, parse,
    unit_of,
};
use super::random_tcp::{any_flavor, any_tcp};
use super::random_traffic::{any_asking_traffic, any_endless_traffic, any_limited_traffic};

/// Any valid graph that simulates in milliseconds.
pub fn any_graph() -> impl Strategy<Value = RandomNetwork> {
    let picked: Placing = |drawn, names| drawn.iter().map(|line| (line.which.get(names), line)).collect();
    any_graph_with(prop::collection::vec(any_line(), 0..6), picked)
}

/// Any valid graph with a path, losses, jitter, reordering and, where there may be any, capacity on demand and a port on each of its lines.
pub fn any_graph_with_everything() -> impl Strategy<Value = RandomNetwork> {
    let on_each: Placing = |drawn, names| names.iter().zip(drawn).collect();
    any_graph_with(prop::collection::vec(any_line_with_everything(), MOST_LINES), on_each)
}

/// Lines of the largest graph: both directions of 5 links between switches and of 5 to hosts.
const MOST_LINES: usize = 20;

/// Which line gets which settings.
type Placing = for<'a> fn(&'a [AnyLine], &'a [String]) -> Vec<(&'a String, &'a AnyLine)>;

fn any_graph_with(lines: impl Strategy<Value = Vec<AnyLine>>, place: Placing) -> impl Strategy<Value = RandomNetwork> {
    let traffic = prop_oneof![3 => any_endless_traffic(), 2 => any_limited_traffic(), 1 => any_asking_traffic()];
    let terminal = prop::option::weighted(0.3, any_path());
    let run = (10_u64..200, 0_u64..1000, any_backgrounds(), any_vbr(), lines, (terminal, any_return_links()));
    let text = (any_topology(), any_framing_and_port(), any_tcp(1..3_700), traffic, any_loss(), any_loss(), run);
    text.prop_filter_map("some parts do not fit together", move |parts| {
        let ((topology, connections, names), (framing, port), tcp, traffic, loss, acknowledgment_loss, run) = parts;
        let (milliseconds, seed, mut background, vbr, lines, (terminal, return_links)) = run;
        if !port.contains("\"fifo\"") {
            background.extend(vbr);
        }
        let background = background.join(", ");
        let (ports, lines) = laid_out(&place(&lines, &names), unit_of(&framing));
        let with = |connections: &str| {
            let text = format!(
                "schema_version = 1\nduration = \"{milliseconds} ms\"\nseed = {seed}\ntopology = {topology}\n\
                 framing = {framing}\nport = {port}\ntcp = {tcp}\nconnections = {connections}\ntraffic = {traffic}\n\
                 loss = {loss}\nacknowledgment_loss = {acknowledgment_loss}\nbackground = [{background}]\n\
                 lines = [{lines}]\nports = [{ports}]\nreturn_links = [{return_links}]\n"
            );
            parse(&text).map(|scenario| RandomNetwork { text, scenario })
        };
        // Only packets that cross a bottleneck without capacity on demand may have a path of their own.
        let terminal = terminal.filter(|_| unit_of(&framing) == Unit::Packet);
        let of_terminal = terminal.and_then(|path| with(&connections.replacen('{', &format!("{{ path = {path},"), 1)));
        of_terminal.or_else(|| with(&connections))
    })
}

/// Settings that a line may have of its own.
#[derive(Clone, Debug)]
struct AnyLine {
    which: prop::sample::Index,
    path: Option<String>,
    loss: Option<String>,
    capacity: Option<String>,
    /// Jitter, order and reordering.
    holding: Option<(String, &'static str, String)>,
    /// Units in the buffer of its port.
    buffer: Option<u64>,
}

fn any_line() -> impl Strategy<Value = AnyLine> {
    let capacity = prop_oneof![3 => any_capacity(), 1 => Just("\"permanent\"".to_owned())];
    let parts = (
        any::<prop::sample::Index>(),
        prop::option::of(any_path()),
        prop::option::of(any_loss()),
        prop::option::of(capacity),
        prop::option::of((any_delay(), prop::sample::select(vec!["fifo", "free"]), any_reordering())),
        prop::option::weighted(0.3, 300_u64..600),
    );
    parts.prop_map(|(which, path, loss, capacity, holding, buffer)| AnyLine {
        which,
        path,
        loss,
        capacity,
        holding,
        buffer,
    })
}

fn any_line_with_everything() -> impl Strategy<Value = AnyLine> {
    let order = prop::sample::select(vec!["fifo", "free"]);
    let holding = (any_delay(), order, any_reordering());
    let parts = (any::<prop::sample::Index>(), any_path(), any_loss(), any_capacity(), holding, 300_u64..600);
    parts.prop_map(|(which, path, loss, capacity, holding, buffer)| AnyLine {
        which,
        path: Some(path),
        loss: Some(loss),
        capacity: Some(capacity),
        holding: Some(holding),
        buffer: Some(buffer),
    })
}

/// A distribution of spans of some milliseconds.
fn any_delay() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("0 s".to_owned()),
        (1_u64..5_000).prop_map(|fixed| format!("{fixed} us")),
        (0_u64..2_000, 0_u64..5_000).prop_map(|(low, more)| format!("uniform({low} us, {} us)", low + more)),
        (1_u64..3_000).prop_map(|mean| format!("exponential({mean} us)")),
        (0_u64..5_000, 0_u64..2_000).prop_map(|(mean, deviation)| format!("normal({mean} us, {deviation} us)")),
        (1_u64..1_000, 0.5..5.0).prop_map(|(smallest, shape)| format!("pareto({smallest} us, {shape:.2})")),
        prop::collection::vec(0_u64..4_000, 1..6).prop_map(|spans| {
            format!("measured({})", spans.iter().map(|span| format!("{span} us")).collect::<Vec<_>>().join(", "))
        }),
    ]
}

/// Any kind of reordering, with spans of some milliseconds.
fn any_reordering() -> impl Strategy<Value = String> {
    let random = (0.0..1.0, any_delay(), 0.0..1.0).prop_map(|(share, extra, correlation)| {
        format!("{{ kind = \"random\", share = {share:.3}, extra = \"{extra}\", correlation = {correlation:.3} }}")
    });
    let choice = prop::sample::select(vec!["round-robin", "random", "by-flow"]);
    let lanes = (prop::collection::vec(0_u64..4_000, 1..5), choice).prop_map(|(delays, choice)| {
        let delays: Vec<_> = delays.iter().map(|delay| format!("\"{delay} us\"")).collect();
        format!("{{ kind = \"lanes\", delays = [{}], choice = \"{choice}\" }}", delays.join(", "))
    });
    let netem = (any_delay(), 0.0..1.0, 0.0..1.0, 1_u64..6).prop_map(|(delay, share, correlation, gap)| {
        format!(
            "{{ kind = \"netem\", delay = \"{delay}\", share = {share:.3}, correlation = {correlation:.3}, gap = {gap} }}"
        )
    });
    prop_oneof![Just("\"none\"".to_owned()), random, lanes, netem]
}

/// Frames of some milliseconds: runs are short.
fn any_capacity() -> impl Strategy<Value = String> {
    let on_demand = (1_u64..20, 1_u64..30, 0.0..1.0).prop_map(|(frame, response, share)| {
        format!("{{ kind = \"on-demand\", frame = \"{frame} ms\", response = \"{response} ms\", constant_share = {share:?} }}")
    });
    let volume = prop::sample::select(vec!["none", "vbdc", "a-vbdc"]);
    let rates = prop_oneof![Just(0_u64), 1_u64..5_000];
    let more = (1_u64..4, 1_u64..4, any::<bool>());
    let shared = (1_u64..3, 0_u64..20, rates, 1_u64..5, volume, 100_u64..9_000, more).prop_map(
        |(link, constant, rate, frames, volume, volume_rate, (weight, class, fca))| {
            format!(
                "{{ kind = \"shared\", link = \"return {link}\", cra = \"{constant} kbit/s\", rbdc_max = \"{rate} kbit/s\", rbdc_frames = {frames}, \
                 volume = \"{volume}\", vbdc_max = \"{volume_rate} kbit/s\", weight = {weight}, class = {class}, fca = {fca} }}"
            )
        },
    );
    prop_oneof![2 => on_demand, 3 => shared]
}

/// Two return links, with room for the constant rates of all lines.
fn any_return_links() -> impl Strategy<Value = String> {
    let scheduler = prop::sample::select(vec!["proportional", "weighted-fair", "priority"]);
    let access = prop_oneof![
        3 => Just("\"dedicated\"".to_owned()),
        1 => (1_u64..20, 1_u64..9)
            .prop_map(|(slots, frames)| format!("{{ kind = \"slotted-aloha\", slots = {slots}, backoff_frames = {frames} }}")),
        1 => (2_u64..20, 1_u64..3, 1_u64..9).prop_map(|(slots, replicas, frames)| {
            format!("{{ kind = \"crdsa\", slots = {slots}, replicas = {replicas}, backoff_frames = {frames} }}")
        }),
    ];
    // Slots of at most 88 kbit/s, which the slowest line has.
    let slot = prop_oneof![Just(0_u64), 1_u64..12];
    let log_on = prop::bool::weighted(0.2);
    let link = (11_000_u64..40_000, 1_u64..20, 1_u64..30, slot, scheduler, any::<bool>(), access, log_on).prop_map(
        |(rate, frame, response, slot, scheduler, fca, access, log_on)| {
            let slot = slot * frame;
            format!(
                "rate = \"{rate} kbit/s\", frame = \"{frame} ms\", response = \"{response} ms\", slot_bytes = {slot}, \
                 scheduler = \"{scheduler}\", fca = {fca}, access = {access}, log_on = {log_on}"
            )
        },
    );
    [link.clone(), link]
        .prop_map(|[first, second]| format!("{{ name = \"return 1\", {first} }}, {{ name = \"return 2\", {second} }}"))
}

/// Any kind of path, with changes within some milliseconds.
pub fn any_path() -> impl Strategy<Value = String> {
    let rate = prop_oneof![1 => Just(0), 4 => 300_000_u64..100_000_000];
    let row = (1_u64..40, rate, 0_u64..4_000, 0_u64..2_000, 0.0..0.2);
    let schedule = prop::collection::vec(row, 1..5).prop_map(|rows| {
        let mut time = 0;
        let row = |(after, rate, delay, jitter, loss): &(u64, u64, u64, u64, f64)| {
            time += after;
            format!("{time}e-3,{rate},{delay}e-6,{jitter}e-6,{loss}")
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        format!("{{ kind = \"schedule\", steps = \"time_s,rate_bps,delay_s,jitter_s,loss\\n{}\" }}", rows.join("\\n"))
    });
    let leo = (5_u64..40, 0_u64..5, 0.0..0.1, 0.1..1.0).prop_map(|(interval, gap, loss, share)| {
        format!(
            "{{ kind = \"leo\", interval = \"{interval} ms\", delay = \"uniform(1 ms, 4 ms)\", gap = \"{gap} ms\", loss = {loss}, \
             jitter = \"1 ms\", least_rate_share = {share} }}"
        )
    });
    let fade = (0_u64..60, 1_u64..60, 0.01..1.0, 0.0..0.3).prop_map(|(begin, lasting, share, loss)| {
        format!("{{ kind = \"geo-fade\", begin = \"{begin} ms\", lasting = \"{lasting} ms\", rate_share = {share}, loss = {loss} }}")
    });
    let rain = (0_u64..40, 1_u64..40, 2_u64..20, 0_u64..10).prop_map(|(begin, rise, depth, reaction)| {
        format!(
            "{{ kind = \"rain\", begin = \"{begin} ms\", rise = \"{rise} ms\", lasting = \"10 ms\", depth = \"{depth} dB\", \
             reaction = \"{reaction} ms\" }}"
        )
    });
    let series = (0_u64..20, 1_u64..5, 1_u64..40, 0_u64..10).prop_map(|(level, interval, correlation, reaction)| {
        format!(
            "{{ kind = \"rain-series\", at_start = \"{level} dB\", interval = \"{interval} ms\", correlation = \"{correlation} ms\", \
             reaction = \"{reaction} ms\" }}"
        )
    });
    let attenuation = prop::collection::vec(0.0..25.0, 1..8).prop_map(|levels| {
        let rows: Vec<_> = levels.iter().enumerate().map(|(row, level)| format!("{}e-3,{level:.2}", 7 * row)).collect();
        format!("{{ kind = \"attenuation\", steps = \"time_s,attenuation_db\\n{}\" }}", rows.join("\\n"))
    });
    let constant = Just("\"fixed\"".to_owned());
    prop_oneof![3 => schedule, 2 => leo, 2 => fade, 2 => rain, 2 => series, 1 => attenuation, 1 => constant]
}

/// Entries of `ports` and of `lines`. Cells have no paths, no capacity on demand and keep their order, and hosts have no ports.
fn laid_out(placed: &[(&String, &AnyLine)], unit: Unit) -> (String, String) {
    let (mut ports, mut lines, mut used) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (at, AnyLine { path, loss, capacity, holding, buffer, .. }) in placed {
        if !used.insert(at) {
            continue;
        }
        let is_of_host = at.starts_with('h');
        let mut own = format!("at = \"{at}\"");
        let kinds = [
            ("path", path.as_ref().filter(|_| unit == Unit::Packet)),
            ("loss", loss.as_ref()),
            ("capacity", capacity.as_ref().filter(|_| unit == Unit::Packet && !is_of_host)),
        ];
        for (key, model) in kinds {
            own += &model.map_or(String::new(), |model| format!(", {key} = {model}"));
        }
        if let Some((jitter, order, reordering)) = holding.as_ref().filter(|_| unit == Unit::Packet) {
            own += &format!(", jitter = \"{jitter}\", order = \"{order}\", reordering = {reordering}");
        }
        lines.push(format!("{{ {own} }}"));
        if let Some(buffer) = buffer.as_ref().filter(|_| !is_of_host) {
            ports.push(format!("{{ at = \"{at}\", buffer = \"{buffer} {}\" }}", unit.plural()));
        }
    }
    (ports.join(", "), lines.join(", "))
}

/// A topology with its connections, and the names of its lines.
fn any_topology() -> impl Strategy<Value = (String, String, Vec<String>)> {
    let rate = prop_oneof![(1_u64..160).prop_map(|mbits| mbits * 1_000_000), 997_000_u64..100_000_001];
    let managed = prop::sample::select(vec!["none", "there", "back", "both"]);
    let link = (rate, any_rate_back(), 0_u64..3_000, any_delay_back(), managed);
    let switches = prop::collection::vec((any::<prop::sample::Index>(), link.clone()), 1..5);
    let hosts = prop::collection::vec((any::<prop::sample::Index>(), link.clone()), 2..6);
    let pair = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let connections = prop::collection::vec((pair, 1_u64..3, prop::option::of(any_flavor())), 1..5);
    (switches, hosts, link, any::<bool>(), connections).prop_map(|(switches, hosts, more, has_more, connections)| {
        let mut links = Vec::new();
        let mut lines = Vec::new();
        let mut join = |from: String, to: String, (rate, back, delay, delay_back, managed): &(u64, String, u64, String, &str), can_be_managed: bool| {
            // At least one managed link.
            let managed = if links.is_empty() && *managed == "none" { "there" } else { managed };
            let managed = if can_be_managed { managed } else { "none" };
            lines.extend([format!("{from} to {to}"), format!("{to} to {from}")]);
            links.push(format!(
                "{{ from = \"{from}\", to = \"{to}\", rate = \"{rate} bit/s\", rate_back = \"{back}\", delay = \"{delay} us\", delay_back = \"{delay_back}\", managed = \"{managed}\" }}"
            ));
        };
        for (number, (before, link)) in switches.iter().enumerate() {
            join(format!("s{}", before.index(number + 1)), format!("s{}", number + 1), link, true);
        }
        // Closes a cycle to the first switch, past the one between.
        if has_more && switches.len() > 2 && switches[switches.len() - 1].0.index(switches.len()) != 0 {
            join("s0".into(), format!("s{}", switches.len()), &more, true);
        }
        for (number, (at, link)) in hosts.iter().enumerate() {
            let last_mile = link.4 == "there";
            let at = format!("s{}", at.index(switches.len() + 1));
            join(at, format!("h{number}"), link, last_mile);
        }
        let names = |letter: char, many: usize| {
            (0..many).map(|number| format!("\"{letter}{number}\"")).collect::<Vec<_>>().join(", ")
        };
        let topology = format!(
            "{{ kind = \"graph\", hosts = [{}], switches = [{}], links = [{}] }}",
            names('h', hosts.len()), names('s', switches.len() + 1), links.join(", ")
        );
        let connection = |((from, to), count, flavor): &((prop::sample::Index, prop::sample::Index), u64, Option<String>)| {
            let from = from.index(hosts.len());
            let to = (from + 1 + to.index(hosts.len() - 1)) % hosts.len();
            let flavor = flavor.as_ref().map_or(String::new(), |flavor| format!(", flavor = {flavor}"));
            format!("{{ count = {count}, from = \"h{from}\", to = \"h{to}\"{flavor} }}")
        };
        (topology, format!("[{}]", connections.iter().map(connection).collect::<Vec<_>>().join(", ")), lines)
    })
}

/// Converts an N-source scenario to a graph, with each connection written out.
pub fn written_out(scenario: &Scenario) -> Scenario {
    let mut resolved = serde_json::from_str::<serde_json::Value>(&scenario.canonical()).expect("it is JSON");
    let graph = scenario.graph();
    let names = |hosts: bool| {
        let nodes = graph.nodes.iter().filter(|node| node.is_host == hosts);
        nodes.map(|node| node.name.to_string()).collect::<Vec<_>>()
    };
    let link = |number: usize| {
        let (link, back) = (&graph.links[number], &graph.links[number + 1]);
        let node = |number: usize| graph.nodes[number].name.to_string();
        let (name, managed) = if link.managed { ("bottleneck", "there") } else { ("by-ends", "none") };
        serde_json::json!({
            "name": name, "from": node(link.from), "to": node(link.to), "rate_bps": link.rate.0, "rate_back_bps": back.rate.0, "delay_ps": link.delay.0,
            "delay_back_ps": back.delay.0,
            "managed": managed,
        })
    };
    let links: Vec<_> = (0..graph.links.len()).step_by(2).map(link).collect();
    resolved["topology"] = serde_json::json!({
        "kind": "graph", "hosts": names(true), "switches": names(false), "links": links,
    });
    let groups = resolved["connections"].as_array().cloned().unwrap_or_default();
    let groups = groups.into_iter().flat_map(|group| {
        let count = usize::try_from(group["count"].as_u64().expect("a count")).expect("a small one");
        std::iter::repeat_n(group, count)
    });
    let senders = graph.senders();
    let groups = groups.chain(std::iter::repeat_n(serde_json::json!({}), senders)).take(senders);
    let connection = |(number, mut group): (usize, serde_json::Value)| {
        let connection = group.as_object_mut().expect("a table");
        connection.remove("access_delay_ps");
        connection.insert("count".into(), 1.into());
        connection.insert("from".into(), format!("source {number}").into());
        connection.insert("to".into(), format!("destination {number}").into());
        group
    };
    resolved["connections"] = (1..).zip(groups).map(connection).collect();
    Scenario::parse(resolved.to_string().as_bytes(), "written-out.json", &[])
        .unwrap_or_else(|problems| panic!("{problems:?} in {resolved}"))
}
