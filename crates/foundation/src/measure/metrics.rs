//! The papers' measures of performance.

/// Jain's fairness index (sum x)^2 / (n sum x^2) (M-03): 1 if all are equal, 1/n if one has everything.
///
/// If all throughputs are zero, the index is 1.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "few flows")]
pub fn fairness_index(throughputs: &[f64]) -> f64 {
    let sum: f64 = throughputs.iter().sum();
    let squares: f64 = throughputs.iter().map(|x| x * x).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (throughputs.len() as f64 * squares) }
}

/// Smallest ratio of a connection's rate to its minimum cell rate; `None` if no rates are promised.
#[must_use]
pub fn least_share_of_promises(rates: &[f64], promised: &[f64]) -> Option<f64> {
    let shares = rates.iter().zip(promised).filter(|(_, promised)| **promised > 0.0);
    shares.map(|(rate, promised)| rate / promised).min_by(f64::total_cmp)
}

/// Jain's fairness index of the rates in excess of the minimum cell rates.
#[must_use]
pub fn excess_fairness(rates: &[f64], promised: &[f64]) -> f64 {
    let excess: Vec<f64> = rates.iter().zip(promised).map(|(rate, promised)| (rate - promised).max(0.0)).collect();
    fairness_index(&excess)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_one_for_equals_and_one_nth_for_a_single_winner() {
        assert_eq!(fairness_index(&[3.0; 5]), 1.0);
        assert_eq!(fairness_index(&[0.0, 7.0, 0.0, 0.0]), 0.25);
        assert_eq!(fairness_index(&[0.0; 3]), 1.0);
        assert_eq!(fairness_index(&[1.0, 2.0, 3.0]), 36.0 / 42.0);
    }

    #[test]
    fn the_worst_served_connection_tells_whether_promises_are_kept() {
        assert_eq!(least_share_of_promises(&[4.0, 9.0], &[2.0, 10.0]), Some(0.9));
        assert_eq!(least_share_of_promises(&[4.0, 9.0], &[0.0, 3.0]), Some(3.0));
        assert_eq!(least_share_of_promises(&[4.0], &[0.0]), None);
    }

    #[test]
    fn excess_is_fair_when_all_have_as_much_beyond_their_promise_and_less_is_no_excess() {
        assert_eq!(excess_fairness(&[4.0, 12.0], &[2.0, 10.0]), 1.0);
        assert_eq!(excess_fairness(&[4.0, 8.0], &[2.0, 10.0]), 0.5);
    }
}
