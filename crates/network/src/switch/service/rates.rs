//! Rates of connections: one for all, or one for each.

use serde_json::Value as Json;

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value};
use longfat_foundation::units::Rate;

/// Rates of connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rates {
    /// Every connection has this one.
    Same(Rate),
    /// One for each, in their order.
    Each(Vec<Rate>),
}

impl Rates {
    /// The rates of `connections` connections.
    pub fn of(&self, connections: usize) -> Vec<Rate> {
        match self {
            Self::Same(rate) => vec![*rate; connections],
            Self::Each(rates) => rates.clone(),
        }
    }
}

impl Parameter for Rates {
    fn shape() -> Shape {
        Shape::Either(vec![
            Shape::Quantity { expected: EXPECTED, examples: &["1 Mbit/s"] },
            Shape::List(Box::new(Rate::shape())),
        ])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.value {
            Value::Array(_) => Vec::<Rate>::read(node, reader).map(Self::Each),
            _ => Rate::read(node, reader).map(Self::Same),
        }
    }

    fn resolved(&self) -> Json {
        let text = |rate: &Rate| Json::from(format!("{} bit/s", rate.0));
        match self {
            Self::Same(rate) => text(rate),
            Self::Each(rates) => rates.iter().map(text).collect(),
        }
    }
}

const EXPECTED: &str = "a rate with its unit (bit/s, kbit/s, Mbit/s, Gbit/s)";
