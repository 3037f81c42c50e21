//! Event calendar: pending events ordered by time, then rank, then insertion.
//!
//! Each entity of a simulation (a wire, a port, a flow's timer, a source) has at most one pending event, so the calendar is a tournament
//! tree with one leaf per entity: scheduling, moving and cancelling cost the height of the tree and allocate nothing. The few entities with
//! most of the events have seats outside the tree, which cost nothing to set and one comparison each per event. Timers are set again and
//! again before they expire, nearly always to a later time: such a change is only noted, and the leaf moves when its old time has come. The
//! calendar knows no models.
//!
//! On request a calendar keeps its events in a binary heap instead, where simultaneous events have no order of their own ([`heap`]).

pub mod heap;

use std::hint::select_unpredictable;

use crate::units::{Span, Time};
use heap::EventList;

/// An entity's slot in the calendar: a seat if its number is below [`SEATS`], otherwise a leaf of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

/// Number of seats: for the bottleneck's port and line, which cause two thirds of all events of a run in cells.
pub const SEATS: usize = 2;

/// Order among simultaneous events: rank in the upper bits, insertion number below.
const RANK_SHIFT: u32 = 60;

/// Winner of a subtree.
#[derive(Clone, Copy)]
struct Match {
    time: u64,
    order: u64,
    winner: u32,
}

impl Match {
    fn key(self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.order)
    }

    /// Returns the earlier of two, without a branch, which would be unpredictable.
    #[inline]
    fn or_earlier(self, rival: Self) -> Self {
        let rival_wins = rival.key() < self.key();
        Self {
            time: select_unpredictable(rival_wins, rival.time, self.time),
            order: select_unpredictable(rival_wins, rival.order, self.order),
            winner: select_unpredictable(rival_wins, rival.winner, self.winner),
        }
    }
}

/// When an event is due, and its order among those of that instant; an order of zero stands for nothing.
#[derive(Clone, Copy, Default)]
struct Due {
    time: u64,
    order: u64,
}

impl Due {
    const NEVER: Self = Self { time: u64::MAX, order: u64::MAX };
}

/// A set of pending events, at most one per slot.
pub struct Calendar {
    seats: [Match; SEATS],
    /// Node 1 is the root, the children of node n are 2n and 2n + 1; the leaves are the upper half.
    tree: Vec<Match>,
    leaves: usize,
    /// The first slot of timers, and to when each of these was postponed since its leaf was set, if it was.
    timers_from: usize,
    postponed: Vec<Due>,
    insertions: u64,
    cancellations: u64,
    /// The events, if a heap keeps them; node 1 then shows its root. All slots are beyond the seats and of timers, so that nothing else asks.
    list: Option<Box<EventList>>,
}

impl Calendar {
    /// Creates a calendar for `slots` slots, including the seats, with no event pending. Slots from `timers_from` on are of timers.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` slots.
    #[must_use]
    pub fn new(slots: usize, timers_from: usize) -> Self {
        let leaves = slots.saturating_sub(SEATS).max(1);
        let timers_from = timers_from.max(SEATS);
        // The initial value of a node never wins against an event.
        let tree = (0..2 * leaves).map(|node| never(SEATS + node % leaves)).collect();
        let postponed = vec![Due::default(); (SEATS + leaves).saturating_sub(timers_from)];
        let seats = std::array::from_fn(never);
        Self { seats, tree, leaves, timers_from, postponed, insertions: 0, cancellations: 0, list: None }
    }

    /// Creates a calendar that keeps its events in a heap, at times of whole ticks. No slot may have a seat, and ranks have no effect.
    #[must_use]
    pub fn in_heap(slots: usize, tick: Span) -> Self {
        let calendar = Self::new(slots, SEATS);
        let list = Some(Box::new(EventList::new(calendar.slots(), tick.0)));
        Self { list, ..calendar }
    }

    /// Adds an event to those that `slot` has: it comes in any case, and nothing else is scheduled there. Only in a heap.
    pub fn add(&mut self, slot: Slot, time: Time) {
        self.insertions += 1;
        if let Some(list) = &mut self.list {
            list.add(slot, time.0);
            self.tree[1] = list.first();
        }
    }

    /// Number of slots; at least as many as were requested.
    #[must_use]
    pub fn slots(&self) -> usize {
        SEATS + self.leaves
    }

