//! Events in a binary heap, as in simulators of the 1990s: each cell under way is one of them.

use longfat_foundation::units::Time;
use longfat_network::framing::Class;

use super::Events;
use crate::observer::Observer;
use crate::simulation::network::Network;

impl<O: Observer> Network<O, Events> {
    /// Puts the arrivals of the cells into the heap that were handed to a line last.
    #[cold]
    pub(super) fn add_arrivals(&mut self, line: usize) {
        let slot = self.agenda.cells(line);
        for time in self.links[line].line.latest_arrivals() {
            self.calendar.add(slot, time);
        }
    }

    /// A port ends a transmission and begins the next one.
    #[cold]
    pub(super) fn take_turn(&mut self, now: Time, number: usize) {
        self.serve(now, number);
        let state = self.driver.ports[number].state();
        if state.sends() == Some(Class::Ubr) {
            self.add_arrivals(state.line);
        }
    }
}
