//! Distributions of spans: `"5 ms"`, `"uniform(0 ms, 1 ms)"`, `"normal(10 ms, 2 ms)"` and so on.

use serde_json::Value as Json;

use super::document::{Node, Value};
use super::quantity::{TIME, format_span, parse_in};
use super::random_span::parse_random_span;
use super::{Parameter, Reader, Shape};
use crate::random::SpanDistribution;
use crate::units::Span;

/// Most values of a measured distribution; more are taken for a mistake.
const MOST_VALUES: usize = 100_000;

const KNOWN: &str =
    "uniform(LOW, HIGH), exponential(MEAN), normal(MEAN, DEVIATION), pareto(SMALLEST, SHAPE) or measured(SPAN, …)";

impl Parameter for SpanDistribution {
    fn shape() -> Shape {
        Shape::Quantity {
            expected: "a length of time with its unit, or a distribution of them: uniform(LOW, HIGH), exponential(MEAN), normal(MEAN, \
                       DEVIATION), pareto(SMALLEST, SHAPE) or measured(SPAN, …)",
            examples: &[
                "2 ms",
                "uniform(0 ms, 1 ms)",
                "exponential(2 ms)",
                "normal(4 ms, 1 ms)",
                "pareto(1 ms, 3)",
                "measured(1 ms, 1.5 ms, 4 ms)",
            ],
        }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        parse(text.trim()).map_err(|message| reader.reject(node, message)).ok()
    }

    fn resolved(&self) -> Json {
        let call = |name: &str, arguments: &[String]| format!("{name}({})", arguments.join(", "));
        match self {
            Self::Uniform(span) => return span.resolved(),
            Self::Exponential { mean } => call("exponential", &[format_span(*mean)]),
            Self::Normal { mean, deviation } => call("normal", &[format_span(*mean), format_span(*deviation)]),
            Self::Pareto { smallest, shape } => call("pareto", &[format_span(*smallest), format!("{shape}")]),
            Self::Measured(values) => {
                call("measured", &values.iter().map(|value| format_span(*value)).collect::<Vec<_>>())
            }
        }
        .into()
    }
}

/// A distribution of spans that resolved scenarios contain only if it is not always zero.
#[derive(Clone, Debug, PartialEq)]
pub struct SpansIfAny(pub SpanDistribution);

impl Parameter for SpansIfAny {
    fn shape() -> Shape {
        SpanDistribution::shape()
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        SpanDistribution::read(node, reader).map(Self)
    }

    fn resolved(&self) -> Json {
        self.0.resolved()
    }

    fn is_absent(&self) -> bool {
        self.0 == SpanDistribution::ZERO
    }
}

fn parse(text: &str) -> Result<SpanDistribution, String> {
    let named = text.strip_suffix(')').and_then(|text| text.split_once('('));
    let Some((name, arguments)) = named.filter(|(name, _)| name.trim() != "uniform") else {
        let bounds = parse_random_span(text)?;
        return short(bounds.high, text).map(|_| SpanDistribution::Uniform(bounds));
    };
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    let two = || match arguments[..] {
        [first, second] => Ok((first, second)),
        _ => Err(format!("expected two values in parentheses, found {} in \"{text}\"", arguments.len())),
    };
    match name.trim() {
        "exponential" => match arguments[..] {
            [mean] => Ok(SpanDistribution::Exponential { mean: span(mean)? }),
            _ => Err(format!("expected the mean alone in \"{text}\"")),
        },
        "normal" => {
            let (mean, deviation) = two()?;
            Ok(SpanDistribution::Normal { mean: span(mean)?, deviation: span(deviation)? })
        }
        "pareto" => {
            let (smallest, shape) = two()?;
            let number = shape.parse().ok().filter(|shape: &f64| shape.is_finite() && *shape > 0.0);
            let shape = number.ok_or_else(|| format!("expected a shape above 0, such as 3, found \"{shape}\""))?;
            Ok(SpanDistribution::Pareto { smallest: span(smallest)?, shape })
        }
        "measured" if arguments.len() <= MOST_VALUES => arguments
            .into_iter()
            .map(span)
            .collect::<Result<Vec<_>, _>>()
            .map(|values| SpanDistribution::Measured(values.into())),
        "measured" => Err(format!("{} measured values are too many; at most {MOST_VALUES}", arguments.len())),
        other => Err(format!("unknown distribution \"{other}\"; expected {KNOWN}")),
    }
}

fn span(text: &str) -> Result<Span, String> {
    short(Span(parse_in(&TIME, text)?), text)
}

fn short(span: Span, text: &str) -> Result<Span, String> {
    if span > SpanDistribution::LONGEST {
        return Err(format!("\"{text}\" is too long; at most {}", format_span(SpanDistribution::LONGEST)));
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_reads_what_it_resolves_to() {
        for text in [
            "5 ms",
            "uniform(0 s, 1 ms)",
            "exponential(2 ms)",
            "normal(10 ms, 1500 us)",
            "pareto(1 ms, 2.5)",
            "measured(1 ms, 1 ms, 7 ms)",
        ] {
            assert_eq!(parse(text).expect(text).resolved(), Json::from(text));
        }
        assert_eq!(parse("normal( 1 s ,2 s )").unwrap().resolved(), Json::from("normal(1 s, 2 s)"));
    }

    #[test]
    fn a_mistake_is_told_with_the_form_that_would_be_right() {
        for (text, message) in [
            ("uniform(2 ms, 1 ms)", "the lower bound of \"uniform(2 ms, 1 ms)\" is above the upper one"),
            ("normal(2 ms)", "expected two values in parentheses, found 1"),
            ("pareto(2 ms, 0)", "expected a shape above 0, such as 3, found \"0\""),
            ("pareto(2 ms, 1 ms)", "expected a shape above 0"),
            ("exponential(1 ms, 2 ms)", "expected the mean alone"),
            ("gamma(1 ms)", "unknown distribution \"gamma\"; expected uniform(LOW, HIGH), exponential(MEAN)"),
            ("measured(1 ms, 2)", "2 has no unit"),
            ("measured()", "expected a length of time"),
            ("61 s", "\"61 s\" is too long; at most 60 s"),
        ] {
            let found = parse(text).expect_err(text);
            assert!(found.contains(message), "{text}: {found}");
        }
    }
}
