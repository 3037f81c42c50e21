//! Buffer sizes: cells, round trips, or no limit.

use serde_json::Value as Json;

use crate::config::{Decimal, Node, Parameter, Reader, Shape, Value, VariantShape};
use crate::units::{Rate, Span};

/// How many cells a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A number of cells.
    Cells(u64),
    /// What the bottleneck carries in a multiple of the round trip without queueing.
    RoundTrips(Decimal),
    /// As many as come.
    Unlimited,
}

const EXPECTED: Shape = Shape::Quantity {
    expected: "a number of cells, a multiple of the round trip (RTT or BDP), or \"unlimited\"",
    examples: &["12000 cells", "0.5 RTT", "1 BDP", "unlimited"],
};

impl Buffer {
    /// The size in cells for a bottleneck of `rate` and a round trip without queueing; round trips are rounded up.
    #[must_use]
    pub fn in_cells(self, rate: Rate, round_trip: Span) -> Self {
        match self {
            Self::RoundTrips(times) => {
                let cells = rate.cells_in(round_trip, times.digits, times.scale);
                Self::Cells(u64::try_from(cells).unwrap_or(u64::MAX))
            }
            other => other,
        }
    }

    /// The number of cells, once known; `None` without limit.
    ///
    /// # Panics
    /// If the buffer is still given in round trips.
    #[must_use]
    pub fn capacity(self) -> Option<u64> {
        match self {
            Self::Cells(cells) => Some(cells),
            Self::Unlimited => None,
            Self::RoundTrips(_) => panic!("a checked scenario has its buffer in cells"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "unlimited" {
            return Some(Self::Unlimited);
        }
        let (number, unit) = text.split_once(' ')?;
        match unit.trim() {
            // An i64, so that the resolved value can be read again.
            "cells" | "cell" => number.parse().ok().and_then(|cells: i64| u64::try_from(cells).ok()).map(Self::Cells),
            // No more than a thousand round trips: a slip, and too large to multiply.
            "RTT" | "BDP" => Decimal::parse(number)
                .filter(|times| times.scale <= 1_000_000 && times.digits <= 1000 * times.scale)
                .map(Self::RoundTrips),
            _ => None,
        }
    }
}

impl Parameter for Buffer {
    const SUFFIX: &'static str = "_cells";

    fn shape() -> Shape {
        EXPECTED
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let found = match &node.value {
            Value::Text(text) => Self::parse(text),
            _ => None,
        };
        if found.is_none() {
            reader.reject(node, format!("expected {}, found {}", EXPECTED.expected(), node.describe()));
        }
        found
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Integer(cells) if *cells >= 0 => Some(Self::Cells(cells.unsigned_abs())),
            Value::Text(text) if text == "unlimited" => Some(Self::Unlimited),
            _ => {
                reader.reject(node, format!("expected a whole number or \"unlimited\", found {}", node.describe()));
                None
            }
        }
    }

    fn resolved_shape() -> Shape {
        let unlimited = VariantShape { name: "unlimited", doc: "As many as come." };
        Shape::Either(vec![Shape::Integer { minimum: 0, maximum: u64::MAX }, Shape::Choice(vec![unlimited])])
    }

    fn resolved(&self) -> Json {
        self.capacity().map_or_else(|| "unlimited".into(), Json::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_become_the_cells_that_the_papers_count() {
        let cells = |text: &str, rate, milliseconds: u64| {
            Buffer::parse(text).unwrap().in_cells(Rate(rate), Span::from_microseconds(1000 * milliseconds))
        };
        assert_eq!(cells("1 RTT", 155_520_000, 30), Buffer::Cells(11_004));
        assert_eq!(cells("1 BDP", 45_000_000, 10), Buffer::Cells(1_062));
        assert_eq!(cells("0.5 RTT", 45_000_000, 550), Buffer::Cells(29_187));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["12000", "12000 cell s", "-1 cells", "1.5 cells", "RTT", "5000 RTT", "lots"] {
            assert_eq!(Buffer::parse(text), None, "{text}");
        }
    }
}
