//! Max-min fair shares (M-04).

/// The max-min fair shares of a capacity: nobody gets more than it demands, and nobody could get more without taking from
/// somebody who has no more. `f64::INFINITY` is a demand without limit.
///
/// Progressive filling (98-0876R1 section 7; Bertsekas and Gallager, *Data Networks*, section 6.5.2): all are given an equal part
/// of what is left; those who demand less are content with that, and what they leave is divided among the others. Those
/// who are never content share alike, to the last bit.
///
/// # Panics
/// If the capacity or a demand is negative or not a number.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "few connections")]
pub fn max_min_shares(capacity: f64, demands: &[f64]) -> Vec<f64> {
    assert!(capacity >= 0.0 && demands.iter().all(|demand| *demand >= 0.0), "rates are not negative");
    let mut ascending: Vec<f64> = demands.to_vec();
    ascending.sort_unstable_by(f64::total_cmp);
    let (mut left, mut level) = (capacity, f64::INFINITY);
    for (content, demand) in ascending.iter().enumerate() {
        let equal_part = left / (demands.len() - content) as f64;
        if *demand > equal_part {
            level = equal_part;
            break;
        }
        left = (left - demand).max(0.0);
    }
    demands.iter().map(|demand| demand.min(level)).collect()
}

/// Jain's fairness index of what connections have relative to their max-min fair shares (98-0876R1 section 7); those that
/// demand nothing do not count.
#[must_use]
pub fn max_min_fairness(throughputs: &[f64], capacity: f64, demands: &[f64]) -> f64 {
    let shares = max_min_shares(capacity, demands);
    let relative = throughputs.iter().zip(shares).filter(|(_, share)| *share > 0.0);
    super::fairness_index(&relative.map(|(throughput, share)| throughput / share).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_textbook_case_by_hand() {
        // Of 10, five would get 2 each; 1 is content, and the four others get 2.25. Then 2 is content, and three get 7/3.
        assert_eq!(max_min_shares(10.0, &[8.0, 1.0, 2.0, 4.0, 9.0]), [7.0 / 3.0, 1.0, 2.0, 7.0 / 3.0, 7.0 / 3.0]);
    }

    #[test]
    fn who_demands_nothing_gets_nothing_and_leaves_all_to_the_others() {
        assert_eq!(max_min_shares(6.0, &[0.0, 9.0, 0.0, 9.0]), [0.0, 3.0, 0.0, 3.0]);
        assert_eq!(max_min_shares(6.0, &[0.0; 3]), [0.0; 3]);
        assert_eq!(max_min_shares(6.0, &[]), [0.0; 0]);
    }

    #[test]
    fn equal_demands_get_equal_shares_to_the_last_bit() {
        let shares = max_min_shares(1.0, &[0.3, f64::INFINITY, 0.3, f64::INFINITY, 0.3]);
        assert!(shares.iter().all(|share| *share == 0.2), "{shares:?}");
        assert_eq!(max_min_shares(1.0, &[0.1; 7]), [0.1; 7], "enough for all");
    }

    #[test]
    fn nothing_is_shared_where_there_is_nothing() {
        assert_eq!(max_min_shares(0.0, &[1.0, 2.0]), [0.0, 0.0]);
    }

    #[test]
    fn all_who_have_their_share_are_treated_fairly_however_unequal_they_are() {
        assert_eq!(max_min_fairness(&[1.0, 4.0, 4.0, 0.0], 9.0, &[1.0, 5.0, 8.0, 0.0]), 1.0);
        // One has half of its share: (1/2 + 1 + 1)^2 / (3 (1/4 + 1 + 1)).
        assert_eq!(max_min_fairness(&[0.5, 4.0, 4.0], 9.0, &[1.0, 5.0, 8.0]), 6.25 / 6.75);
    }

    fn any_demands() -> impl Strategy<Value = (f64, Vec<f64>)> {
        let demand = prop_oneof![4 => 0.0..10.0_f64, 1 => Just(0.0), 1 => Just(3.0), 1 => Just(f64::INFINITY)];
        (0.0..40.0_f64, prop::collection::vec(demand, 1..20))
    }

    proptest! {
        #[test]
        fn the_shares_keep_to_the_demands_and_use_what_can_be_used((capacity, demands) in any_demands()) {
            let shares = max_min_shares(capacity, &demands);
            prop_assert!(shares.iter().zip(&demands).all(|(share, demand)| (0.0..=*demand).contains(share)));
            let (given, wanted): (f64, f64) = (shares.iter().sum(), demands.iter().sum());
            prop_assert!((given - capacity.min(wanted)).abs() < 1e-9, "{given} of {capacity}");
        }

        #[test]
        fn who_has_less_than_it_demands_has_as_much_as_anybody((capacity, demands) in any_demands()) {
            let shares = max_min_shares(capacity, &demands);
            let most = shares.iter().copied().fold(0.0, f64::max);
            for (share, demand) in shares.iter().zip(&demands) {
                prop_assert!(share == demand || *share == most, "{share} of {demand}, where somebody has {most}");
            }
        }
    }
}
