//! The connections that have not begun.

use longfat_foundation::calendar::Calendar;
use longfat_foundation::units::Time;
use longfat_hosts::traffic::Source;

use super::{Drive, Network, OTHER_RANK};
use crate::observer::Observer;

/// When connections begin, in one slot of the calendar: of a hundred thousand few may be busy at once.
#[derive(Default)]
pub struct Starts {
    /// The next one is last. With it goes its place among all events of its instant, as if all had been put into the calendar at first.
    coming: Vec<(Time, u32)>,
    /// The place of connection 0.
    first_place: u64,
}

impl Starts {
    /// Of connections with these sources, without those that wait for others.
    #[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 connections")]
    pub fn planned(sources: &[Box<dyn Source>], waits: impl Fn(usize) -> bool, calendar: &mut Calendar) -> Self {
        let coming = sources.iter().enumerate().filter(|(connection, _)| !waits(*connection));
        let mut coming: Vec<_> = coming.map(|(connection, source)| (source.start(), connection as u32)).collect();
        coming.sort_unstable();
        coming.reverse();
        Self { coming, first_place: calendar.keep(sources.len() as u64) }
    }

    /// Adds connections that have waited, each with the time at which it begins.
    pub fn add(&mut self, connections: impl IntoIterator<Item = (Time, u32)>) {
        self.coming.extend(connections);
        self.coming.sort_unstable_by(|one, other| other.cmp(one));
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// Puts into the calendar when the next connection begins.
    pub fn watch_starts(&mut self) {
        let slot = self.agenda.starts();
        match self.starts.coming.last() {
            Some(&(time, connection)) => {
                let place = self.starts.first_place + u64::from(connection);
                self.calendar.schedule_kept(slot, time, OTHER_RANK, place);
            }
            None => self.calendar.cancel(slot),
        }
    }

    /// A connection begins.
    pub fn start_next(&mut self, now: Time) {
        if let Some((_, connection)) = self.starts.coming.pop() {
            self.watch_starts();
            self.wake(now, connection as usize, true);
        }
    }
}
