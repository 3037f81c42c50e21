//! The division of a return link among its terminals, category by category, as the scheduler of the network control centre decides it.
//!
//! To add a scheduler: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`RETURN_SCHEDULERS`].

mod priority;
mod proportional;
mod weighted_fair;

use longfat_foundation::registry::{Entry, Family};

/// Every registered scheduler.
pub const RETURN_SCHEDULERS: &[Entry<dyn ReturnScheduler>] = &[
    Entry::of::<proportional::Proportional>(),
    Entry::of::<weighted_fair::WeightedFair>(),
    Entry::of::<priority::Priority>(),
];

/// A terminal's claim on one category of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Units of capacity: slots, or bits per second over the frame.
    pub units: u64,
    /// The terminal's weight, at least 1.
    pub weight: u64,
    /// Its class, of which 1 comes first.
    pub class: u64,
}

/// A scheduler of a return link.
pub trait ReturnScheduler: Send + Sync {
    /// Divides `room` units among claims that come to more: what each gets is at most its claim, and their sum is at most `room`. Units that
    /// do not come out even go to terminals from the one with the index `first` on.
    fn divide(&self, claims: &[Claim], room: u64, first: usize) -> Vec<u64>;
}

impl Family for dyn ReturnScheduler {
    const KIND: &'static str = "return link scheduler";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        RETURN_SCHEDULERS
    }
}

impl dyn ReturnScheduler {
    /// Units that each claim gets of `room`: all, if there is room for all.
    #[must_use]
    pub fn share(&self, claims: &[Claim], room: u64, first: usize) -> Vec<u64> {
        let wanted = claims.iter().fold(0, |sum: u64, claim| sum.saturating_add(claim.units));
        if wanted <= room { claims.iter().map(|claim| claim.units).collect() } else { self.divide(claims, room, first) }
    }
}

/// Divides `room` units among the claims with these indices in proportion to a measure of each, which is not 0 for all, and adds to what is
/// `given`. No claim may be exceeded by that. What does not come out even is given unit by unit, from the index `first` on.
fn divide_by(
    measure: impl Fn(&Claim) -> u64,
    (claims, indices): (&[Claim], &[usize]),
    room: u64,
    first: usize,
    given: &mut [u64],
) {
    let sum: u128 = indices.iter().map(|&index| u128::from(measure(&claims[index]))).sum();
    let mut left = room;
    for &index in indices {
        let share = u128::from(room) * u128::from(measure(&claims[index])) / sum.max(1);
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        given[index] += share;
        left -= share;
    }
    let begin = indices.partition_point(|&index| index < first);
    for &index in indices[begin..].iter().chain(&indices[..begin]) {
        if left > 0 && given[index] < claims[index].units {
            given[index] += 1;
            left -= 1;
        }
    }
}

