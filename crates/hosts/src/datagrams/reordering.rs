//! Order of arrival, as RFC 4737 measures it.

/// How a datagram arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Later in the sequence than all before.
    InOrder,
    /// Overtaken by one sent later (RFC 4737 section 3.3), with its extent (section 4.2): the number of arrivals since the first that
    /// overtook it.
    Reordered(u64),
    /// Again.
    Duplicate,
}

/// Datagrams that have not arrived though a later one has.
#[derive(Clone, Copy, Debug)]
struct Gap {
    from: u64,
    until: u64,
    /// Which arrival, from 1, was the first behind the gap.
    overtaken_by: u64,
}

/// Reordered datagrams, by their sequence numbers.
///
/// A datagram is reordered if its number is below the next one expected, which is one more than the highest before. The first arrival with a
/// higher number is the one that opened the gap that the datagram was in, so it is enough to remember it with the gap.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    /// Next number expected (`NextExp`).
    next: u64,
    arrivals: u64,
    /// In ascending order. Lost datagrams stay.
    gaps: Vec<Gap>,
    /// Reordered datagrams.
    pub reordered: u64,
    /// Largest extent of any.
    pub max_extent: u64,
}

impl Reordering {
    /// Datagram number `sequence`, from 0, arrives.
    pub fn receive(&mut self, sequence: u64) -> Arrival {
        if sequence >= self.next {
            self.arrivals += 1;
            if sequence > self.next {
                self.gaps.push(Gap { from: self.next, until: sequence, overtaken_by: self.arrivals });
            }
            self.next = sequence + 1;
            return Arrival::InOrder;
        }
        let place = self.gaps.partition_point(|gap| gap.until <= sequence);
        let Some(gap) = self.gaps.get(place).copied().filter(|gap| gap.from <= sequence) else {
            return Arrival::Duplicate;
        };
        self.arrivals += 1;
        let rest = [Gap { until: sequence, ..gap }, Gap { from: sequence + 1, ..gap }];
        self.gaps.splice(place..=place, rest.into_iter().filter(|gap| gap.from < gap.until));
        let extent = self.arrivals - gap.overtaken_by;
        self.reordered += 1;
        self.max_extent = self.max_extent.max(extent);
        Arrival::Reordered(extent)
    }

    /// Restarts the largest extent.
    pub fn count_anew(&mut self) {
        self.max_extent = 0;
    }

    /// The difference to `earlier`, at which the largest extent was restarted.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self { reordered: self.reordered - earlier.reordered, ..self.clone() }
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.gaps.capacity() * size_of::<Gap>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn arrivals(sequences: &[u64]) -> Vec<Arrival> {
        let mut reordering = Reordering::default();
        sequences.iter().map(|sequence| reordering.receive(*sequence)).collect()
    }

    /// The definition, word for word: reordered if lower than the highest before; the extent is the distance to the first arrival, of those
    /// that are no copies, that is higher.
    fn by_definition(sequences: &[u64]) -> Vec<Arrival> {
        let mut arrived: Vec<u64> = Vec::new();
        let mut outcome = Vec::new();
        for &sequence in sequences {
            if arrived.contains(&sequence) {
                outcome.push(Arrival::Duplicate);
                continue;
            }
            let first_higher = arrived.iter().position(|&before| before > sequence);
            let extent = first_higher.map(|place| (arrived.len() - place) as u64);
            outcome.push(extent.map_or(Arrival::InOrder, Arrival::Reordered));
            arrived.push(sequence);
        }
        outcome
    }

    /// Three datagrams that four others overtake: the first of the three arrives four places behind the first that overtook it.
    #[test]
    fn extents_by_hand() {
        use Arrival::{Duplicate, InOrder, Reordered};
        let [first, second, third] = [4, 5, 6].map(Reordered);
        let expected = [InOrder, InOrder, InOrder, InOrder, InOrder, InOrder, InOrder, first, second, third, InOrder];
        assert_eq!(arrivals(&[1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11]), expected);
        assert_eq!(arrivals(&[1, 0, 2]), [InOrder, Reordered(1), InOrder]);
        assert_eq!(arrivals(&[0, 2, 0, 1, 1]), [InOrder, InOrder, Duplicate, Reordered(1), Duplicate]);
    }

    #[test]
    fn what_is_lost_reorders_nothing() {
        assert_eq!(arrivals(&[0, 1, 5, 6, 9]), [Arrival::InOrder; 5]);
    }

    proptest! {
        #[test]
        fn what_is_remembered_suffices_for_the_definition(sequences in prop::collection::vec(0_u64..20, 0..60)) {
            prop_assert_eq!(arrivals(&sequences), by_definition(&sequences));
        }
    }
}
