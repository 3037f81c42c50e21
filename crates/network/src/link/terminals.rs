//! A carrier that terminals share: each has a code of its own, and so a rate.

use std::sync::Arc;

use longfat_foundation::units::{Rate, Time};

use crate::path::Conditions;

/// Conditions of the terminals that a line's packets are for, by circuit.
#[derive(Clone, Debug)]
pub struct Terminals {
    /// By circuit, the place of its terminal.
    of_circuit: Arc<[Option<u32>]>,
    conditions: Arc<[Conditions]>,
}

impl Terminals {
    /// Of terminals with `conditions`; of each circuit the place among them, or `None` if its packets have the line's rate.
    #[must_use]
    pub fn new(of_circuit: Vec<Option<u32>>, conditions: Vec<Conditions>) -> Self {
        Self { of_circuit: of_circuit.into(), conditions: conditions.into() }
    }

    fn of(&self, circuit: usize) -> Option<&Conditions> {
        // Backgrounds have circuits beyond those of connections.
        let place = (*self.of_circuit.get(circuit)?)?;
        self.conditions.get(place as usize)
    }

    /// Rate at which a packet of a circuit is sent at `now`, if it is for one of the terminals. While no code would stand, it is sent with the
    /// code before, and lost.
    #[must_use]
    pub fn rate(&self, circuit: usize, now: Time) -> Option<Rate> {
        self.of(circuit)?.latest_rate(now)
    }

    /// Probability that a packet of a circuit is lost at `now`; zero if it is for none of the terminals.
    #[must_use]
    pub fn loss(&self, circuit: usize, now: Time) -> f64 {
        let step = self.of(circuit).map(|conditions| conditions.at(now));
        step.map_or(0.0, |step| if step.rate.is_none() { 1.0 } else { step.loss })
    }
}
