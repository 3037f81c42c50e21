//! An event list of the 1990s: a binary heap whose order of simultaneous events follows from all that is in it.
//!
//! Textbook arithmetic (J. Bentley, Programming Pearls, column "Heaps"; D. Knuth, TAOCP 3, section 5.2.3): an array in which no event is
//! later than the two behind it. Comparisons are of times alone, with a strict `<`: of two simultaneous events the one that is in place stays
//! there, and of two simultaneous children the left one rises.

use super::{Due, Match, SEATS, Slot};

/// A binary heap of things by time.
#[derive(Default)]
pub struct Heap<T> {
    entries: Vec<(u64, T)>,
}

impl<T: Copy> Heap<T> {
    /// The thing at the root, which is earlier than all others or as early.
    #[must_use]
    pub fn first(&self) -> Option<(u64, T)> {
        self.entries.first().copied()
    }

    /// Adds a thing: at the end of the array, from where it rises while it is earlier than its parent.
    pub fn insert(&mut self, time: u64, thing: T) {
        let mut place = self.entries.len();
        self.entries.push((time, thing));
        while place > 0 && time < self.entries[(place - 1) / 2].0 {
            self.entries.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    /// Takes the root away: the last of the array takes its place, and sinks while a child is earlier.
    pub fn remove(&mut self) -> Option<(u64, T)> {
        let last = self.entries.pop()?;
        let Some(root) = self.entries.first_mut() else { return Some(last) };
        let first = std::mem::replace(root, last);
        let mut place = 0;
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.entries.len() && self.entries[child + 1].0 < self.entries[child].0 {
                child += 1;
            }
            if child >= self.entries.len() || self.entries[child].0 >= last.0 {
                return Some(first);
            }
            self.entries.swap(place, child);
            place = child;
        }
    }
}

/// The events of a calendar in a heap.
///
/// An entry stays in the heap until it is the root. A timer that is set to a later time passes when its old time has come, and goes back
/// into the heap, as the ticks of a coarse clock do; one that is set to an earlier time or cancelled leaves an entry behind that does nothing.
pub(super) struct EventList {
    heap: Heap<u32>,
    /// Length of a tick in picoseconds: times are whole ticks, begun ones included, so that nothing comes before it is due.
    tick: u64,
    /// For each slot: the time of its event, and the time of its earliest entry in the heap. [`NEVER`] if there is none.
    slots: Vec<(u64, u64)>,
    /// True if the event that the calendar shows as its first one has left the heap.
    is_taken: bool,
}

const NEVER: u64 = u64::MAX;
/// Due whenever an entry says so: of slots with several events. No time, not even the first.
const ALWAYS: u64 = u64::MAX - 1;

impl EventList {
    pub fn new(slots: usize, tick: u64) -> Self {
        Self { heap: Heap { entries: Vec::new() }, tick, slots: vec![(NEVER, NEVER); slots], is_taken: false }
    }

    pub fn grow(&mut self, slots: usize) {
        self.slots.resize(slots.max(self.slots.len()), (NEVER, NEVER));
    }

    /// The root, as the calendar shows it.
    pub fn first(&self) -> Match {
        self.heap.first().map_or(super::never(SEATS), |(time, slot)| Match { time, order: 0, winner: slot })
    }

    /// Adds an event to those that the slot has already.
    pub fn add(&mut self, slot: Slot, time: u64) {
        self.is_taken = false;
        self.slots[slot.0 as usize].0 = ALWAYS;
        self.heap.insert(self.in_ticks(time), slot.0);
    }

    /// Sets the only event of a slot; one beyond all slots is not kept.
    pub fn place(&mut self, slot: Slot, due: Due) {
        let time = self.in_ticks(due.time);
        let Some((is_due, queued)) = self.slots.get_mut(slot.0 as usize) else { return };
        self.is_taken = false;
        *is_due = time;
        if time < *queued {
            *queued = time;
            self.heap.insert(time, slot.0);
        }
    }

    /// Takes the root out of the heap. Returns false if its event is not due any more, or not yet; then the root is another one.
    pub fn take(&mut self) -> bool {
        if std::mem::take(&mut self.is_taken) {
            return false;
        }
        let Some((time, slot)) = self.heap.remove() else { return false };
        let (due, queued) = &mut self.slots[slot as usize];
        if *due == ALWAYS {
            self.is_taken = true;
            return true;
        }
        if *queued == time {
            *queued = NEVER;
        }
        self.is_taken = *due == time;
        if self.is_taken {
            *due = NEVER;
        } else if *due < *queued {
            *queued = *due;
            self.heap.insert(*due, slot);
        }
        self.is_taken
    }

