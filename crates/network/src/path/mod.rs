//! Time-varying paths: a line's rate, delay and losses as functions of time.
//!
//! A change of the path is no event: a line looks up the conditions when it sends. To add a kind: a file here with a
//! [`model!`](longfat_foundation::model), a `mod` line and a line in [`PATHS`].

mod attenuation;
mod coding;
mod fixed;
mod geo_fade;
mod leo;
mod modcod;
mod rain;
mod rain_series;
mod schedule;
mod table;

pub use modcod::{Codes, Modcod};

use std::sync::Arc;

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Rate, Span, Time};

/// Every registered path.
pub const PATHS: &[Entry<dyn Path>] = &[
    Entry::of::<fixed::Fixed>(),
    Entry::of::<schedule::Schedule>(),
    Entry::of::<leo::Leo>(),
    Entry::of::<geo_fade::GeoFade>(),
    Entry::of::<rain::Rain>(),
    Entry::of::<rain_series::RainSeries>(),
    Entry::of::<attenuation::Attenuation>(),
];

/// A path as a function of time.
pub trait Path: Send {
    /// Piecewise constant conditions, ascending from the start of the run.
    fn steps(&self) -> Vec<Step>;

    /// Values that are looked at to find the steps, if these are more than the steps.
    fn samples(&self) -> u64 {
        0
    }
}

impl Family for dyn Path {
    const KIND: &'static str = "path";
    type Context = PathContext;
    const NOTHING: Option<&'static str> = Some("fixed");
    fn models() -> &'static [Entry<Self>] {
        PATHS
    }
}

/// Conditions of the topology, and the run.
#[derive(Clone, Debug)]
pub struct PathContext {
    /// Source of random numbers.
    pub chance: Chance,
    /// Name of the link, whose two lines draw the same; `None` for the bottleneck's.
    pub link: Option<String>,
    /// Duration of the run.
    pub duration: Span,
    /// The line's rate.
    pub rate: Rate,
    /// The line's one-way propagation delay.
    pub delay: Span,
}

impl PathContext {
    /// Random numbers of the link for `what`.
    #[must_use]
    pub fn stream(&self, what: &str) -> Stream {
        match &self.link {
            None => self.chance.stream(&format!("path/{what}")),
            Some(link) => self.chance.stream(&format!("path/at {link}/{what}")),
        }
    }

    /// Conditions of the topology, from `time` on.
    #[must_use]
    pub fn nominal(&self, time: Time) -> Step {
        Step { time, rate: Some(self.rate), delay: self.delay, jitter: Span::ZERO, loss: 0.0 }
    }
}

/// Conditions of a path from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Start of the step.
    pub time: Time,
    /// Data rate; `None` while the path is interrupted.
    pub rate: Option<Rate>,
    /// One-way propagation delay.
    pub delay: Span,
    /// Largest extra delay of a packet, drawn uniformly for each.
    pub jitter: Span,
    /// Loss probability of a packet.
    pub loss: f64,
}

/// Conditions of a path over time, for lookup by a line.
#[derive(Clone, Debug)]
pub struct Conditions(Arc<[Step]>);

impl Conditions {
    /// Conditions of `path`; those of the topology before its first step and after the run.
    #[must_use]
    pub fn of(path: &dyn Path, context: &PathContext) -> Self {
        let mut steps = vec![context.nominal(Time::ZERO)];
        steps.extend(path.steps().into_iter().filter(|step| step.time < Time::ZERO + context.duration));
        steps.push(context.nominal(Time::ZERO + context.duration));
        Self(steps.into())
    }

    fn index_at(&self, time: Time) -> usize {
        self.0.partition_point(|step| step.time <= time) - 1
    }

    /// Steps until `end`.
    #[must_use]
    pub fn before(&self, end: Time) -> Vec<Step> {
        let ends = self.0[1..].iter().map(|step| step.time).chain([Time::NEVER]);
        let lasts = |(step, until): &(&Step, Time)| step.time < *until && step.time < end;
        self.0.iter().zip(ends).filter(lasts).map(|(step, _)| *step).collect()
    }

    /// Conditions at `time`.
    #[must_use]
    pub fn at(&self, time: Time) -> Step {
        self.0[self.index_at(time)]
    }

    /// Rate at `time`, or the latest one before an interruption; `None` if there was none before.
    #[must_use]
    pub fn latest_rate(&self, time: Time) -> Option<Rate> {
        self.0[..=self.index_at(time)].iter().rev().find_map(|step| step.rate)
    }

    /// Those of the topology, throughout.
    #[must_use]
    pub fn constant(context: &PathContext) -> Self {
        Self([context.nominal(Time::ZERO)].into())
    }

    /// The least delay of any time.
    #[must_use]
    pub fn least_delay(&self) -> Span {
        self.0.iter().map(|step| step.delay).min().unwrap_or(Span::ZERO)
    }

