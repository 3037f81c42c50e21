//! End systems of groups of connections: the `tcp` table of a group, completed from its own preset and then from `[tcp]`.
//!
//! Groups are completed before a scenario is read, as presets are: a resolved scenario has every setting of such a group.

use longfat_foundation::config::{AS_OTHERS, Field, Key, Node, Value};

use super::{FLAVOR, fill_all, named_in, sets_nothing};
use crate::transport::TcpConfig;

/// Settings of end systems that a group may also have beside its `tcp` table.
const BESIDE: [&str; 2] = [FLAVOR, "ecn"];

/// Settings that follow from another, which a group takes from `[tcp]` only if it has the other from there too.
const FOLLOWS: [(&str, &str); 2] = [("ssthresh_rule", FLAVOR), ("window_scale", "receiver_window")];

/// The groups of a scenario with a `tcp` table of their own, with their indices.
fn with_own_tcp(root: &mut Node) -> impl Iterator<Item = (usize, &mut Node)> {
    let groups = match root.get_mut("connections").map(|groups| &mut groups.value) {
        Some(Value::Array(groups)) => groups.as_mut_slice(),
        _ => &mut [],
    };
    groups
        .iter_mut()
        .enumerate()
        .filter(|(_, group)| matches!(group.get("tcp").map(|tcp| &tcp.value), Some(Value::Table(_))))
}

/// Moves what a group says beside its `tcp` table into it, and leaves out keys that are "as-others". Returns the paths and messages of
/// what is said twice.
pub(super) fn gather(root: &mut Node) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    for (number, group) in with_own_tcp(root) {
        let Value::Table(settings) = &mut group.value else { continue };
        let beside: Vec<_> = settings.extract_if(.., |(key, _)| BESIDE.contains(&key.name.as_str())).collect();
        let Some((_, tcp)) = settings.iter_mut().find(|(key, _)| key.name == "tcp") else { continue };
        let Value::Table(own) = &mut tcp.value else { continue };
        for (key, node) in beside {
            if own.iter().any(|(own, _)| own.name == key.name) {
                let message = format!("given twice, here and as \"{}\" of the group; leave one of them out", key.name);
                problems.push((format!("connections[{number}].tcp.{}", key.name), message));
            } else {
                own.push((key, node));
            }
        }
        own.retain(|(_, node)| !matches!(&node.value, Value::Text(text) if text == AS_OTHERS));
    }
    problems
}

/// The flavor of a group that the preset of `[tcp]` completes: the group names no other preset.
pub(super) fn flavor_without_preset(group: &mut Node) -> Option<&mut Node> {
    if group.get("tcp").is_none() {
        return group.get_mut(FLAVOR);
    }
    group.get_mut("tcp").filter(|tcp| named_in(tcp).is_none())?.get_mut(FLAVOR)
}

/// Completes the `tcp` tables of groups. Returns the paths and messages of presets that set nothing.
pub(super) fn complete(root: &mut Node) -> Vec<(String, String)> {
    let (fields, common) = (TcpConfig::fields(), root.get("tcp").cloned());
    let mut problems = Vec::new();
    for (number, group) in with_own_tcp(root) {
        let Some(tcp) = group.get_mut("tcp") else { continue };
        if let Some((known, preset)) = named_in(tcp)
            && !fill_all(tcp, known, &preset)
        {
            problems.push((format!("connections[{number}].tcp.preset"), sets_nothing(known)));
        }
        if let Some(common) = &common {
            take_over(tcp, common, &fields);
        }
    }
    problems
}

/// Adds the settings of `common` that `own` leaves out.
fn take_over(own: &mut Node, common: &Node, fields: &[Field]) {
    let (Value::Table(own), Value::Table(common)) = (&mut own.value, &common.value) else { return };
    let field_of = |key: &str| fields.iter().find(|field| field.answers_to(key)).filter(|field| field.name != "preset");
    let is_own = |name: &str| own.iter().any(|(key, _)| field_of(&key.name).is_some_and(|field| field.name == name));
    let follows_own = |name: &str| FOLLOWS.iter().any(|(key, other)| *key == name && is_own(other));
    let missing = |(key, _): &&(Key, Node)| {
        field_of(&key.name).is_some_and(|field| !is_own(field.name) && !follows_own(field.name))
    };
    let taken: Vec<_> = common.iter().filter(missing).cloned().collect();
    own.extend(taken);
}
