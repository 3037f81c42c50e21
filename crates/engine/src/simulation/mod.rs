//! A run: a network with its end systems, and a driver that advances time in it.
//!
//! `network` is what both drivers share; `events` and `fast` are the drivers. Which of them is at work is decided here.

mod events;
mod fast;
mod network;
mod outside;
mod told;

pub use network::{Driver, End, Numbers, Violation};
pub use told::run_told;

use events::{Events, Impairments};
use fast::{Fast, Scope, Tie};
use longfat_foundation::measure::RunRecord;
use longfat_foundation::units::Time;
use network::{AtRest, Drive, Network};

use crate::observer::{Observer, Unobserved};
use crate::scenario::Scenario;

/// Simulates a scenario from beginning to end.
///
/// # Errors
/// If a conservation law does not hold at the end, which would be a mistake of the engine.
pub fn run(scenario: &Scenario) -> Result<RunRecord, Violation> {
    run_by(Driver::default(), scenario)
}

/// Simulates a scenario from beginning to end, with the driver asked for if it can.
///
/// # Errors
/// If a conservation law does not hold at the end, which would be a mistake of the engine.
pub fn run_by(driver: Driver, scenario: &Scenario) -> Result<RunRecord, Violation> {
    let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
    simulation.advance(simulation.end());
    simulation.finish()
}

/// Why a run with an observer goes by events, as its record says.
const TOLD_OF_EVERY_EVENT: &str = "an observer sees every event";

/// One run in progress.
pub struct Simulation<O: Observer>(Run<O>);

/// The network under one of the drivers.
enum Run<O: Observer> {
    Events(Box<Network<O, Events>>),
    Fast(Box<Network<O, Fast>>),
}

/// An expression of the network, whatever its driver.
macro_rules! of_network {
    ($run:expr, $network:ident => $value:expr) => {
        match $run {
            Run::Events($network) => $value,
            Run::Fast($network) => $value,
        }
    };
}

impl<O: Observer> Simulation<O> {
    /// A network at rest, its sources about to start.
    #[must_use]
    pub fn new(scenario: &Scenario, observer: O) -> Self {
        Self::driven_by(Driver::default(), scenario, observer)
    }

    /// [`new`](Self::new) with the driver asked for, if it can.
    #[must_use]
    pub fn driven_by(driver: Driver, scenario: &Scenario, observer: O) -> Self {
        let mut rest = AtRest::of(scenario);
        let impairments = Impairments::place(&mut rest);
        let handed_over = match driver {
            Driver::Events => None,
            Driver::Fast if observer.interests().one_order => Some(TOLD_OF_EVERY_EVENT),
            Driver::Fast => match Scope::of(&rest) {
                Ok(scope) => return Self(Run::Fast(Box::new(Fast::start(rest, scope, observer)))),
                Err(reason) => Some(reason),
            },
        };
        Self(Run::Events(Box::new(Events::start(rest, impairments, handed_over.map(Into::into), observer))))
    }

    /// Simulates all that happens before `until` and before the end.
    pub fn advance(&mut self, until: Time) {
        self.advance_at_most(until, u64::MAX);
    }

    /// [`advance`](Self::advance), but at most `events` events; under lookahead about as many of the end systems.
    /// Returns whether all before `until` has been simulated.
    pub fn advance_at_most(&mut self, until: Time, events: u64) -> bool {
        let until = until.min(self.end());
        if let Run::Fast(network) = &mut self.0 {
            match network.advance(until, events) {
                Ok(is_done) => return is_done,
                Err(tie) => self.begin_again(tie),
            }
        }
        match &mut self.0 {
            Run::Events(network) => network.advance(until, events),
            Run::Fast(_) => true,
        }
    }

    /// Simulates from the beginning by events, because lookahead cannot order two events.
    fn begin_again(&mut self, tie: Tie) {
        let (observer, scenario) = of_network!(&mut self.0, network => (network.observer.again(), &network.scenario));
        let observer = observer.expect("only observers that can begin again do without one order of time");
        let seconds = tie.0.as_seconds();
        let reason = format!("only events tell which of two things at {seconds} s was first");
        let mut rest = AtRest::of(scenario);
        let impairments = Impairments::place(&mut rest);
        *self = Self(Run::Events(Box::new(Events::start(rest, impairments, Some(reason), observer))));
    }

    /// The driver at work.
    #[must_use]
    pub fn driver(&self) -> Driver {
        fn of<O: Observer, D: Drive>(_: &Network<O, D>) -> Driver {
            D::DRIVER
        }
        of_network!(&self.0, network => of(network))
    }

    /// When the simulation ends.
    #[must_use]
    pub fn end(&self) -> Time {
        of_network!(&self.0, network => network.end)
    }

    /// The time before which all has been simulated of the end systems, and by events of all else.
    #[must_use]
    pub fn now(&self) -> Time {
        of_network!(&self.0, network => {
            network.calendar.first().0.min(network.driver.next_arrival()).min(network.end)
        })
    }

    /// Events so far; under lookahead no more than there were, until all before a time is simulated.
    #[must_use]
    pub fn events(&self) -> u64 {
        of_network!(&self.0, network => {
            network.events_processed + network.driver.events_not_counted(network.events_processed)
        })
    }

    /// How often events were put into the calendar and taken out of it so far.
    #[must_use]
    pub fn calendar_acts(&self) -> u64 {
        of_network!(&self.0, network => network.calendar.acts())
    }

    /// Bytes that the run has allocated, nearly: all that grows with the number of packets under way, and the entities themselves.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        of_network!(&self.0, network => network.memory_bytes())
    }

    /// The most packets that were under way at once so far.
    #[must_use]
    pub fn most_packets(&self) -> usize {
        of_network!(&self.0, network => network.packets.most())
    }

    /// Checks that cells in = cells out + dropped + held, everywhere, and that every byte was delivered once and in order.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn audit(&self) -> Result<(), Violation> {
        of_network!(&self.0, network => network.audit())
    }

    /// Checks the conservation laws and gives the results.
    ///
    /// # Errors
    /// If a law does not hold.
    pub fn finish(self) -> Result<RunRecord, Violation> {
        self.finish_observed().map(|(record, _)| record)
    }

    /// [`finish`](Self::finish), with the observer.
    ///
    /// # Errors
    /// If a law does not hold.
    pub fn finish_observed(self) -> Result<(RunRecord, O), Violation> {
        of_network!(self.0, network => network.finish())
    }

    /// The observer.
    pub fn observer_mut(&mut self) -> &mut O {
        of_network!(&mut self.0, network => &mut network.observer)
    }

    /// The observer, once the simulation is over.
    pub fn into_observer(self) -> O {
        of_network!(self.0, network => network.observer)
    }
}
