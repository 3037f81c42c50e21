//! Presets: named bundles of settings for a kind of host.
//!
//! Presets are expanded before a scenario is read; settings written beside a preset take precedence. A resolved scenario therefore contains
//! settings and no preset, and has the same hash as one with the settings written out.

mod groups;

use longfat_foundation::config::{
    Field, Key, Node, Parameter, Reader, Shape, Value, VariantShape, did_you_mean, listed, parse_fragment,
};
use serde_json::Value as Json;

use super::TcpConfig;

/// A named bundle of settings.
pub struct Preset {
    /// Name in scenarios.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// Sources of the settings.
    pub source: &'static str,
    /// Keys and values of the `[tcp]` table, as written in scenarios.
    pub settings: &'static [(&'static str, &'static str)],
    /// Parameters of flavors other than the preset's own, by kind, as such a host has them.
    pub flavors: &'static [(&'static str, &'static str)],
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "seeds-1997",
        about: "The end systems of the papers on TCP over ATM of 1996 to 1998: the defaults, written out.",
        source: "UBR+ section 3.1; 98-0876R1 section 6",
        settings: &[
            ("flavor", "vanilla"),
            ("mss", "512 B"),
            ("receiver_window", "65535 B"),
            ("initial_window", "1 MSS"),
            ("timer_granularity", "100 ms"),
            ("timer_phase", "common"),
            ("retransmission_timeout", "bsd-integer"),
            ("timestamps", "false"),
            ("initial_ssthresh", "receiver-window"),
            ("cwnd_limit", "receiver-window"),
            ("slow_start_growth", "per-acknowledgment"),
            ("limited_transmit", "false"),
            ("nagle", "false"),
            ("handshake", "false"),
            ("idle_restart", "keep"),
            ("acknowledgments", "immediate"),
        ],
        flavors: &[],
    },
    Preset {
        name: "rfc",
        about: "What the standards-track RFCs of TCP say, as they say it where they leave a choice: Reno's window with selective \
                acknowledgments, a minimum timeout of a second, delayed acknowledgments.",
        source: "RFC 5681 sections 3.1, 4.1 and 4.2; RFC 6675; RFC 6298; RFC 7323; RFC 3042; RFC 9293 section 3.7",
        settings: &[
            ("flavor", "sack-rfc6675"),
            ("mss", "1448 B"),
            ("receiver_window", "1 MiB"),
            ("initial_window", "3 MSS"),
            ("timer_granularity", "100 ms"),
            ("timer_phase", "per-connection"),
            ("retransmission_timeout", "rfc-6298"),
            ("timestamps", "true"),
            ("initial_ssthresh", "unlimited"),
            ("ssthresh_rule", "flight-size"),
            ("cwnd_limit", "unlimited"),
            ("slow_start_growth", "at-most-a-segment"),
            ("limited_transmit", "true"),
            ("nagle", "true"),
            ("handshake", "true"),
            ("idle_restart", "initial-window"),
            ("acknowledgments", "delayed"),
        ],
        flavors: &[],
    },
    Preset {
        name: "linux-like",
        about: "What a Linux host of the 2020s does by default, as far as the models have it: CUBIC, RACK-TLP with proportional rate reduction, ten segments at first, timers in \
                milliseconds, a timeout of the round trip and at least 200 ms, acknowledgments delayed by 40 ms at most.",
        source: "Linux, Documentation/networking/ip-sysctl.rst and include/net/tcp.h; RFC 9438, RFC 9406, RFC 8985, RFC 9937, RFC 6928",
        settings: &[
            ("flavor", "{ kind = 'cubic', slow_start_exit = 'hystart++', recovery = 'rack-tlp' }"),
            ("mss", "1448 B"),
            ("receiver_window", "6 MiB"),
            ("initial_window", "10 MSS"),
            ("timer_granularity", "1 ms"),
            ("timer_phase", "per-connection"),
            ("retransmission_timeout", "linux"),
            ("timestamps", "true"),
            ("initial_ssthresh", "unlimited"),
            ("cwnd_limit", "used"),
            ("slow_start_growth", "up-to-ssthresh"),
            ("linear_growth", "acknowledged-bytes"),
            // tcp_in_slow_start() of include/net/tcp.h: below the threshold only.
            ("slow_start_at_ssthresh", "false"),
            ("limited_transmit", "true"),
            ("nagle", "true"),
            ("nagle_waits_for", "small-segments"),
            ("handshake", "true"),
            ("idle_restart", "decay"),
            ("acknowledgments", "{ kind = 'delayed', delay = '40 ms' }"),
        ],
        flavors: &[],
    },
    Preset {
        name: "linux-6.12",
        about: "A Linux host as its kernel computes: held against recordings of Linux 6.12 (and some of 6.1 and 7.3), which no preset of the RFCs \
                was. Windows in whole segments, the kernel's CUBIC, and for every other control the parameters and the arithmetic of its module.",
        source: "Linux 6.12: net/ipv4/tcp_input.c, tcp_output.c, tcp_recovery.c, tcp_timer.c, tcp_cong.c and the modules of the controls",
        settings: &[
            (
                "flavor",
                "{ kind = 'cubic', arithmetic = 'linux', slow_start_exit = 'hystart', recovery = 'rack-tlp-linux' }",
            ),
            ("mss", "1448 B"),
            ("receiver_window", "6 MiB"),
            ("initial_window", "10 MSS"),
            ("timer_granularity", "1 ms"),
            ("timer_phase", "per-connection"),
            ("retransmission_timeout", "linux"),
            ("timestamps", "true"),
            ("initial_ssthresh", "unlimited"),
            ("ssthresh_rule", "congestion-window"),
            ("cwnd_limit", "used"),
            ("slow_start_growth", "up-to-ssthresh"),
            ("linear_growth", "acknowledged-bytes"),
            ("slow_start_at_ssthresh", "false"),
            ("window_arithmetic", "whole-segments"),
            ("lost_syns", "linux-6.5"),
            ("limited_transmit", "true"),
            ("nagle", "true"),
            ("nagle_waits_for", "small-segments"),
            ("handshake", "true"),
            ("idle_restart", "decay"),
            ("acknowledgments", "linux"),
        ],
        flavors: &[
            ("westwood", "{ arithmetic = 'linux', memory = 0.875 }"),
            ("illinois", "{ arithmetic = 'linux' }"),
            ("high-speed", "{ arithmetic = 'linux' }"),
            ("h-tcp", "{ arithmetic = 'linux', round_trip_scaling = true }"),
            ("scalable", "{ arithmetic = 'linux', legacy_window = 1 }"),
            ("hybla", "{ arithmetic = 'linux' }"),
            ("bic", "{ arithmetic = 'linux' }"),
            (
                "vegas",
                "{ arithmetic = 'linux', alpha = 2, beta = 4, round_trip = 'shortest', cautious_slow_start = false }",
            ),
            ("dctcp", "{ arithmetic = 'linux' }"),
            ("veno", "{ arithmetic = 'linux', base_round_trip = 'connection' }"),
            ("lp", "{ arithmetic = 'linux', forgets_range = true }"),
            (
                "cdg",
                "{ scale = '2976 us', share_after_delay = 0.7071, loss_tolerance = false, hybrid_slow_start = true }",
            ),
            (
                "bbr",
                "{ arithmetic = 'linux', window_allowance = 'send-quanta', aggregation_allowance = 'observed', pacing_margin = '1%', \
                   pacing_timer = 'linux', flight_at = 'departure', loss_response = 'linux', policer_detection = 'long-term-rate' }",
            ),
            ("leocc", "{ pacing_timer = 'linux' }"),
        ],
    },
];

