//! A FIFO queue in contiguous memory.
//!
//! The room of dequeued items at the front is reused when the end of the memory is reached, or when the queue becomes empty. This takes
//! fewer instructions per item than a ring buffer, and queueing is most of the work under lookahead.

use std::ops::{Index, IndexMut};

/// Capacity reserved at the first push.
const FEW: usize = 32;

/// Prefetch distance in items: processing this many takes about a memory latency.
const AHEAD: usize = 4;

/// A FIFO queue of small items.
#[derive(Clone, Debug)]
pub struct Row<T> {
    items: Vec<T>,
    /// Number of dequeued items at the front.
    taken: usize,
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Self { items: Vec::new(), taken: 0 }
    }
}

impl<T: Copy> Row<T> {
    /// Number of queued items.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len() - self.taken
    }

    /// True if the queue is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.len() == self.taken
    }

    /// Queued items, in order.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items[self.taken..]
    }

    /// Queued items, in order, mutable.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items[self.taken..]
    }

    /// Iterates over the queued items, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.as_slice().iter()
    }

    /// The first item.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.items.get(self.taken)
    }

    /// The item at the prefetch distance from the front.
    #[inline(always)]
    pub fn ahead(&self) -> Option<&T> {
        self.items.get(self.taken + AHEAD)
    }

    /// The first item, mutable.
    #[inline]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.items.get_mut(self.taken)
    }

    /// The last item, mutable.
    #[inline]
    pub fn back_mut(&mut self) -> Option<&mut T> {
        // Dequeued items are cleared when the queue becomes empty, so the last one is queued.
        self.items.last_mut()
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }

    /// Enqueues an item.
    #[inline(always)]
    pub fn push_back(&mut self, item: T) {
        if self.items.len() == self.items.capacity() {
            self.make_room();
        }
        self.items.push(item);
    }

    /// Dequeues the first item.
    #[inline(always)]
    pub fn pop_front(&mut self) -> Option<T> {
        let item = *self.items.get(self.taken)?;
        self.take(1);
        Some(item)
    }

    /// Dequeues the first `number` items.
    #[inline(always)]
    pub fn take(&mut self, number: usize) {
        self.taken += number;
        if self.taken >= self.items.len() {
            self.items.clear();
            self.taken = 0;
        }
    }

    /// Inserts an item before item `number`. Moves the shorter part if there is room at the front.
    pub fn insert(&mut self, number: usize, item: T) {
        if self.taken > 0 && 2 * number <= self.len() {
            self.taken -= 1;
            self.items.copy_within(self.taken + 1..=self.taken + number, self.taken);
            self.items[self.taken + number] = item;
        } else {
            if self.items.len() == self.items.capacity() {
                self.make_room();
            }
            self.items.insert(self.taken + number, item);
        }
    }

    /// Makes room at the end: moves the queued items to the front if they are few, otherwise allocates more memory and copies only them.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.len() < self.items.len() / 4 {
            self.items.drain(..self.taken);
        } else {
            let mut items = Vec::with_capacity((2 * self.items.len()).max(FEW));
            items.extend_from_slice(self.as_slice());
            self.items = items;
        }
        self.taken = 0;
    }
}

impl<T: Copy> Extend<T> for Row<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push_back(item));
    }
}

impl<T: Copy> Index<usize> for Row<T> {
    type Output = T;
    #[inline]
    fn index(&self, number: usize) -> &T {
        &self.items[self.taken + number]
    }
}

impl<T: Copy> IndexMut<usize> for Row<T> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.items[self.taken + number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn a_row_behaves_like_a_queue_of_the_standard_library(
            acts in prop::collection::vec((0_u8..8, 0_usize..6), 0..400)
        ) {
            let (mut row, mut queue) = (Row::default(), VecDeque::new());
            for (item, (act, number)) in acts.into_iter().enumerate() {
                match act {
                    0..4 => {
                        row.push_back(item);
                        queue.push_back(item);
                    }
                    4 => prop_assert_eq!(row.pop_front(), queue.pop_front()),
                    5 => {
                        let number = number.min(queue.len());
                        row.take(number);
                        queue.drain(..number);
                    }
                    6 => {
                        row.insert(0, item);
                        queue.push_front(item);
                    }
                    _ => {
                        let number = number.min(queue.len());
                        row.insert(number, item);
                        queue.insert(number, item);
                    }
                }
                prop_assert_eq!(row.as_slice(), queue.make_contiguous());
                prop_assert_eq!((row.len(), row.is_empty()), (queue.len(), queue.is_empty()));
                prop_assert_eq!(row.front(), queue.front());
                prop_assert_eq!(row.back_mut(), queue.back_mut());
                prop_assert!(queue.is_empty() || row[row.len() - 1] == queue[queue.len() - 1]);
            }
        }

        #[test]
        fn what_was_taken_leaves_room_for_what_comes(waiting in 1_usize..50, come in 1_usize..2000) {
            let mut row = Row::default();
            row.extend(0..waiting);
            for item in 0..come {
                row.push_back(item);
                prop_assert!(row.pop_front().is_some());
            }
            prop_assert!(row.items.capacity() <= 8 * waiting + 2 * FEW, "{} for {waiting}", row.items.capacity());
        }
    }
}
