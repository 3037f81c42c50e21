//! Sets of bytes, as ranges of sequence numbers.

/// Half-open range of bytes: first byte, and the byte after the last.
pub type Range = (u64, u64);

/// A set of bytes: disjoint, non-adjacent ranges in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSet {
    ranges: Vec<Range>,
    bytes: u64,
}

impl RangeSet {
    /// Ranges in ascending order.
    #[must_use]
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.ranges.capacity() * size_of::<Range>()
    }

    /// Number of bytes in the set.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The byte after the last one of the set; `None` if the set is empty.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.ranges.last().map(|range| range.1)
    }

    /// Inserts a range; returns the number of bytes that were not in the set.
    pub fn insert(&mut self, (begin, end): Range) -> u64 {
        if begin >= end {
            return 0;
        }
        if let Some(last) = self.ranges.last_mut().filter(|last| last.0 <= begin && begin <= last.1) {
            // Fast path: the range extends the last one.
            let gained = end.saturating_sub(last.1);
            last.1 += gained;
            self.bytes += gained;
            return gained;
        }
        let first = self.ranges.partition_point(|range| range.1 < begin);
        if let [range, others @ ..] = &mut self.ranges[first..]
            && range.0 <= end
            && others.first().is_none_or(|next| end < next.0)
        {
            // It touches one range only.
            let gained = range.0.saturating_sub(begin) + end.saturating_sub(range.1);
            *range = (range.0.min(begin), range.1.max(end));
            self.bytes += gained;
            return gained;
        }
        let beyond = first + self.ranges[first..].iter().take_while(|range| range.0 <= end).count();
        let touched = &self.ranges[first..beyond];
        let merged = touched.iter().fold((begin, end), |all, range| (all.0.min(range.0), all.1.max(range.1)));
        let known: u64 = touched.iter().map(|range| range.1 - range.0).sum();
        let gained = merged.1 - merged.0 - known;
        if let Some(grown) = self.ranges[..beyond].get_mut(first) {
            *grown = merged;
            self.ranges.drain(first + 1..beyond);
        } else {
            self.ranges.insert(first, merged);
        }
        self.bytes += gained;
        gained
    }

    /// Removes all bytes below `limit`.
    #[inline]
    pub fn remove_below(&mut self, limit: u64) {
        if self.ranges.first().is_some_and(|first| first.0 < limit) {
            self.remove_some_below(limit);
        }
    }

    fn remove_some_below(&mut self, limit: u64) {
        let whole = self.ranges.partition_point(|range| range.1 <= limit);
        for range in self.ranges.drain(..whole) {
            self.bytes -= range.1 - range.0;
        }
        if let Some(first) = self.ranges.first_mut().filter(|range| range.0 < limit) {
            self.bytes -= limit - first.0;
            first.0 = limit;
        }
    }

    /// Removes all bytes.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    /// The range that contains `byte`.
    #[must_use]
    pub fn containing(&self, byte: u64) -> Option<Range> {
        let index = self.ranges.partition_point(|range| range.1 <= byte);
        self.ranges.get(index).copied().filter(|range| range.0 <= byte)
    }

    /// The first gap at or above `from` that is followed by bytes of the set, clipped to begin at `from`.
    #[must_use]
    pub fn gap_from(&self, from: u64) -> Option<Range> {
        let mut begin = from;
        let index = self.ranges.partition_point(|range| range.1 <= from);
        for range in &self.ranges[index..] {
            if range.0 > begin {
                return Some((begin, range.0));
            }
            begin = range.1;
        }
        None
    }

    /// Number of bytes of the set below `limit`.
    #[must_use]
    pub fn bytes_below(&self, limit: u64) -> u64 {
        let below = self.ranges.iter().take_while(|range| range.0 < limit);
        below.map(|range| range.1.min(limit) - range.0).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_of_ranges_agrees_with_a_set_of_bytes(
            ranges in prop::collection::vec((0_u64..80, 0_u64..12), 1..50), cut in 0_u64..90, from in 0_u64..100,
        ) {
            let (mut set, mut bytes) = (RangeSet::default(), BTreeSet::new());
            for (begin, length) in ranges {
                let before = bytes.len() as u64;
                bytes.extend(begin..begin + length);
                prop_assert_eq!(set.insert((begin, begin + length)), bytes.len() as u64 - before);
            }
            prop_assert_eq!(set.bytes_below(cut), bytes.iter().filter(|&&byte| byte < cut).count() as u64);
            set.remove_below(cut);
            bytes.retain(|&byte| byte >= cut);
            prop_assert_eq!(set.bytes(), bytes.len() as u64);
            prop_assert_eq!(set.end(), bytes.last().map(|last| last + 1));
            prop_assert!(set.ranges().windows(2).all(|pair| pair[0].1 < pair[1].0), "{:?}", set.ranges());
            for byte in 0..100 {
                let range = set.containing(byte);
                prop_assert_eq!(range.is_some(), bytes.contains(&byte));
                prop_assert!(range.is_none_or(|(begin, end)| (begin..end).all(|inside| bytes.contains(&inside))));
            }
            let missing = bytes.last().and_then(|&last| (from..last).find(|byte| !bytes.contains(byte)));
            let gap = missing.map(|begin| (begin, *bytes.range(begin..).next().unwrap()));
            prop_assert_eq!(set.gap_from(from), gap);
        }
    }
}