/// The name of a preset, or "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresetName(Option<&'static str>);

const NONE: &str = "none";

fn names() -> impl Iterator<Item = &'static str> {
    [NONE].into_iter().chain(PRESETS.iter().map(|preset| preset.name))
}

impl Parameter for PresetName {
    fn shape() -> Shape {
        let none = VariantShape { name: NONE, doc: "Every setting is what is written, or its default." };
        let presets = PRESETS.iter().map(|preset| VariantShape { name: preset.name, doc: preset.about });
        Shape::Choice([none].into_iter().chain(presets).collect())
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected one of {}, found {}", listed(names()), node.describe()));
            return None;
        };
        if text == NONE {
            return Some(Self(None));
        }
        let found = PRESETS.iter().find(|preset| preset.name == text);
        if found.is_none() {
            let near = did_you_mean(text, names());
            reader.reject(node, format!("unknown preset \"{text}\"; known: {}{near}", listed(names())));
        }
        found.map(|preset| Self(Some(preset.name)))
    }

    fn resolved(&self) -> Json {
        self.0.unwrap_or(NONE).into()
    }

    /// Never written in a resolved scenario, which has its settings instead.
    fn is_absent(&self) -> bool {
        true
    }
}

const KIND: &str = "kind";
const FLAVOR: &str = "flavor";

