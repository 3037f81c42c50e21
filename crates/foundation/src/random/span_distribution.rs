//! Distributions of spans: fixed, uniform, exponential, normal, Pareto, or as measured.

use std::sync::Arc;

use super::{RandomSpan, Stream, unit_interval};
use crate::units::{PICOSECONDS_PER_SECOND, Span};

/// A distribution of spans, of which each draw is from zero to [`LONGEST`](Self::LONGEST).
#[derive(Clone, Debug, PartialEq)]
pub enum SpanDistribution {
    /// Fixed, or uniform between two bounds.
    Uniform(RandomSpan),
    /// Exponential.
    Exponential {
        /// Mean.
        mean: Span,
    },
    /// Normal.
    Normal {
        /// Mean.
        mean: Span,
        /// Standard deviation.
        deviation: Span,
    },
    /// Pareto: the share of draws above x is (smallest / x) to the power of the shape.
    Pareto {
        /// Smallest value.
        smallest: Span,
        /// Exponent of the tail, above 0. The mean is finite if it is above 1, the variance if it is above 2.
        shape: f64,
    },
    /// One of these values, of which there is at least one, each as likely as the others.
    Measured(Arc<[Span]>),
}

impl SpanDistribution {
    /// Largest draw; longer ones are cut, so that no tail leaves the range of a clock.
    pub const LONGEST: Span = Span(60 * PICOSECONDS_PER_SECOND);

    /// Always zero.
    pub const ZERO: Self = Self::Uniform(RandomSpan { low: Span::ZERO, high: Span::ZERO });

    /// Draws a span. A fixed one takes nothing from the stream. Logarithms and powers are those of `libm`, which gives the same bits on every
    /// machine.
    pub fn draw(&self, stream: &mut Stream) -> Span {
        let span = match self {
            Self::Uniform(RandomSpan { low, high }) if low == high => *low,
            Self::Uniform(span) => span.at(stream.draw()),
            Self::Exponential { mean } => stream.exponential(*mean),
            Self::Normal { mean, deviation } => rounded(number(*mean) + number(*deviation) * stream.standard_normal()),
            Self::Pareto { smallest, shape } => {
                rounded(number(*smallest) * libm::pow(1.0 - unit_interval(stream.draw()), -1.0 / shape))
            }
            Self::Measured(values) => values[stream.below(values.len())],
        };
        span.min(Self::LONGEST)
    }
}

/// Picoseconds as `f64`: exact up to 2.5 hours.
#[expect(clippy::cast_precision_loss, reason = "spans of distributions are at most a minute")]
fn number(span: Span) -> f64 {
    span.0 as f64
}

/// Rounds to whole picoseconds; below zero is zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
fn rounded(picoseconds: f64) -> Span {
    Span(libm::round(picoseconds) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Chance;

    const MS: u64 = 1_000_000_000;
    const DRAWS: usize = 200_000;

    fn draws(distribution: &SpanDistribution) -> Vec<f64> {
        let mut stream = Chance { seed: 5, replication: 0 }.stream("spans");
        (0..DRAWS).map(|_| number(distribution.draw(&mut stream)) / number(Span(MS))).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn deviation(values: &[f64]) -> f64 {
        let mean_of_values = mean(values);
        mean(&values.iter().map(|value| (value - mean_of_values).powi(2)).collect::<Vec<_>>()).sqrt()
    }

    /// Checks a share of all draws within four standard deviations.
    #[track_caller]
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn assert_share(values: &[f64], is_counted: impl Fn(f64) -> bool, expected: f64) {
        let share = values.iter().filter(|value| is_counted(**value)).count() as f64 / values.len() as f64;
        let tolerance = 4.0 * (expected * (1.0 - expected) / values.len() as f64).sqrt();
        assert!((share - expected).abs() <= tolerance, "{share} in place of {expected}");
    }

    #[test]
    fn normal_spans_have_their_mean_and_deviation_and_the_shares_of_the_normal_table() {
        let values = draws(&SpanDistribution::Normal { mean: Span(20 * MS), deviation: Span(2 * MS) });
        assert!((mean(&values) - 20.0).abs() < 0.02 && (deviation(&values) - 2.0).abs() < 0.02);
        for (deviations, above) in [(-1.0, 0.841_345), (0.0, 0.5), (1.0, 0.158_655), (2.0, 0.022_750)] {
            assert_share(&values, |value| value > 20.0 + 2.0 * deviations, above);
        }
    }

    #[test]
    fn a_normal_span_below_zero_is_zero() {
        let values = draws(&SpanDistribution::Normal { mean: Span(MS), deviation: Span(MS) });
        assert_share(&values, |value| value == 0.0, 0.158_655);
        assert_share(&values, |value| value > 2.0, 0.158_655);
    }

    /// P(X > x) = (smallest / x)^shape; with a shape of 3, 1/8 are above twice the smallest, and the mean is 3/2 of it.
    #[test]
    fn pareto_spans_have_the_tail_of_their_shape() {
        let values = draws(&SpanDistribution::Pareto { smallest: Span(2 * MS), shape: 3.0 });
        assert!(values.iter().all(|value| *value >= 2.0));
        assert_share(&values, |value| value > 4.0, 1.0 / 8.0);
        assert_share(&values, |value| value > 20.0, 1.0 / 1000.0);
        assert!((mean(&values) - 3.0).abs() < 0.02, "{}", mean(&values));
    }

    #[test]
    fn a_tail_ends_at_the_longest_span() {
        let values = draws(&SpanDistribution::Pareto { smallest: Span(MS), shape: 0.1 });
        // (1 ms / 60 s)^0.1
        assert_share(&values, |value| value >= 60_000.0, (1.0_f64 / 60_000.0).powf(0.1));
        assert!(values.iter().all(|value| *value <= 60_000.0));
    }

    #[test]
    fn exponential_and_uniform_spans_have_their_means() {
        let values = draws(&SpanDistribution::Exponential { mean: Span(5 * MS) });
        assert!((mean(&values) - 5.0).abs() < 0.05);
        assert_share(&values, |value| value > 10.0, (-2.0_f64).exp());
        let span = RandomSpan { low: Span(MS), high: Span(3 * MS) };
        assert!((mean(&draws(&SpanDistribution::Uniform(span))) - 2.0).abs() < 0.01);
    }

    #[test]
    fn measured_spans_are_drawn_as_often_as_they_were_measured() {
        let measured = [1, 1, 1, 7].map(|milliseconds| Span(milliseconds * MS));
        let values = draws(&SpanDistribution::Measured(measured.into()));
        assert_share(&values, |value| value == 1.0, 0.75);
        assert_share(&values, |value| value == 7.0, 0.25);
    }
}
