//! A simulation that waits for decisions.

use std::sync::{Arc, Mutex, PoisonError};

use longfat_engine::config::{Document, Numbers};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Unobserved;
use longfat_engine::path::Conditions;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::control::{Control, Controls};
use longfat_engine::transport::law::WindowLaw;
use longfat_engine::units::{Rate, Time};
use longfat_engine::{Driver, Simulation, Violation};

use crate::course::Course;
use crate::law::{AtIntervals, locked};
use crate::{Interval, Settings};

/// A simulation that advances from decision to decision. Each connection with the control [`Episode::LEARNER`] is an agent: first those
/// that send data, in order, then those that send their requests.
pub struct Episode {
    settings: Settings,
    agents: Vec<Arc<Mutex<Course>>>,
    simulation: Simulation<Unobserved>,
    bottleneck: Bottleneck,
    intervals: u64,
}

impl Episode {
    /// Name of the control, in scenarios, of the connections that agents decide for.
    pub const LEARNER: &str = "learner";

    /// Starts a scenario and simulates the first interval, without decisions.
    ///
    /// # Errors
    /// The errors of the scenario, one line each; or that there is nothing to decide, or no agent.
    pub fn begin(document: Document, settings: Settings, driver: Driver) -> Result<Self, Vec<String>> {
        let (scenario, learner) = prepare(document, settings)?;
        let simulation = Simulation::driven_by(driver, &scenario, Unobserved);
        let agents = learner.seal();
        if agents.is_empty() {
            let flavor = format!("{{ kind = \"external\", control = \"{}\" }}", Self::LEARNER);
            return Err(vec![format!("nothing to decide: no connection has the flavor {flavor}")]);
        }
        if settings.interval >= simulation.end() - Time::ZERO {
            let (whole, first) = (simulation.end().as_seconds(), settings.interval.as_seconds());
            return Err(vec![format!(
                "nothing to decide: the scenario lasts {whole} s and the first decision comes after {first} s; a shorter interval leaves some"
            )]);
        }
        let mut episode = Self { settings, agents, simulation, bottleneck: Bottleneck::of(&scenario), intervals: 0 };
        episode.pass();
        Ok(episode)
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// True if the scenario is over and there is nothing left to decide.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.boundary() >= self.simulation.end()
    }

    /// Carries out one decision per agent and simulates an interval.
    ///
    /// # Panics
    /// If the number of decisions differs from that of agents, or the scenario is over.
    pub fn step(&mut self, decisions: &[f64]) {
        assert_eq!(decisions.len(), self.agents.len(), "a decision for each agent");
        assert!(!self.is_over(), "the scenario is over");
        for (agent, &decision) in self.agents.iter().zip(decisions) {
            locked(agent).decide(decision);
        }
        self.pass();
    }

    /// Observations of the agents in the latest interval; call once per interval.
    ///
    /// # Panics
    /// If it is called again.
    pub fn observe(&mut self) -> impl Iterator<Item = Interval> {
        let (now, end_s) = (self.boundary(), self.simulation.end().as_seconds());
        self.agents.iter().map(move |agent| {
            let seen = locked(agent).close_undecided(now).expect("asked once for each interval");
            Interval { end_s: seen.end_s.min(end_s), ..seen }
        })
    }

    /// Capacity of the bottleneck in the latest interval, given the path at that time.
    #[must_use]
    pub fn capacity_bytes(&self) -> f64 {
        let from = Time(self.settings.interval.0 * (self.intervals - 1));
        self.bottleneck.bits_between(from, self.boundary().min(self.simulation.end())) / 8.0
    }

    /// Simulates the rest of the run without decisions; returns its record.
    ///
    /// # Errors
    /// If a law of conservation is violated.
    pub fn finish(mut self) -> Result<RunRecord, Violation> {
        self.simulation.advance(self.simulation.end());
        self.simulation.finish()
    }

    fn boundary(&self) -> Time {
        Time(self.settings.interval.0 * self.intervals)
    }

    fn pass(&mut self) {
        self.intervals += 1;
        self.simulation.advance(self.boundary());
    }
}

/// Rate of the bottleneck: constant, or that of a changing path.
enum Bottleneck {
    Steady(Rate),
    Changing(Conditions),
}

impl Bottleneck {
    fn of(scenario: &Scenario) -> Self {
        let graph = scenario.graph();
        let rate = graph.bottleneck().map_or(Rate(0), |link| link.rate);
        scenario.conditions(&graph).map_or(Self::Steady(rate), Self::Changing)
    }