/// Parameters of flavors that belong to the host and not to the congestion control: loss recovery.
const OF_THE_HOST: &[&str] = &["recovery"];

/// Keys that a resolved scenario omits when they have their defaults.
const LEFT_OUT: &[&str] = &["nagle_waits_for", "linear_growth", "window_arithmetic", "arithmetic", "lost_syns"];

/// Expands the presets of a scenario's `[tcp]` table and of its groups' own, and completes the latter from the former
/// ([`groups`]). Also returns the paths and messages of what is wrong: a preset sets nothing because every setting is written beside it,
/// as in a resolved scenario, or a group says something twice.
#[must_use]
pub fn written_out(root: &Node) -> (Node, Vec<(String, String)>) {
    let mut root = root.clone();
    let mut problems = groups::gather(&mut root);
    if let Some(tcp) = root.get_mut("tcp")
        && let Some((known, preset)) = named_in(tcp)
    {
        let mut sets_anything = fill_all(tcp, known, &preset);
        sets_anything |= fill_groups(&mut root, known, &preset);
        problems.extend((!sets_anything).then(|| ("tcp.preset".into(), sets_nothing(known))));
    }
    problems.extend(groups::complete(&mut root));
    (root, problems)
}

/// The preset that a `[tcp]` table names, with the node that names it.
fn named_in(tcp: &Node) -> Option<(&'static Preset, Node)> {
    let preset = tcp.get("preset")?;
    let Value::Text(name) = &preset.value else { return None };
    Some((PRESETS.iter().find(|known| known.name == name)?, preset.clone()))
}

fn sets_nothing(preset: &Preset) -> String {
    format!(
        "\"{}\" sets nothing: all its settings are written beside it and take precedence; leave out those that the preset should set",
        preset.name
    )
}

/// Sets every key of a preset that a `[tcp]` table leaves out. Returns true if anything was added.
fn fill_all(tcp: &mut Node, known: &Preset, preset: &Node) -> bool {
    let mut sets_anything = tcp.get_mut(FLAVOR).is_some_and(|flavor| complete_by_kind(flavor, known, preset));
    for (key, value) in known.settings {
        sets_anything |= fill(tcp, key, fragment(value, preset)) && !LEFT_OUT.contains(key);
    }
    sets_anything
}

/// Sets `key` of the `[tcp]` table to the preset's value if it is absent; if it is a model, completes it. Returns true if anything was
/// added.
fn fill(tcp: &mut Node, key: &str, of_preset: Node) -> bool {
    let field = field_of_end_systems(key);
    let Value::Table(entries) = &mut tcp.value else { return false };
    match entries.iter_mut().find(|(written, _)| field.answers_to(&written.name)) {
        None => entries.push((Key { name: key.into(), place: of_preset.place.clone() }, of_preset)),
        Some((_, written)) => return complete(written, &of_preset, &field.shape()),
    }
    true
}

fn field_of_end_systems(key: &str) -> Field {
    TcpConfig::fields().into_iter().find(|field| field.name == key).expect("presets have keys of end systems")
}

