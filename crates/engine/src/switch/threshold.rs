//! A buffer level at which a drop policy wakes up.

use serde_json::Value as Json;

use crate::config::{Node, Parameter, Reader, Shape, Value};

/// A level of a buffer of K cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// A share of K.
    Share(f64),
    /// A number of cells.
    Cells(u64),
    /// K less a number of cells.
    BelowCapacity(u64),
}

impl Threshold {
    /// The level in cells of a buffer of `capacity` cells; a share is rounded down.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "cell counts are far below 2^53; both factors are positive"
    )]
    pub fn cells(self, capacity: u64) -> u64 {
        match self {
            Self::Share(share) => (capacity as f64 * share) as u64,
            Self::Cells(cells) => cells,
            Self::BelowCapacity(cells) => capacity.saturating_sub(cells),
        }
    }

    /// What is wrong with this level for a buffer of `capacity` cells.
    #[must_use]
    pub fn objection(self, capacity: Option<u64>) -> Option<String> {
        let capacity = capacity?;
        let message = match self {
            Self::Cells(cells) if cells > capacity => format!("{cells} cells is above the buffer of {capacity} cells"),
            Self::BelowCapacity(cells) if cells >= capacity => {
                format!("K - {cells} cells leaves nothing of the buffer of {capacity} cells")
            }
            _ => return None,
        };
        Some(format!("{message}; lower it, or enlarge port.buffer"))
    }

    fn parse(text: &str) -> Option<Self> {
        let cells = |text: &str| text.trim().strip_suffix("cells").and_then(|number| number.trim().parse().ok());
        match text.trim().strip_prefix('K') {
            Some(rest) => cells(rest.trim_start().strip_prefix('-')?).map(Self::BelowCapacity),
            None => cells(text).map(Self::Cells),
        }
    }
}

impl Parameter for Threshold {
    fn shape() -> Shape {
        Shape::Either(vec![
            Shape::Number { above: 0.0, up_to: Some(1.0) },
            Shape::Quantity {
                expected: "cells, or K (the buffer) less cells",
                examples: &["900 cells", "K - 200 cells"],
            },
        ])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        #[expect(clippy::cast_precision_loss, reason = "only 1 is accepted")]
        let found = match &node.value {
            Value::Float(share) if *share > 0.0 && *share <= 1.0 => Some(Self::Share(*share)),
            Value::Integer(share @ 1) => Some(Self::Share(*share as f64)),
            Value::Text(text) => Self::parse(text),
            _ => None,
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
            Self::Cells(cells) => format!("{cells} cells").into(),
            Self::BelowCapacity(cells) => format!("K - {cells} cells").into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_give_cells() {
        assert_eq!(Threshold::parse("K - 200 cells").unwrap().cells(1000), 800);
        assert_eq!(Threshold::parse("750 cells").unwrap().cells(1000), 750);
        assert_eq!(Threshold::Share(0.9).cells(12_000), 10_800);
        assert_eq!(Threshold::parse("750"), None);
    }
}
