//! The occupancy of the port's buffer by circuit, for observers of it.

use longfat_foundation::units::{LineClock, Time};
use longfat_network::framing::Cell;
use longfat_network::switch::{Leaving, Port, PortQueue, PortState, TrainOutlet};

use super::exit::Behind;

use crate::observer::{Arriving, Observer, SlotRun};
use crate::simulation::network::Reports;

/// The circuits whose occupancy may change in a slot; kept for its memory.
#[derive(Default)]
pub(super) struct Touched(Vec<usize>);

impl Touched {
    /// Notes the circuits that the next service may change.
    #[inline]
    pub fn by_service<O: Observer>(&mut self, port: &PortState, reports: &Reports<'_, O>) {
        if reports.observer.interests().shares {
            self.0.clear();
            port.touched_by_service(&mut self.0);
        }
    }

    /// Notes the circuits of the cells that arrive in each of the next slots.
    pub fn by_cells<O: Observer>(&mut self, cells: &[Cell], reports: &Reports<'_, O>) {
        if reports.observer.interests().shares {
            self.0.clear();
            self.0.extend(cells.iter().map(|cell| cell.circuit()));
        }
    }

    /// Reports the noted circuits and that of the cell that was sent, after a service.
    #[inline]
    pub fn tell<O: Observer, Q: PortQueue>(&mut self, now: Time, port: &mut Port<Q>, reports: &mut Reports<'_, O>) {
        if reports.observer.interests().shares {
            port.settle_shares();
            let touched = self.0.len();
            if let Some(latest) = port.latest() {
                self.0.push(latest.circuit());
            }
            reports.observer.shares_changed(now, reports.port, port.state(), Some(&self.0));
            self.0.truncate(touched);
        }
    }
}

/// The line behind a port that serves a run of slots, for an observer of occupancies.
pub(super) struct Followed<'f, 's, O> {
    pub behind: Behind<'f>,
    pub reports: &'f mut Reports<'s, O>,
    pub arriving: Arriving<'f>,
    /// The slots that are not reported yet.
    pub run: SlotRun,
}

impl<O: Observer> TrainOutlet for Followed<'_, '_, O> {
    fn send_train_at(&mut self, clock: LineClock, cells: u64, free: LineClock) {
        self.behind.send_train_at(clock, cells, free);
    }

    fn note_last_at(&mut self, clock: LineClock, after: u64, last: Cell) {
        self.behind.note_last_at(clock, after, last);
    }

    fn follows_circuits(&self) -> bool {
        true
    }

    #[inline]
    fn note_leaving(&mut self, cells: u64, leaving: Leaving<'_>) {
        let run = SlotRun { number: cells, ..self.run };
        let arriving = self.arriving.take_slots(cells);
        self.reports.observer.shares_moved(self.reports.port, &run, arriving, leaving);
        self.run.skipped += cells;
        self.run.number -= cells;
    }
}