    /// Time from which sending is possible, at `time` or at the end of an interruption, and the conditions then.
    #[must_use]
    pub fn open_from(&self, time: Time) -> (Time, Step) {
        let index = self.index_at(time);
        let open = self.0[index..].iter().find(|step| step.rate.is_some()).expect("it is open when the run is over");
        (time.max(open.time), *open)
    }

    /// Mean data rate between `from` and `end`, in bits per second.
    #[must_use]
    pub fn mean_rate_bps(&self, from: Time, end: Time) -> f64 {
        self.bits_between(from, end) / (end - from).as_seconds()
    }

    /// Capacity in bits between `from` and `until`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn bits_between(&self, from: Time, until: Time) -> f64 {
        let bits = |(begin, end, rate): (Time, Time, Option<Rate>)| {
            let lasting = Span(end.0.saturating_sub(begin.0));
            rate.map_or(0.0, |rate| rate.0 as f64 * lasting.as_seconds())
        };
        self.rates_between(from, until).map(bits).sum()
    }

    /// Data rates between `from` and `until`, each with its beginning and end.
    pub fn rates_between(&self, from: Time, until: Time) -> impl Iterator<Item = (Time, Time, Option<Rate>)> {
        let steps = &self.0[self.index_at(from)..];
        let ends = steps[1..].iter().map(move |step| step.time.min(until)).chain([until]);
        let stretches = steps.iter().zip(ends).take_while(move |(step, _)| step.time < until);
        stretches.map(move |(step, end)| (step.time.max(from), end, step.rate))
    }

    /// Delays, losses and interruptions of these conditions, at a constant rate.
    #[must_use]
    pub fn at_rate(&self, rate: Rate) -> Self {
        Self(self.0.iter().map(|step| Step { rate: step.rate.map(|_| rate), ..*step }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Steps(Vec<Step>);

    impl Path for Steps {
        fn steps(&self) -> Vec<Step> {
            self.0.clone()
        }
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1_000_000 * seconds)
    }

    /// 8 bit/s, interrupted from 2 s to 4 s, then 4 bit/s; the run ends after 8 s.
    fn conditions() -> Conditions {
        let delay = Span::from_microseconds(1000);
        let context = PathContext {
            chance: Chance { seed: 1, replication: 0 },
            link: None,
            duration: Span::from_microseconds(8_000_000),
            rate: Rate(8),
            delay,
        };
        let step = |seconds, rate| Step { time: at(seconds), rate, delay, jitter: Span::ZERO, loss: 0.0 };
        Conditions::of(&Steps(vec![step(2, None), step(4, Some(Rate(4))), step(9, None)]), &context)
    }

    #[test]
    fn a_path_is_as_its_latest_step_and_as_the_topology_before_and_after() {
        let conditions = conditions();
        let rates = [0, 1, 2, 3, 4, 7, 8, 100].map(|second| conditions.at(at(second)).rate.map(|rate| rate.0));
        assert_eq!(rates, [Some(8), Some(8), None, None, Some(4), Some(4), Some(8), Some(8)]);
    }

    #[test]
    fn what_lasts_for_no_time_is_no_state() {
        let begins = |seconds: u64| conditions().before(at(seconds)).iter().map(|step| step.time).collect::<Vec<_>>();
        assert_eq!(begins(8), [at(0), at(2), at(4)]);
        assert_eq!(begins(3), [at(0), at(2)]);
        let context = PathContext {
            chance: Chance { seed: 1, replication: 0 },
            link: None,
            duration: Span::from_microseconds(8_000_000),
            rate: Rate(8),
            delay: Span::ZERO,
        };
        let from_the_start = Conditions::of(&Steps(vec![Step { rate: None, ..context.nominal(at(0)) }]), &context);
        assert_eq!(from_the_start.before(at(8)).iter().map(|step| step.rate).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn what_comes_during_an_interruption_goes_when_it_is_over() {
        let conditions = conditions();
        assert_eq!(conditions.open_from(at(1)).0, at(1));
        let (time, step) = conditions.open_from(at(3));
        assert_eq!((time, step.rate), (at(4), Some(Rate(4))));
    }

    #[test]
    fn the_mean_rate_is_that_of_the_whole_run() {
        // 2 s of 8 bit/s, 2 s of none and 4 s of 4 bit/s are 32 bits in 8 s.
        assert_eq!(conditions().mean_rate_bps(Time::ZERO, at(8)), 4.0);
    }

    #[test]
    fn bits_are_those_of_the_time_between() {
        let between = |from, until| conditions().bits_between(at(from), at(until));
        assert_eq!([between(0, 1), between(1, 3), between(2, 4), between(3, 6)], [8.0, 8.0, 0.0, 8.0]);
        assert_eq!([between(5, 8), between(0, 8), between(6, 10)], [12.0, 32.0, 24.0]);
    }
}