    /// Enlarges the calendar to `slots` slots; pending events stay.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` slots.
    pub fn grow(&mut self, slots: usize) {
        let mut grown = Self::new(slots.max(self.slots()), self.timers_from);
        grown.tree[grown.leaves..][..self.leaves].copy_from_slice(&self.tree[self.leaves..]);
        for node in (1..grown.leaves).rev() {
            grown.tree[node] = grown.tree[2 * node].or_earlier(grown.tree[2 * node + 1]);
        }
        self.postponed.resize(grown.postponed.len(), Due::default());
        (self.tree, self.leaves) = (grown.tree, grown.leaves);
        let slots = self.slots();
        if let Some(list) = &mut self.list {
            list.grow(slots);
            self.tree[1] = list.first();
        }
    }

    /// Schedules the event of `slot` at `time`; replaces a pending one.
    ///
    /// Simultaneous events are ordered by `rank`, then by insertion.
    #[inline]
    pub fn schedule(&mut self, slot: Slot, time: Time, rank: u8) {
        let place = self.keep(1);
        self.schedule_kept(slot, time, rank, place);
    }

    /// Reserves the insertion numbers of `events` events, for [`schedule_kept`](Self::schedule_kept); returns the first.
    #[inline]
    pub fn keep(&mut self, events: u64) -> u64 {
        self.insertions += events;
        self.insertions - events + 1
    }

    /// Schedules an event with an insertion number reserved by [`keep`](Self::keep), as if it had been inserted then.
    #[inline]
    pub fn schedule_kept(&mut self, slot: Slot, time: Time, rank: u8, place: u64) {
        let order = (u64::from(rank) << RANK_SHIFT) | place;
        self.place(slot, Due { time: time.0, order });
    }

    /// Cancels the event of `slot`, if any.
    #[inline]
    pub fn cancel(&mut self, slot: Slot) {
        self.cancellations += 1;
        self.place(slot, Due::NEVER);
    }

    /// Number of events scheduled or cancelled so far.
    #[must_use]
    pub fn acts(&self) -> u64 {
        self.insertions + self.cancellations
    }

    /// Earliest event, which stays pending until it is rescheduled or cancelled; `Time::NEVER` if there is none. It is a time to
    /// [`renew`](Self::renew) a timer, and no event, if that was postponed.
    #[must_use]
    #[inline]
    pub fn first(&self) -> (Time, Slot) {
        let first = self.seats.iter().fold(self.tree[1], |first, &seat| first.or_earlier(seat));
        (Time(first.time), Slot(first.winner))
    }

    /// Earliest event outside the seats.
    #[must_use]
    #[inline]
    pub fn first_beyond_seats(&self) -> (Time, Slot) {
        let first = self.tree[1];
        (Time(first.time), Slot(first.winner))
    }

    /// Moves the first event to the time to which it was postponed; returns false if it was not, and is due.
    #[inline(always)]
    pub fn renew(&mut self, first: Slot) -> bool {
        first.0 as usize >= self.timers_from && self.renew_timer(first)
    }

    #[inline(never)]
    fn renew_timer(&mut self, first: Slot) -> bool {
        if let Some(list) = &mut self.list {
            let is_due = list.take();
            if !is_due {
                self.tree[1] = list.first();
            }
            return !is_due;
        }
        let due = std::mem::take(&mut self.postponed[first.0 as usize - self.timers_from]);
        if due.order > 0 {
            self.set_leaf(first, due);
        }
        due.order > 0
    }

    // Always: by events nearly all that is scheduled has a seat, or belongs to a line.
    #[inline(always)]
    fn place(&mut self, slot: Slot, due: Due) {
        let number = slot.0 as usize;
        if let Some(seat) = self.seats.get_mut(number) {
            *seat = Match { time: due.time, order: due.order, winner: slot.0 };
        } else if number >= self.timers_from {
            self.place_timer(slot, due);
        } else {
            self.set_leaf(slot, due);
        }
    }

    #[inline(never)]
    fn place_timer(&mut self, slot: Slot, due: Due) {
        if let Some(list) = &mut self.list {
            list.place(slot, due);
            self.tree[1] = list.first();
            return;
        }
        let number = slot.0 as usize;
        let postponed = &mut self.postponed[number - self.timers_from];
        if due.time > self.tree[number - SEATS + self.leaves].time {
            *postponed = due;
            return;
        }
        *postponed = Due::default();
        self.set_leaf(slot, due);
    }

    #[inline(always)]
    fn set_leaf(&mut self, slot: Slot, due: Due) {
        let mut node = slot.0 as usize - SEATS + self.leaves;
        let tree = self.tree.as_mut_slice();
        let mut best = Match { time: due.time, order: due.order, winner: slot.0 };
        tree[node] = best;
        while node > 1 {
            best = best.or_earlier(tree[node ^ 1]);
            node /= 2;
            tree[node] = best;
        }
    }
}

