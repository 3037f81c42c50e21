//! Presets of queue disciplines: the parameters that a kind of router has.
//!
//! As with presets of end systems, what is written beside a preset takes precedence, and a resolved scenario contains the parameters and no
//! preset.

use longfat_foundation::config::{Key, Node, Parameter, Value, parse_fragment};

use super::PortConfig;

longfat_foundation::choice! {
    /// Whose queue disciplines they are.
    pub enum QueuePreset {
        /// Every parameter is what is written, or its default: those of the RFCs and papers.
        None = "none",
        /// Those of Linux 6.12 with its defaults and arithmetic (net/sched), with jiffies of 4 ms: CoDel with Newton's root and without ECN,
        /// PIE with an update in 16 ms and without ECN, RED that is not gentle, CAKE with COBALT.
        Linux612 = "linux-6.12",
    }
    absent None
}

/// Parameters of disciplines by kind. `sch_pie.c` rounds its 15 ms to jiffies; `psched_mtu` is the mean packet.
const LINUX_6_12: &[(&str, &str)] = &[
    ("codel", "{ square_root = 'newton', ecn = false }"),
    ("fq-codel", "{ ecn = true }"),
    ("pie", "{ update_period = '16 ms', mean_packet = '1514 B', ecn = false }"),
    ("red", "{ gentle = false, hard_drop = false, first_above_minimum = 'let-in', ecn = false }"),
    ("cake", "{ control = 'cobalt' }"),
];

const PRESET: &str = "preset";
const KIND: &str = "kind";
const QUEUE: &str = "queue";

/// Expands the preset of a scenario's `[port]` table in its queue and in those of other ports. Also returns an error message if the preset
/// sets nothing.
#[must_use]
pub fn written_out(root: &Node) -> (Node, Option<String>) {
    let mut root = root.clone();
    let Some(preset) = root.get_mut("port").and_then(|port| port.get(PRESET).cloned()) else { return (root, None) };
    if !matches!(&preset.value, Value::Text(name) if name == "linux-6.12") {
        return (root, None); // None, or unknown: reported when the scenario is read.
    }
    let mut adds = false;
    if let Some(port) = root.get_mut("port") {
        adds |= port.get_mut(QUEUE).is_some_and(|queue| complete(queue, &preset));
        if let Value::Table(entries) = &mut port.value {
            entries.retain(|(key, _)| key.name != PRESET);
        }
    }
    if let Some(Value::Array(ports)) = root.get_mut("ports").map(|ports| &mut ports.value) {
        for queue in ports.iter_mut().filter_map(|port| port.get_mut(QUEUE)) {
            adds |= complete(queue, &preset);
        }
    }
    let kinds: Vec<&str> = LINUX_6_12.iter().map(|(kind, _)| *kind).collect();
    let idle = || format!("\"linux-6.12\" sets nothing here; it has parameters for port.queue = {}", kinds.join(", "));
    (root, (!adds).then(idle))
}

/// Adds the preset's parameters for a discipline of its kind, but those that are written. Returns true if anything was added.
fn complete(queue: &mut Node, preset: &Node) -> bool {
    let mut written = match &queue.value {
        Value::Table(entries) => entries.clone(),
        Value::Text(_) => vec![(Key { name: KIND.into(), place: queue.place.clone() }, queue.clone())],
        _ => return false,
    };
    let kind = written.iter().find(|(key, _)| key.name == KIND).map(|(_, kind)| kind.value.clone());
    let of_kind = LINUX_6_12.iter().find(|(name, _)| matches!(&kind, Some(Value::Text(kind)) if kind == name));
    let Some((_, parameters)) = of_kind else { return false };
    let mut parameters = parse_fragment(parameters);
    parameters.relocate(&preset.place);
    let Value::Table(parameters) = parameters.value else { return false };
    let before = written.len();
    let missing = parameters.into_iter().filter(|(key, _)| !written.iter().any(|(own, _)| own.name == key.name));
    let missing: Vec<_> = missing.collect();
    written.extend(missing);
    let adds = written.len() > before;
    queue.value = Value::Table(written);
    adds
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Reader, parse_fragment};

    use super::*;

    fn expanded(root: &str) -> (Node, Option<String>) {
        written_out(&parse_fragment(root))
    }

    fn port(root: &str) -> serde_json::Value {
        let (mut root, idle) = expanded(root);
        assert_eq!(idle, None);
        let mut reader = Reader::default();
        let port = PortConfig::read(root.get_mut("port").expect("a port"), &mut reader).expect("a valid port");
        assert!(reader.problems.is_empty(), "{:?}", reader.problems);
        port.resolved()
    }

    #[test]
    fn a_preset_is_its_parameters_written_out_for_every_discipline() {
        for (kind, parameters) in LINUX_6_12 {
            let inner = parameters.trim_start_matches('{').trim_end_matches('}');
            let named =
                port(&format!("{{ port = {{ buffer = '9 packets', queue = '{kind}', preset = 'linux-6.12' }} }}"));
            let written =
                port(&format!("{{ port = {{ buffer = '9 packets', queue = {{ kind = '{kind}', {inner} }} }} }}"));
            assert_eq!(named, written, "{kind}");
            assert!(named.get(PRESET).is_none());
        }
    }

    #[test]
    fn what_is_written_beside_it_counts() {
        let queue =
            port("{ port = { buffer = '9 packets', queue = { kind = 'codel', ecn = true }, preset = 'linux-6.12' } }");
        assert_eq!((&queue["queue"]["ecn"], &queue["queue"]["square_root"]), (&true.into(), &"newton".into()));
    }

    #[test]
    fn a_preset_that_sets_nothing_says_so() {
        let (_, idle) = expanded("{ port = { buffer = '9 packets', queue = 'ack-filter', preset = 'linux-6.12' } }");
        assert!(idle.is_some_and(|idle| idle.contains("codel, fq-codel")));
    }

    #[test]
    fn queues_of_other_ports_are_completed_too() {
        let (mut root, idle) = expanded(
            "{ port = { buffer = '9 packets', preset = 'linux-6.12' }, ports = [{ at = 'x', queue = 'pie' }] }",
        );
        assert_eq!(idle, None);
        let Some(Value::Array(ports)) = root.get_mut("ports").map(|ports| ports.value.clone()) else { panic!() };
        assert!(ports[0].get("queue").and_then(|queue| queue.get("update_period")).is_some());
    }
}
