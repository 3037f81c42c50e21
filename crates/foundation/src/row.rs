//! A queue whose items lie in memory one after the other.
//!
//! What is taken from its head leaves room there that is used again when the end of the memory is reached, or when nothing is left. That
//! takes fewer instructions for each item than a ring buffer, and under lookahead most items are queued and nothing else.

use std::ops::{Index, IndexMut};

/// Capacity reserved at the first push.
const FEW: usize = 32;

/// So far ahead of its turn an item is looked at to have what it stands for read: memory takes about as long as what happens meanwhile.
const AHEAD: usize = 4;

/// A queue of small items.
#[derive(Clone, Debug)]
pub struct Row<T> {
    items: Vec<T>,
    /// How many of them were taken.
    taken: usize,
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Self { items: Vec::new(), taken: 0 }
    }
}

impl<T: Copy> Row<T> {
    /// How many wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len() - self.taken
    }

    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.len() == self.taken
    }

    /// All that wait, in order.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items[self.taken..]
    }

    /// The same, to be changed.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items[self.taken..]
    }

    /// All that wait, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.as_slice().iter()
    }

    /// The first.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.items.get(self.taken)
    }

    /// One whose turn comes soon.
    #[inline(always)]
    pub fn ahead(&self) -> Option<&T> {
        self.items.get(self.taken + AHEAD)
    }

    /// The first, to be changed.
    #[inline]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.items.get_mut(self.taken)
    }

    /// The last, to be changed.
    #[inline]
    pub fn back_mut(&mut self) -> Option<&mut T> {
        // What was taken is forgotten when nothing is left.
        self.items.last_mut()
    }

    /// Adds one at the end.
    #[inline(always)]
    pub fn push_back(&mut self, item: T) {
        if self.items.len() == self.items.capacity() {
            self.make_room();
        }
        self.items.push(item);
    }

    /// Takes the first.
    #[inline(always)]
    pub fn pop_front(&mut self) -> Option<T> {
        let item = *self.items.get(self.taken)?;
        self.take(1);
        Some(item)
    }

    /// Takes so many of the first.
    #[inline(always)]
    pub fn take(&mut self, number: usize) {
        self.taken += number;
        if self.taken >= self.items.len() {
            self.items.clear();
            self.taken = 0;
        }
    }

    /// Puts one before the one with that number: fewer of the others move, if there is room before them.
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

    /// There is no room at the end: uses that of what was taken, if few are left to be moved there, or more memory, to which nothing
    /// else is moved.
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
