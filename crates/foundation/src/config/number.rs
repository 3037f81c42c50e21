//! Dimensionless numbers within bounds.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::document::{Key, Node, Value};
use super::{Parameter, Reader, Shape};

/// Implements [`Parameter`] for a number with bounds.
macro_rules! number {
    ($type:ident, $above:literal, $up_to:expr) => {
        impl $type {
            /// Reads the number, if it is within the bounds.
            #[expect(clippy::cast_precision_loss, reason = "a user's whole number is small")]
            #[must_use]
            pub fn written(node: &Node) -> Option<Self> {
                let number = match node.value {
                    Value::Integer(number) => number as f64,
                    Value::Float(number) => number,
                    _ => return None,
                };
                let limit: Option<f64> = $up_to;
                let is_inside = number.is_finite() && number > $above && limit.is_none_or(|limit| number <= limit);
                is_inside.then_some(Self(number))
            }
        }

        impl Parameter for $type {
            fn shape() -> Shape {
                Shape::Number { above: $above, up_to: $up_to }
            }
            fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
                let found = Self::written(node);
                if found.is_none() {
                    let expected = Self::shape().expected();
                    reader.reject(node, format!("expected {expected}, found {}", node.describe()));
                }
                found
            }
            fn resolved(&self) -> Json {
                self.0.into()
            }
        }
    };
}

/// A share of a whole: above 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction(pub f64);

/// A number above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositiveNumber(pub f64);

/// A number above 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain(pub f64);

number!(Gain, 1.0, None);
number!(Fraction, 0.0, Some(1.0));
number!(PositiveNumber, 0.0, None);

/// A number from 0 to 1, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(pub f64);

impl Parameter for Probability {
    fn shape() -> Shape {
        Shape::Probability
    }
    #[expect(clippy::cast_precision_loss, reason = "only 0 and 1 are accepted")]
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let found = match node.value {
            Value::Integer(number @ 0..=1) => Some(number as f64),
            Value::Float(number) if (0.0..=1.0).contains(&number) => Some(number),
            _ => None,
        };
        if found.is_none() {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
        }
        found.map(Self)
    }
    fn resolved(&self) -> Json {
        self.0.into()
    }
}

/// Named numbers: parameters of a model that the engine does not know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers(pub BTreeMap<String, f64>);

impl Parameter for Numbers {
    fn shape() -> Shape {
        Shape::Map("numbers by name, such as { beta = 0.7 }")
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let number = |(key, node): &(Key, Node)| reader.below(&key.name, |reader| any_number(node, reader));
        let numbers: Vec<_> = entries.iter().map(number).collect();
        let names = entries.iter().map(|(key, _)| key.name.clone());
        names.zip(numbers).map(|(name, number)| Some((name, number?))).collect::<Option<_>>().map(Self)
    }
    fn resolved(&self) -> Json {
        self.0.iter().map(|(name, &number)| (name.clone(), number.into())).collect::<serde_json::Map<_, _>>().into()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a user's whole number is small")]
fn any_number(node: &Node, reader: &mut Reader) -> Option<f64> {
    match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) if number.is_finite() => Some(number),
        _ => {
            reader.reject(node, format!("expected a number, found {}", node.describe()));
            None
        }
    }
}
