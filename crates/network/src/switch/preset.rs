//! Presets of queue disciplines: the parameters that a kind of router has.
//!
//! As with presets of end systems, what is written beside a preset takes precedence, and a resolved scenario contains the parameters and no
//! preset.

use longfat_foundation::config::{Key, Node, Value, parse_fragment};

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
    ("fq-pie", "{ update_period = '16 ms', mean_packet = '1514 B', ecn = false }"),
    ("red", "{ gentle = false, hard_drop = false, first_above_minimum = 'let-in', ecn = false }"),
    ("cake", "{ control = 'cobalt' }"),
];

const PRESET: &str = "preset";
const KIND: &str = "kind";
const QUEUE: &str = "queue";

/// Expands the preset of a scenario's `[port]` table in its queue and in those of other ports. Disciplines of other kinds are as written.
#[must_use]
pub fn written_out(mut root: Node) -> Node {
    let Some(preset) = root.get_mut("port").and_then(|port| port.get(PRESET).cloned()) else { return root };
    if !matches!(&preset.value, Value::Text(name) if name == "linux-6.12") {
        return root; // None, or unknown: reported when the scenario is read.
    }
    if let Some(port) = root.get_mut("port") {
        port.get_mut(QUEUE).into_iter().for_each(|queue| complete(queue, &preset));
        if let Value::Table(entries) = &mut port.value {
            entries.retain(|(key, _)| key.name != PRESET);
        }
    }
    if let Some(Value::Array(ports)) = root.get_mut("ports").map(|ports| &mut ports.value) {
        for queue in ports.iter_mut().filter_map(|port| port.get_mut(QUEUE)) {
            complete(queue, &preset);
        }
    }
    root
}

/// Adds the preset's parameters for a discipline of its kind, but those that are written.
fn complete(queue: &mut Node, preset: &Node) {
    let mut written = match &queue.value {
        Value::Table(entries) => entries.clone(),
        Value::Text(_) => vec![(Key { name: KIND.into(), place: queue.place.clone() }, queue.clone())],
        _ => return,
    };
    let kind = written.iter().find(|(key, _)| key.name == KIND).map(|(_, kind)| kind.value.clone());
    let of_kind = LINUX_6_12.iter().find(|(name, _)| matches!(&kind, Some(Value::Text(kind)) if kind == name));
    let Some((_, parameters)) = of_kind else { return };
    let mut parameters = parse_fragment(parameters);
    parameters.relocate(&preset.place);
    let Value::Table(parameters) = parameters.value else { return };
    let missing = parameters.into_iter().filter(|(key, _)| !written.iter().any(|(own, _)| own.name == key.name));
    let missing: Vec<_> = missing.collect();
    written.extend(missing);
    queue.value = Value::Table(written);
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};

    use super::*;
    use crate::switch::PortConfig;

    fn expanded(root: &str) -> Node {
        written_out(parse_fragment(root))
    }

    fn port(root: &str) -> serde_json::Value {
        let mut root = expanded(root);
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
    fn a_discipline_that_it_does_not_have_is_as_written() {
        let queue = port("{ port = { buffer = '9 packets', queue = 'ack-filter', preset = 'linux-6.12' } }");
        assert_eq!(queue, port("{ port = { buffer = '9 packets', queue = 'ack-filter' } }"));
    }

    #[test]
    fn queues_of_other_ports_are_completed_too() {
        let mut root = expanded(
            "{ port = { buffer = '9 packets', preset = 'linux-6.12' }, ports = [{ at = 'x', queue = 'pie' }] }",
        );
        let Some(Value::Array(ports)) = root.get_mut("ports").map(|ports| ports.value.clone()) else { panic!() };
        assert!(ports[0].get("queue").and_then(|queue| queue.get("update_period")).is_some());
    }
}