/// A value of a preset, placed where the preset is named.
fn fragment(text: &str, preset: &Node) -> Node {
    let mut value = parse_fragment(text);
    value.relocate(&preset.place);
    value
}

/// Completes a flavor with the parameters that the preset has for its kind. Returns true if anything was added.
fn complete_by_kind(flavor: &mut Node, known: &Preset, preset: &Node) -> bool {
    let written = parameters(flavor);
    let Some(kind) = kind_of(&written) else { return false };
    let Some((kind, of_kind)) = known.flavors.iter().find(|(name, _)| *name == kind) else { return false };
    let mut of_kind = fragment(of_kind, preset);
    if let Value::Table(entries) = &mut of_kind.value {
        entries.push((Key { name: KIND.into(), place: preset.place.clone() }, fragment(kind, preset)));
    }
    complete(flavor, &of_kind, &field_of_end_systems(FLAVOR).shape())
}

/// Completes the flavors of connection groups from the preset. Returns true if anything was added.
fn fill_groups(root: &mut Node, known: &Preset, preset: &Node) -> bool {
    let shape = field_of_end_systems(FLAVOR).shape();
    let of_preset = known.settings.iter().find(|(key, _)| *key == FLAVOR).map(|(_, flavor)| fragment(flavor, preset));
    let Some(Value::Array(groups)) = root.get_mut("connections").map(|groups| &mut groups.value) else { return false };
    let mut adds = false;
    for flavor in groups.iter_mut().filter_map(groups::flavor_without_preset) {
        adds |= complete_by_kind(flavor, known, preset);
        adds |= of_preset.as_ref().is_some_and(|of_preset| complete(flavor, of_preset, &shape));
    }
    adds
}

/// Completes a model, recursively, with the preset's parameters: all of them if both are of the same kind, otherwise only those that belong
/// to the host. Returns true if anything was added.
fn complete(written: &mut Node, of_preset: &Node, shape: &Shape) -> bool {
    let Shape::Model { models, .. } = shape else { return false };
    let of_preset = parameters(of_preset);
    let (mut entries, preset) = (parameters(written), kind_of(&of_preset));
    let is_same = kind_of(&entries).is_none_or(|own| Some(own) == preset);
    let Some(model) =
        models.iter().find(|model| Some(model.name.to_owned()) == kind_of(&entries).or_else(|| preset.clone()))
    else {
        return false; // Unknown model: reported when the scenario is read.
    };
    let (mut adds, mut changes) = (false, false);
    for (key, value) in of_preset {
        let field = model.fields.iter().find(|field| field.answers_to(&key.name));
        if key.name != KIND && (field.is_none() || !(is_same || OF_THE_HOST.contains(&key.name.as_str()))) {
            continue;
        }
        let is_written = |own: &Key| own.name == key.name || field.is_some_and(|field| field.answers_to(&own.name));
        match (entries.iter_mut().find(|(own, _)| is_written(own)), field) {
            (Some((_, own)), Some(field)) => adds |= complete(own, &value, &field.shape()),
            (Some(_), None) => {}
            (None, _) => {
                adds |= !LEFT_OUT.contains(&key.name.as_str());
                entries.push((key, value));
                changes = true;
            }
        }
    }
    if adds || changes {
        written.value = Value::Table(entries);
    }
    adds
}

/// Parameters of a model, including its kind. A model may be written as its kind alone.
fn parameters(model: &Node) -> Vec<(Key, Node)> {
    match &model.value {
        Value::Table(parameters) => parameters.clone(),
        Value::Text(_) => vec![(Key { name: KIND.into(), place: model.place.clone() }, model.clone())],
        _ => Vec::new(),
    }
}

/// The kind of a model, given its parameters.
fn kind_of(parameters: &[(Key, Node)]) -> Option<String> {
    let kind = parameters.iter().find(|(key, _)| key.name == KIND);
    kind.map(|(_, node)| if let Value::Text(text) = &node.value { text.clone() } else { String::new() })
}
