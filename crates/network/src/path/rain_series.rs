//! Rain as a random time series of attenuation, with adaptive coding and modulation.

use longfat_foundation::config::{Decibels, PositiveSpan, Probability};
use longfat_foundation::units::{Span, Time};

use super::coding::{Coding, level_of};
use super::modcod::Codes;
use super::{Path, PathContext, Step};

longfat_foundation::choice! {
    /// Where a series of attenuation begins.
    pub enum SeriesStart {
        /// At the attenuation `at_start`.
        Given = "given",
        /// At any time of the year: mostly without rain.
        Drawn = "drawn",
    }
}

longfat_foundation::model! {
    /// Attenuation by rain, drawn as ITU-R P.1853 does: the logarithm of the attenuation is Gaussian noise behind a low-pass filter of first
    /// order (Maseng and Bakken 1981). Its distribution over the year follows from the attenuation that is exceeded for 0.01 % of the time.
    /// Adaptive coding and modulation follows it, as in `rain`.
    #[name = "rain-series"]
    #[source = "ITU-R P.1853-1 annex 1 section 2.2; ITU-R P.618-13 section 2.2.1.1; ETSI EN 302 307-1 table 13; ETSI EN 302 307-2 table 20a"]
    pub struct RainSeries: dyn Path {
        /// Attenuation by rain that is exceeded for 0.01 % of an average year, as link budgets have it; that of other shares of time follows
        /// from P.618, for latitudes of 36 degrees and more.
        exceeded: Decibels = "15 dB",
        /// The share of time with rain on the path; P.837 has maps of it.
        rainy: Probability = "0.05",
        /// Where the series begins.
        start: SeriesStart = "given",
        /// Attenuation at the beginning, where it is given; at 0 dB rain is about to begin.
        at_start: Decibels = "0 dB",
        /// Time constant of the low-pass filter: 1/beta, with the beta of 0.0002 per second of P.1853.
        correlation: PositiveSpan = "5000 s",
        /// Time from one value to the next.
        interval: PositiveSpan = "1 s",
        /// Codes of the carrier.
        codes: Codes = "dvb-s2",
        /// Es/N0 under a clear sky.
        clear_sky: Decibels = "15 dB",
        /// Margin: the attenuation that the chosen code must withstand beyond the known one.
        margin: Decibels = "1 dB",
        /// Attenuation beyond the margin that a more efficient code must withstand before the sender returns to it.
        hysteresis: Decibels = "0.5 dB",
        /// Age of the sender's knowledge: the receiver measures, reports over the satellite, and the frame crosses the satellite again.
        reaction: Span = "600 ms",
    }
    build(config, context) { Box::new(Series { config: config.clone(), context: context.clone() }) }
    objections(config, context) {
        let mut objections = Vec::new();
        if let Some(message) = config.coding().object_to_clear_sky() {
            objections.push(("clear_sky", message));
        }
        if !(LEAST_RAINY..=MOST_RAINY).contains(&config.rainy.0) {
            objections.push(("rainy", format!("must be from {LEAST_RAINY} to {MOST_RAINY}, the shares of time that P.618 knows")));
        }
        if !(LEAST_EXCEEDED..=MOST_EXCEEDED).contains(&config.exceeded) {
            objections.push(("exceeded", "must be from 0.1 dB to 100 dB".into()));
        }
        if config.at_start > MOST_EXCEEDED {
            objections.push(("at_start", "must be at most 100 dB".into()));
        }
        if context.duration.0 / config.interval.0.0 > MOST_SAMPLES {
            objections.push(("interval", format!("more than {MOST_SAMPLES} values in a run; a longer interval")));
        }
        objections
    }
}

/// Most values of a run: each is compared with all codes.
const MOST_SAMPLES: u64 = 1_000_000;

/// Shares of time, in percent, through whose attenuation the lognormal distribution is fitted (P.1853-1, step A), as far as P.618 goes.
const SHARES_PERCENT: [f64; 12] = [0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0];
/// At least three of these shares are smaller.
const LEAST_RAINY: f64 = 0.0005;
const MOST_RAINY: f64 = 0.3;
const LEAST_EXCEEDED: Decibels = Decibels(100);
const MOST_EXCEEDED: Decibels = Decibels(100_000);

impl RainSeries {
    fn coding(&self) -> Coding {
        let Self { codes, clear_sky, margin, hysteresis, reaction, .. } = self;
        Coding { codes: *codes, clear_sky: *clear_sky, margin: *margin, hysteresis: *hysteresis, reaction: *reaction }
    }

