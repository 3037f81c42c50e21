//! The papers' measures of performance.

/// Jain's fairness index (sum x)^2 / (n sum x^2) (M-03): 1 when all are equal, 1/n when one has everything.
///
/// When nobody has anything the index is 1, all being equal.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "few flows")]
pub fn fairness_index(throughputs: &[f64]) -> f64 {
    let sum: f64 = throughputs.iter().sum();
    let squares: f64 = throughputs.iter().map(|x| x * x).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (throughputs.len() as f64 * squares) }
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
}