/// Divides `room` units among the claims with these indices by their weights, so that what one does not claim is divided among the others:
/// weighted max-min fairness, by progressive filling.
fn divide_fairly(claims: &[Claim], indices: &[usize], room: u64, first: usize, given: &mut [u64]) {
    let mut open: Vec<_> = indices.iter().copied().filter(|&index| claims[index].units > 0).collect();
    let mut room = room;
    while !open.is_empty() {
        let weights: u128 = open.iter().map(|&index| u128::from(claims[index].weight)).sum();
        let is_covered = |index: &usize| {
            let Claim { units, weight, .. } = claims[*index];
            u128::from(units) * weights <= u128::from(room) * u128::from(weight)
        };
        let (covered, others): (Vec<_>, Vec<_>) = open.iter().copied().partition(is_covered);
        if covered.is_empty() {
            return divide_by(|claim| claim.weight, (claims, &others), room, first, given);
        }
        for index in covered {
            given[index] = claims[index].units;
            room -= claims[index].units;
        }
        open = others;
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};
    use longfat_foundation::registry::Chosen;
    use proptest::prelude::*;

    use super::*;

    fn claim(units: u64, weight: u64, class: u64) -> Claim {
        Claim { units, weight, class }
    }

    fn scheduler(name: &str) -> Box<dyn ReturnScheduler> {
        let read = Chosen::<dyn ReturnScheduler>::read(&parse_fragment(&format!("{name:?}")), &mut Reader::default());
        read.expect("it is registered").build(&())
    }

    #[test]
    fn where_there_is_room_for_all_all_get_what_they_claim() {
        for entry in RETURN_SCHEDULERS {
            let claims = [claim(3, 1, 2), claim(0, 9, 1), claim(4, 2, 1)];
            assert_eq!(scheduler(entry.name).share(&claims, 7, 0), [3, 0, 4], "{}", entry.name);
        }
    }

    #[test]
    fn proportional_cuts_all_claims_by_the_same_share() {
        // 10 of 40 units: a quarter of each.
        let claims = [claim(4, 1, 1), claim(12, 5, 2), claim(24, 1, 1)];
        assert_eq!(scheduler("proportional").share(&claims, 10, 0), [1, 3, 6]);
    }

    #[test]
    fn units_that_do_not_come_out_even_go_round() {
        let claims = [claim(5, 1, 1); 3];
        let of = |first| scheduler("proportional").share(&claims, 4, first);
        assert_eq!([of(0), of(1), of(2)], [[2, 1, 1], [1, 2, 1], [1, 1, 2]]);
    }

    #[test]
    fn weighted_fair_gives_the_rest_of_small_claims_to_the_others_by_weight() {
        // 20 units by weights 1, 1, 2: 5, 5 and 10. The first claims 2, so that 18 are left for weights 1 and 2.
        let claims = [claim(2, 1, 1), claim(50, 1, 1), claim(50, 2, 1)];
        assert_eq!(scheduler("weighted-fair").share(&claims, 20, 0), [2, 6, 12]);
    }

    #[test]
    fn priority_serves_one_class_after_another_and_is_fair_within_each() {
        let claims = [claim(9, 1, 2), claim(6, 1, 1), claim(9, 3, 2), claim(5, 1, 3)];
        // 6 of 14 units for the first class; 8 for the second by weights 1 and 3; nothing for the third.
        assert_eq!(scheduler("priority").share(&claims, 14, 0), [2, 6, 6, 0]);
    }

    proptest! {
        #[test]
        fn every_scheduler_uses_all_room_and_exceeds_neither_it_nor_a_claim(
            claims in prop::collection::vec((0_u64..100, 1_u64..10, 1_u64..4), 1..20),
            room in 0_u64..1000,
            first in any::<prop::sample::Index>(),
        ) {
            let claims: Vec<_> = claims.into_iter().map(|(units, weight, class)| claim(units, weight, class)).collect();
            let wanted: u64 = claims.iter().map(|claim| claim.units).sum();
            for entry in RETURN_SCHEDULERS {
                let given = scheduler(entry.name).share(&claims, room, first.index(claims.len()));
                prop_assert_eq!(given.iter().sum::<u64>(), room.min(wanted), "{}", entry.name);
                prop_assert!(given.iter().zip(&claims).all(|(given, claim)| *given <= claim.units), "{}", entry.name);
            }
        }

        /// Whoever gets less than it claims gets at least its part of the room by weight, less the unit that did not come out even.
        #[test]
        fn weighted_fair_gives_everybody_its_weight(
            claims in prop::collection::vec((0_u64..100, 1_u64..10), 1..20),
            room in 0_u64..1000,
        ) {
            let claims: Vec<_> = claims.into_iter().map(|(units, weight)| claim(units, weight, 1)).collect();
            let weights: u64 = claims.iter().map(|claim| claim.weight).sum();
            let given = scheduler("weighted-fair").share(&claims, room, 0);
            for (given, claim) in given.iter().zip(&claims) {
                prop_assert!(*given == claim.units || *given >= room * claim.weight / weights);
            }
        }
    }
}