    #[expect(clippy::cast_precision_loss, reason = "a reward needs no more than 53 bits")]
    fn bits_between(&self, from: Time, until: Time) -> f64 {
        match self {
            Self::Steady(rate) => rate.0 as f64 * (until - from).as_seconds(),
            Self::Changing(conditions) => conditions.bits_between(from, until),
        }
    }
}

/// The scenario, with a learner of its own.
fn prepare(document: Document, settings: Settings) -> Result<(Scenario, Arc<Learner>), Vec<String>> {
    let learner = Arc::new(Learner { settings, seats: Mutex::default() });
    let mut controls = Controls::default();
    controls.provide(Episode::LEARNER, Arc::<Learner>::clone(&learner));
    let scenario = Scenario::check(&document.provided_with(controls))?;
    match scenario.missing_controls().first() {
        Some(missing) => Err(vec![format!(
            "the only control that is decided for is \"{}\", not \"{}\"",
            Episode::LEARNER,
            missing.name()
        )]),
        None => Ok((scenario, learner)),
    }
}

/// The control of all agents, which gives each a course.
struct Learner {
    settings: Settings,
    seats: Mutex<Seats>,
}

/// A restarted simulation requests the laws again, in the same order.
#[derive(Default)]
struct Seats {
    courses: Vec<Arc<Mutex<Course>>>,
    are_all: bool,
    asked: usize,
}

impl Learner {
    /// Ends the first pass: later requests for laws are repetitions. Returns the courses.
    fn seal(&self) -> Vec<Arc<Mutex<Course>>> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.are_all = true;
        seats.asked = 0;
        seats.courses.clone()
    }

    fn seat(&self) -> Arc<Mutex<Course>> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if !seats.are_all {
            seats.courses.push(Arc::new(Mutex::new(Course::new(self.settings))));
        }
        let number = seats.asked % seats.courses.len();
        seats.asked += 1;
        let course = Arc::clone(&seats.courses[number]);
        locked(&course).begin_again();
        course
    }
}

impl Control for Learner {
    fn digest(&self) -> &str {
        self.settings.steers.name()
    }

    fn law(&self, _parameters: &Numbers) -> Box<dyn WindowLaw> {
        // Decisions are made before time advances, until there are no further ones.
        Box::new(AtIntervals { course: self.seat(), decide: Box::new(|_| 0.0) })
    }
}

#[cfg(test)]
mod tests {
    use longfat_engine::units::Span;

    use super::*;
    use crate::Steers;

    const PATH: &str = r#"
        schema_version = 1
        duration = "3 s"
        topology = { kind = "n-source", sources = 2, access = { delay = "1 ms" }, bottleneck = { rate = "20 Mbit/s", delay = "9 ms" } }
        framing = "packet"
        port = { buffer = "20 packets" }
        tcp = { preset = "linux-like", flavor = { kind = "external", control = "learner" } }
    "#;

    /// The fast driver restarts with events in the rare case that it cannot order two simultaneous events.
    #[test]
    fn a_simulation_that_begins_again_carries_out_the_decisions_that_were_made() {
        let [undisturbed, begun_again] = [false, true].map(|begins_again| {
            let settings = Settings { interval: Span(30_000_000_000), steers: Steers::Window };
            let document = Document::parse(PATH.as_bytes(), "path.toml").expect("it is TOML");
            let (scenario, learner) = prepare(document, settings).expect("a good scenario");
            let simulation = || Simulation::driven_by(Driver::Events, &scenario, Unobserved);
            let bottleneck = Bottleneck::of(&scenario);
            let mut episode =
                Episode { simulation: simulation(), agents: learner.seal(), settings, bottleneck, intervals: 0 };
            episode.pass();
            let mut windows = Vec::new();
            while !episode.is_over() {
                if begins_again && episode.intervals == 40 {
                    episode.simulation = simulation();
                    episode.simulation.advance(episode.boundary());
                }
                let seen: Vec<_> = episode.observe().collect();
                windows.extend(seen.iter().map(|seen| seen.window_bytes));
                episode.step(&seen.iter().map(|seen| 0.4 - seen.losses).collect::<Vec<_>>());
            }
            assert!(windows.iter().any(|window| *window > 50_000.0), "{windows:?}");
            (windows, episode.finish().expect("nothing is lost").fingerprint)
        });
        assert_eq!(begun_again, undisturbed);
    }
}