    fn lognormal(&self) -> Lognormal {
        Lognormal::fitted(in_decibels(self.exceeded), self.rainy.0)
    }
}

/// Attenuation in decibels that is exceeded for `percent` of the time, if `exceeded` is for 0.01 % (P.618-13 equation 8, with beta = 0).
fn exceeded_for(percent: f64, exceeded: f64) -> f64 {
    let exponent = 0.655 + 0.033 * libm::log(percent) - 0.045 * libm::log(exceeded);
    exceeded * libm::pow(percent / 0.01, -exponent)
}

/// The probability that a standard normal variable exceeds `x`.
fn above(x: f64) -> f64 {
    libm::erfc(x / std::f64::consts::SQRT_2) / 2.0
}

/// The inverse of [`above`], by bisection: it is needed a dozen times in a run.
fn quantile_above(probability: f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if above(middle) > probability { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Distribution of attenuation: what a lognormal variable has beyond an offset, in decibels.
#[derive(Clone, Copy, Debug)]
struct Lognormal {
    mean: f64,
    deviation: f64,
    offset: f64,
}

impl Lognormal {
    /// Fits the logarithm of the attenuation by least squares (P.1853-1, steps A and C).
    #[expect(clippy::cast_precision_loss, reason = "a dozen")]
    fn fitted(exceeded: f64, rainy: f64) -> Self {
        let shares = SHARES_PERCENT.into_iter().filter(|percent| *percent < 100.0 * rainy);
        let points: Vec<_> = shares
            .map(|percent| (quantile_above(percent / 100.0), libm::log(exceeded_for(percent, exceeded))))
            .collect();
        let count = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
        let (products, squares) = points.iter().fold((0.0, 0.0), |(products, squares), point| {
            (products + (point.0 - x) * (point.1 - y), squares + (point.0 - x) * (point.0 - x))
        });
        let deviation = products / squares;
        let mean = y - deviation * x;
        Self { mean, deviation, offset: libm::exp(mean + deviation * quantile_above(rainy)) }
    }

    /// Attenuation in decibels for a value of the Gaussian noise.
    fn attenuation(&self, noise: f64) -> f64 {
        (libm::exp(self.mean + self.deviation * noise) - self.offset).max(0.0)
    }

    /// The noise at which the attenuation is as given.
    fn noise(&self, attenuation: f64) -> f64 {
        (libm::log(attenuation + self.offset) - self.mean) / self.deviation
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 100,000 mdB")]
fn in_decibels(level: Decibels) -> f64 {
    level.0 as f64 / 1000.0
}

struct Series {
    config: RainSeries,
    context: PathContext,
}

impl Series {
    /// The attenuation from each time on.
    fn attenuation(&self) -> Vec<(Time, Decibels)> {
        let RainSeries { interval: PositiveSpan(interval), correlation: PositiveSpan(correlation), .. } = self.config;
        let lognormal = self.config.lognormal();
        let mut chance = self.context.stream("rain-series");
        let kept = libm::exp(-interval.as_seconds() / correlation.as_seconds());
        let fresh = libm::sqrt(1.0 - kept * kept);
        let mut noise = match self.config.start {
            SeriesStart::Given => lognormal.noise(in_decibels(self.config.at_start)),
            // P.1853 discards the first 200,000 values of a series that begins at 0; what is left has this distribution.
            SeriesStart::Drawn => chance.standard_normal(),
        };
        let mut sample = |number: u64| {
            if number > 0 {
                noise = kept * noise + fresh * chance.standard_normal();
            }
            (Time(number * interval.0), level_of(lognormal.attenuation(noise)))
        };
        (0..self.samples()).map(&mut sample).collect()
    }
}

impl Path for Series {
    fn steps(&self) -> Vec<Step> {
        self.config.coding().steps(&self.context, &self.attenuation())
    }

    fn samples(&self) -> u64 {
        self.context.duration.0 / self.config.interval.0.0 + 1
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;
    use longfat_foundation::units::Rate;

    use super::*;

    fn series(seed: u64, seconds: u64, start: SeriesStart, at_start: Decibels) -> Series {
        let second = Span::from_microseconds(1_000_000);
        let context = PathContext {
            chance: Chance { seed, replication: 0 },
            link: None,
            duration: Span(seconds * second.0),
            rate: Rate(50_000_000),
            delay: Span::ZERO,
        };
        let config = RainSeries {
            codes: Codes::DvbS2,
            exceeded: Decibels(15_000),
            rainy: Probability(0.05),
            start,
            at_start,
            correlation: PositiveSpan(Span(5000 * second.0)),
            interval: PositiveSpan(second),
            clear_sky: Decibels(15_000),
            margin: Decibels(1000),
            hysteresis: Decibels(500),
            reaction: Span(second.0 * 6 / 10),
        };
        Series { config, context }
    }

    /// The implementation of P.618 by ITU-Rpy has these values for 20 GHz at 50.1 degrees north, 8.7 degrees east and 30 degrees of elevation.
    #[test]
    fn attenuation_exceeded_for_other_shares_of_time_is_that_of_p618() {
        for (percent, attenuation) in [(0.1, 4.901_846), (1.0, 1.198_266)] {
            assert!((exceeded_for(percent, 14.131_731) - attenuation).abs() < 1e-5, "{percent} %");
        }
    }

    /// Fitted by linear regression with SciPy.
    #[test]
    fn the_lognormal_distribution_is_the_regression_through_the_shares_of_time() {
        for (exceeded, rainy, mean, deviation, offset) in [
            (15.0, 0.05, -3.894_629, 1.787_843, 0.385_240),
            (5.0, 0.1, -5.546_962, 1.932_296, 0.046_392),
            (40.0, 0.02, -2.319_265, 1.627_761, 2.783_606),
        ] {
            let fitted = Lognormal::fitted(exceeded, rainy);
            for (found, expected) in [(fitted.mean, mean), (fitted.deviation, deviation), (fitted.offset, offset)] {
                assert!((found - expected).abs() < 2e-6, "{fitted:?}");
            }
            assert!(fitted.attenuation(quantile_above(rainy)) < 1e-9, "where rain begins");
            assert!((fitted.attenuation(fitted.noise(7.0)) - 7.0).abs() < 1e-9);
        }
    }

    /// Over 2000 starts at any time, as many as expected have rain, and as many as expected more than what is exceeded for 1 % of the time.
    #[test]
    fn a_series_that_begins_at_any_time_has_the_distribution_of_the_year() {
        let starts: Vec<_> =
            (0..2000).map(|seed| series(seed, 1, SeriesStart::Drawn, Decibels(0)).attenuation()[0].1).collect();
        let share = |least: u64| starts.iter().filter(|level| level.0 > least).count() as f64 / starts.len() as f64;
        assert!((share(0) - 0.05).abs() < 3.0 * (0.05 * 0.95 / 2000.0_f64).sqrt(), "{}", share(0));
        let lognormal = series(0, 1, SeriesStart::Drawn, Decibels(0)).config.lognormal();
        let expected = above(lognormal.noise(1.288));
        assert!((share(1288) - expected).abs() < 3.0 * (expected / 2000.0).sqrt(), "{} and {expected}", share(1288));
        // What P.618 says of the same attenuation: the offset takes a share of the fitted distribution away (P.1853-1, step C).
        assert!((0.005..0.01).contains(&expected), "{expected}");
    }

    /// From 20 dB the noise hardly reaches zero attenuation, below which it could not be seen, within 1000 s.
    #[test]
    fn what_a_series_began_with_decays_with_the_time_constant() {
        let mean_after = |seconds: usize| {
            let noises = (0..400).map(|seed| {
                let series = series(seed, 1000, SeriesStart::Given, Decibels(20_000));
                series.config.lognormal().noise(in_decibels(series.attenuation()[seconds].1))
            });
            noises.sum::<f64>() / 400.0
        };
        for seconds in [500_u32, 1000] {
            let kept = (-f64::from(seconds) / 5000.0).exp();
            let deviation = ((1.0 - kept * kept) / 400.0).sqrt() / mean_after(0);
            let found = mean_after(seconds as usize) / mean_after(0);
            assert!((found - kept).abs() < 3.0 * deviation, "{found} after {seconds} s, expected {kept}");
        }
    }

    #[test]
    fn a_series_begins_as_told_and_its_rate_is_that_of_a_code() {
        let begun = series(1, 600, SeriesStart::Given, Decibels(6000));
        assert_eq!(begun.attenuation()[0], (Time::ZERO, Decibels(6000)));
        assert_eq!(begun.attenuation().len(), 601);
        let steps = begun.steps();
        // Es/N0 of 15 dB less 6 dB and a margin of 1 dB: 8PSK 3/4 needs 7.91 dB; 32APSK 4/5 in clear sky needs 13.64 dB.
        assert_eq!(steps[0].rate, Some(Rate(50_000_000 * 2_228_124 / 3_951_571)));
        assert!(steps.windows(2).all(|pair| pair[0].time < pair[1].time));
    }
}
