//! A buffer level at which a drop policy wakes up.

use longfat_foundation::config::{Fraction, Node, Parameter, Reader, Shape, Value};
use serde_json::Value as Json;

use super::BufferContext;
use crate::framing::Unit;

/// A level of a buffer of K cells, or of K packets where they travel whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// A share of K.
    Share(f64),
    /// A number of cells or packets.
    Count(u64, Unit),
    /// K less a number of cells or packets.
    BelowCapacity(u64, Unit),
}

impl Threshold {
    /// The level in a buffer of `capacity`; a share is rounded down.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "cell counts are far below 2^53; both factors are positive"
    )]
    pub fn level(self, capacity: u64) -> u64 {
        match self {
            Self::Share(share) => (capacity as f64 * share) as u64,
            Self::Count(count, _) => count,
            Self::BelowCapacity(count, _) => capacity.saturating_sub(count),
        }
    }

    /// The objection to this level for a buffer, if there is one.
    #[must_use]
    pub fn objection(self, buffer: &BufferContext) -> Option<String> {
        if let Self::Count(_, unit) | Self::BelowCapacity(_, unit) = self
            && unit != buffer.unit
        {
            let units = buffer.unit.plural();
            return Some(format!(
                "{self} for a buffer that counts {units}; write \"15 {units}\", \"K - 15 {units}\" or a share of the buffer, such as 0.9"
            ));
        }
        let (capacity, units) = (buffer.capacity?, buffer.unit.plural());
        let message = match self {
            Self::Count(count, _) if count > capacity => format!("{self} is above the buffer of {capacity} {units}"),
            Self::BelowCapacity(count, _) if count >= capacity => {
                format!("{self} leaves nothing of the buffer of {capacity} {units}")
            }
            _ => return None,
        };
        Some(format!("{message}; lower it, or enlarge port.buffer"))
    }

    fn parse(text: &str) -> Option<Self> {
        let count = |text: &str, unit: Unit| text.trim().strip_suffix(unit.plural())?.trim().parse().ok();
        let of_unit = |unit| match text.trim().strip_prefix('K') {
            Some(rest) => {
                count(rest.trim_start().strip_prefix('-')?, unit).map(|count| Self::BelowCapacity(count, unit))
            }
            None => count(text, unit).map(|count| Self::Count(count, unit)),
        };
        of_unit(Unit::Cell).or_else(|| of_unit(Unit::Packet))
    }
}

/// Objections to a pair of levels, of which `low` must not be above `high`.
pub(super) fn object_to_order(low: Threshold, high: Threshold, buffer: &BufferContext) -> Vec<(&'static str, String)> {
    let of_each = [("low", low.objection(buffer)), ("high", high.objection(buffer))];
    let objections: Vec<_> =
        of_each.into_iter().filter_map(|(key, message)| message.map(|message| (key, message))).collect();
    let capacity = buffer.capacity.unwrap_or(u64::MAX);
    if objections.is_empty() && low.level(capacity) > high.level(capacity) {
        return vec![("low", format!("{low} is above high, {high}; lower it, or raise port.policy.high"))];
    }
    objections
}

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Share(share) => write!(f, "{share}"),
            Self::Count(count, unit) => write!(f, "{count} {}", unit.plural()),
            Self::BelowCapacity(count, unit) => write!(f, "K - {count} {}", unit.plural()),
        }
    }
}

impl Parameter for Threshold {
    fn shape() -> Shape {
        Shape::Either(vec![
            Fraction::shape(),
            Shape::Quantity {
                expected: "cells, or K (the buffer) less cells; packets where they travel whole",
                examples: &["900 cells", "K - 200 cells", "K - 5 packets"],
            },
        ])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let found = match &node.value {
            Value::Text(text) => Self::parse(text),
            _ => Fraction::written(node).map(|share| Self::Share(share.0)),
        };
        if found.is_none() {
            let advice =
                "expected a share of the buffer above 0, at most 1 (0.9), or \"900 cells\" or \"K - 200 cells\"";
            reader.reject(node, format!("{advice}, found {}", node.describe()));
        }
        found
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Share(share) => (*share).into(),
            count => count.to_string().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    #[test]
    fn the_three_forms_give_a_level() {
        assert_eq!(Threshold::parse("K - 200 cells").unwrap().level(1000), 800);
        assert_eq!(Threshold::parse("750 cells").unwrap().level(1000), 750);
        assert_eq!(Threshold::Share(0.9).level(12_000), 10_800);
        assert_eq!(Threshold::parse("K - 5 packets").unwrap().level(20), 15);
        assert_eq!(Threshold::parse("750"), None);
    }

    #[test]
    fn a_level_in_cells_means_nothing_to_a_buffer_that_counts_packets_and_the_other_way_round() {
        let chance = Chance { seed: 1, replication: 0 };
        let objection = |text, unit| {
            let buffer = BufferContext::new(Some(1000), 2, unit, chance.stream("policy"));
            Threshold::parse(text).unwrap().objection(&buffer)
        };
        assert_eq!(objection("K - 200 cells", Unit::Cell), None);
        assert_eq!(objection("15 packets", Unit::Packet), None);
        let message = objection("K - 200 cells", Unit::Packet).unwrap();
        assert!(
            message.starts_with("K - 200 cells for a buffer that counts packets; write \"15 packets\""),
            "{message}"
        );
        assert!(objection("15 packets", Unit::Cell).unwrap().contains("\"K - 15 cells\""));
    }
}