    fn in_ticks(&self, time: u64) -> u64 {
        if time == NEVER { NEVER } else { time.next_multiple_of(self.tick) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drained(heap: &mut Heap<char>) -> String {
        std::iter::from_fn(|| heap.remove()).map(|(_, thing)| thing).collect()
    }

    #[test]
    fn five_simultaneous_events_leave_a_heap_as_on_paper() {
        // Array abcde. a leaves: ebcd, and e stays, since neither b nor c is earlier. e leaves: dbc. d leaves: cb. c leaves: b.
        let mut heap = Heap::default();
        "abcde".chars().for_each(|name| heap.insert(7, name));
        assert_eq!(drained(&mut heap), "aedcb", "neither the first first nor the last");
        // c at 3 rises above a: array cba. It leaves: a at 7 takes its place and stays; a leaves, then b.
        [(7, 'a'), (7, 'b'), (3, 'c')].into_iter().for_each(|(time, name)| heap.insert(time, name));
        assert_eq!(drained(&mut heap), "cab");
        // Other entries decide whether d or e is first. Array a1 d2 b1 e2: a leaves, e2 sinks below b1: b d e. b leaves: e d.
        [(1, 'a'), (2, 'd'), (1, 'b'), (2, 'e')].into_iter().for_each(|(time, name)| heap.insert(time, name));
        assert_eq!(drained(&mut heap), "abed");
        // Without b: array a d e; a leaves: e d. With one more behind them at 3, array a d e f: a leaves, f3 sinks below d: d f e.
        [(1, 'a'), (2, 'd'), (2, 'e'), (3, 'f')].into_iter().for_each(|(time, name)| heap.insert(time, name));
        assert_eq!(drained(&mut heap), "adef");
    }

    #[test]
    fn a_timer_that_is_set_later_passes_and_one_that_is_set_earlier_leaves_an_entry_behind() {
        let mut list = EventList::new(8, 10);
        let due = |time| Due { time, order: 1 };
        [(2, 57), (3, 60), (4, 95)].into_iter().for_each(|(slot, time)| list.place(Slot(slot), due(time)));
        list.place(Slot(2), due(90));
        list.place(Slot(4), due(75));
        list.add(Slot(5), 65);
        list.add(Slot(5), 65);
        list.place(Slot(3), Due::NEVER);
        let mut events = Vec::new();
        while list.heap.first().is_some() {
            let shown = list.first();
            if list.take() {
                events.push((shown.time, shown.winner));
                assert!(!list.take(), "what is taken is shown until something is placed, and taken once");
            }
        }
        assert_eq!(events, [(70, 5), (70, 5), (80, 4), (90, 2)]);
    }

    #[test]
    fn an_event_at_the_beginning_of_time_is_one_like_others() {
        let mut list = EventList::new(4, 1);
        for slot in [Slot(2), Slot(2), Slot(3)] {
            list.place(slot, Due { time: 0, order: 1 });
            assert_eq!((list.first().winner, list.take()), (slot.0, true));
        }
        assert!(list.heap.first().is_none());
    }

    /// Another program for the same heap: places are numbered from 1, and it calls itself.
    #[derive(Default)]
    struct Recursive(std::collections::BTreeMap<usize, (u64, usize)>);

    impl Recursive {
        fn rise(&mut self, place: usize) {
            if place > 1 && self.0[&place].0 < self.0[&(place / 2)].0 {
                let (own, parent) = (self.0[&place], self.0[&(place / 2)]);
                self.0.extend([(place, parent), (place / 2, own)]);
                self.rise(place / 2);
            }
        }

        fn sink(&mut self, place: usize) {
            let children = [2 * place, 2 * place + 1].into_iter().filter(|child| self.0.contains_key(child));
            let Some(child) = children.min_by_key(|child| (self.0[child].0, *child)) else { return };
            if self.0[&child].0 < self.0[&place].0 {
                let (own, below) = (self.0[&place], self.0[&child]);
                self.0.extend([(place, below), (child, own)]);
                self.sink(child);
            }
        }

        fn insert(&mut self, time: u64, thing: usize) {
            self.0.insert(self.0.len() + 1, (time, thing));
            self.rise(self.0.len());
        }

        fn remove(&mut self) -> Option<(u64, usize)> {
            let first = *self.0.get(&1)?;
            let (_, last) = self.0.pop_last()?;
            if !self.0.is_empty() {
                self.0.insert(1, last);
                self.sink(1);
            }
            Some(first)
        }
    }

    proptest! {
        #[test]
        fn a_heap_releases_things_in_the_order_of_another_program(
            acts in prop::collection::vec(prop::option::weighted(0.6, 0_u64..6), 0..300),
        ) {
            let (mut heap, mut other) = (Heap::default(), Recursive::default());
            let mut now = 0;
            for (thing, act) in acts.into_iter().enumerate() {
                if let Some(later) = act {
                    heap.insert(now + later, thing);
                    other.insert(now + later, thing);
                } else {
                    let removed = heap.remove();
                    prop_assert_eq!(removed, other.remove());
                    now = removed.map_or(now, |(time, _)| { assert!(time >= now); time });
                }
            }
            while let Some(removed) = heap.remove() {
                prop_assert_eq!(Some(removed), other.remove());
            }
            prop_assert_eq!(other.remove(), None);
        }
    }
}