/// A match without an event, for the slot with that number.
fn never(slot: usize) -> Match {
    Match { time: u64::MAX, order: u64::MAX, winner: u32::try_from(slot).expect("at most u32::MAX slots") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn drain(calendar: &mut Calendar) -> Vec<(u64, u32)> {
        let mut events = Vec::new();
        loop {
            let (time, slot) = calendar.first();
            if calendar.renew(slot) {
                continue;
            }
            if time == Time::NEVER {
                return events;
            }
            events.push((time.0, slot.0));
            calendar.cancel(slot);
        }
    }

    #[test]
    fn events_of_one_instant_come_by_rank_then_insertion() {
        let mut calendar = Calendar::new(5, 5);
        for (slot, time, rank) in [(4, 7, 1), (0, 7, 1), (2, 7, 0), (1, 3, 1), (3, 7, 1)] {
            calendar.schedule(Slot(slot), Time(time), rank);
        }
        assert_eq!(drain(&mut calendar), [(3, 1), (7, 2), (7, 4), (7, 0), (7, 3)]);
    }

    #[test]
    fn an_event_whose_place_was_kept_comes_as_if_it_had_been_scheduled_then() {
        let mut calendar = Calendar::new(5, 5);
        let first = calendar.keep(2);
        calendar.schedule(Slot(2), Time(7), 1);
        calendar.schedule_kept(Slot(4), Time(7), 1, first + 1);
        calendar.schedule_kept(Slot(3), Time(7), 1, first);
        assert_eq!(drain(&mut calendar), [(7, 3), (7, 4), (7, 2)]);
    }

    #[test]
    fn a_timer_that_is_set_later_or_cancelled_is_renewed_where_it_was_due() {
        let mut calendar = Calendar::new(6, 3);
        [(3, 5), (4, 6), (5, 7)].into_iter().for_each(|(slot, time)| calendar.schedule(Slot(slot), Time(time), 1));
        calendar.schedule(Slot(3), Time(9), 1);
        calendar.cancel(Slot(4));
        calendar.schedule(Slot(5), Time(4), 1);
        assert_eq!(calendar.first(), (Time(4), Slot(5)), "what is set earlier moves at once");
        assert!(!calendar.renew(Slot(5)));
        calendar.cancel(Slot(5));
        assert!(calendar.renew(Slot(5)));
        assert_eq!(calendar.first(), (Time(5), Slot(3)), "not yet renewed");
        assert!(calendar.renew(Slot(3)) && calendar.renew(Slot(4)));
        assert_eq!(calendar.first(), (Time(9), Slot(3)));
    }

    #[test]
    fn a_calendar_in_a_heap_shows_its_root_whatever_was_set_last() {
        let mut calendar = Calendar::in_heap(5, Span(1));
        calendar.schedule(Slot(2), Time(7), 1);
        calendar.add(Slot(3), Time(4));
        calendar.add(Slot(3), Time(5));
        let mut events = Vec::new();
        while calendar.first().0 < Time::NEVER {
            let (time, slot) = calendar.first();
            if !calendar.renew(slot) {
                events.push((time.0, slot.0));
            }
        }
        assert_eq!(events, [(4, 3), (5, 3), (7, 2)]);
    }

    proptest! {
        #[test]
        fn a_calendar_behaves_like_a_sorted_map(
            operations in prop::collection::vec((0_u32..37, 0_u64..50, 0_u8..2, prop::bool::weighted(0.8)), 0..300),
            (slots, timers_from) in (0_usize..40, 0_usize..40),
        ) {
            let mut calendar = Calendar::new(slots, timers_from);
            let mut model: BTreeMap<u32, (u64, u8, usize)> = BTreeMap::new();
            for (order, (slot, time, rank, schedule)) in operations.into_iter().enumerate() {
                if slot as usize >= calendar.slots() {
                    calendar.grow(slot as usize + 1);
                }
                if schedule {
                    calendar.schedule(Slot(slot), Time(time), rank);
                    model.insert(slot, (time, rank, order));
                } else {
                    calendar.cancel(Slot(slot));
                    model.remove(&slot);
                }
            }
            let mut expected: Vec<_> = model.into_iter().map(|(slot, key)| (key, slot)).collect();
            expected.sort_unstable();
            let expected: Vec<_> = expected.into_iter().map(|((time, ..), slot)| (time, slot)).collect();
            prop_assert_eq!(drain(&mut calendar), expected);
        }
    }
}
