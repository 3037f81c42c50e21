//! Bounds of claims: the values of a measure for which a claim holds.

use longfat_engine::config::{Node, Parameter, Reader, Shape, Value};
use serde_json::{Value as Json, json};

const EXPECTED: &str =
    "a bound: \">=\", \">\", \"<=\", \"<\" or \"==\" and a number, or \"between\" a number \"and\" a larger one";

/// An interval of numbers: above or below a limit, between two limits, or a single number.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// Text of the bound.
    pub text: String,
    /// Lower limit, if any.
    pub low: Option<f64>,
    /// Upper limit, if any.
    pub high: Option<f64>,
    /// True if the limits themselves are excluded.
    pub is_strict: bool,
}

impl Bound {
    /// Parses the text of a bound.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let (low, high, is_strict) = if let Some(limits) = text.trim().strip_prefix("between ") {
            let (low, high) = limits.split_once(" and ")?;
            let (low, high) = (number(low)?, number(high)?);
            (low < high).then_some((Some(low), Some(high), false))?
        } else {
            // Longer signs first, because ">" is a prefix of ">=".
            let signs = ["==", ">=", "<=", ">", "<"];
            let (sign, limit) = signs.iter().find_map(|sign| Some((*sign, text.trim().strip_prefix(sign)?)))?;
            let limit = Some(number(limit)?);
            let low = if sign.starts_with('<') { None } else { limit };
            let high = if sign.starts_with('>') { None } else { limit };
            (low, high, sign.len() == 1)
        };
        Some(Self { text: text.trim().to_owned(), low, high, is_strict })
    }
}

impl Parameter for Bound {
    fn shape() -> Shape {
        Shape::Quantity { expected: EXPECTED, examples: &[">= 0.15", "between 0.7 and 1.6", "== 0"] }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let bound = match &node.value {
            Value::Text(text) => Self::parse(text),
            _ => None,
        };
        if bound.is_none() {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
        }
        bound
    }

    fn resolved(&self) -> Json {
        json!({ "text": self.text, "low": self.low, "high": self.high, "is_strict": self.is_strict })
    }
}

/// Ends of an axis, as a bound with them; none if the text is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits(pub Option<Bound>);

const LIMITS: &str = "limits: \"between\" a number \"and\" a larger one, or \">=\" or \"<=\" and a number";

impl Limits {
    /// Lower limit, if any.
    #[must_use]
    pub fn low(&self) -> Option<f64> {
        self.0.as_ref().and_then(|bound| bound.low)
    }

    /// Upper limit, if any.
    #[must_use]
    pub fn high(&self) -> Option<f64> {
        self.0.as_ref().and_then(|bound| bound.high)
    }
}

impl Parameter for Limits {
    fn shape() -> Shape {
        Shape::Quantity { expected: LIMITS, examples: &["between 0.5 and 1", ">= 0"] }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let limits = match &node.value {
            Value::Text(text) if text.is_empty() => Some(Self(None)),
            Value::Text(text) => {
                Bound::parse(text).filter(|bound| bound.low != bound.high).map(|bound| Self(Some(bound)))
            }
            _ => None,
        };
        if limits.is_none() {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
        }
        limits
    }

    fn resolved(&self) -> Json {
        json!({ "low": self.low(), "high": self.high() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_a_sign_and_a_number_or_lies_between_two() {
        for (text, low, high, is_strict) in [
            (">= 0.15", Some(0.15), None, false),
            ("<=-2e-3", None, Some(-0.002), false),
            (" > 1 ", Some(1.0), None, true),
            ("< 0", None, Some(0.0), true),
            ("== 3", Some(3.0), Some(3.0), false),
            ("between 0.7 and 1.6", Some(0.7), Some(1.6), false),
        ] {
            let expected = Bound { text: text.trim().into(), low, high, is_strict };
            assert_eq!(Bound::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_bound() {
        for text in ["", "0.15", "=> 1", "= 1", ">= x", ">= inf", "<= nan", "between 2 and 1", "between 1 and 1", "≥ 1"]
        {
            assert_eq!(Bound::parse(text), None, "{text}");
        }
    }
}
