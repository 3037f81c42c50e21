//! Path over a constellation in low Earth orbit.

use longfat_foundation::config::{Fraction, PositiveSpan, Probability, SpanIfAny};
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Rate, Span, Time};

use super::{Path, PathContext, Step};

longfat_foundation::model! {
    /// A handover to another satellite every 15 s: the delay changes in a step, and for a moment nothing passes. Between handovers the path
    /// is constant, apart from random losses. The values of each interval are drawn from the scenario's seed. Huston (A transport
    /// protocol's view of Starlink, APNIC, 17 May 2024) reports: the shortest round trip changes every 15 s, from 30 to 80 ms at worst; 30
    /// to 50 ms more at a change, when packets wait; 1 to 2 % of losses that have nothing to do with congestion.
    #[name = "leo"]
    #[source = "Huston 2024"]
    pub struct Leo: dyn Path {
        /// Time between handovers.
        interval: PositiveSpan = "15 s",
        /// One-way delay over a satellite, which replaces the bottleneck's; half of the round trips that Huston reports.
        delay: RandomSpan = "uniform(15 ms, 40 ms)",
        /// Duration of the interruption at a handover.
        gap: RandomSpan = "uniform(30 ms, 50 ms)",
        /// The probability that a packet is lost on the path.
        loss: Probability = "0.01",
        /// Largest extra delay, drawn uniformly for each packet. With 14 ms two round trips differ by 6.6 ms on average, 7/15 of it,
        /// because each has two draws; Huston reports 6.7 ms.
        jitter: SpanIfAny = "0 s",
        /// Smallest share of the bottleneck's rate; each satellite's share is drawn between this and 1.
        least_rate_share: Fraction = "1.0",
    }
    build(config, context) { Box::new(Constellation { config: config.clone(), context: context.clone() }) }
    objections(config, context) {
        let mut objections = Vec::new();
        if context.duration.0 / config.interval.0.0 > MOST_INTERVALS {
            objections.push(("interval", format!("more than {MOST_INTERVALS} satellites in a run")));
        }
        if config.gap.high >= config.interval.0 {
            objections.push(("gap", "must be shorter than the interval".into()));
        }
        objections
    }
}

/// Maximum of intervals; more are taken for a mistake.
const MOST_INTERVALS: u64 = 100_000;

struct Constellation {
    config: Leo,
    context: PathContext,
}

impl Path for Constellation {
    fn steps(&self) -> Vec<Step> {
        let Leo { interval, delay, gap, loss, jitter, least_rate_share } = &self.config;
        let mut chance = self.context.stream("leo");
        let mut draw = |span: &RandomSpan| span.sample(&mut chance) - Time::ZERO;
        let mut steps = Vec::new();
        let mut time = Time::ZERO;
        while time < Time::ZERO + self.context.duration {
            let (delay, gap) = (draw(delay), draw(gap));
            let share = draw(&RandomSpan { low: share_as_span(least_rate_share.0), high: share_as_span(1.0) });
            let serving =
                Step { time, rate: Some(part_of(self.context.rate, share)), delay, jitter: jitter.0, loss: loss.0 };
            if time > Time::ZERO && gap > Span::ZERO {
                steps.push(Step { rate: None, ..serving });
            }
            steps.push(Step { time: if time > Time::ZERO { time + gap } else { time }, ..serving });
            time += interval.0;
        }
        steps
    }
}

/// Draws a share like a span, in millionths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a million")]
fn share_as_span(share: f64) -> Span {
    Span((share * 1e6) as u64)
}

#[expect(clippy::cast_possible_truncation, reason = "no more than the rate")]
fn part_of(rate: Rate, share: Span) -> Rate {
    Rate((u128::from(rate.0) * u128::from(share.0) / 1_000_000).max(1) as u64)
}
