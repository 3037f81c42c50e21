//! Max-min fair shares (M-04).

/// Max-min fair shares of a capacity: nobody gets more than it demands, and nobody could get more without taking from somebody who has no
/// more. `f64::INFINITY` is an unlimited demand.
///
/// Unsatisfied demands get equal shares, to the last bit.
///
/// # Panics
/// If the capacity or a demand is negative or not a number.
#[must_use]
pub fn max_min_shares(capacity: f64, demands: &[f64]) -> Vec<f64> {
    max_min_shares_of_lines(&[capacity], &vec![vec![0]; demands.len()], demands)
}

/// Max-min fair shares over several lines; `paths[i]` has the lines that user i crosses. A user that crosses none gets its demand.
///
/// Progressive filling (98-0876R1 section 7; Bertsekas and Gallager, *Data Networks*, section 6.5.2): the residual capacity of each line is
/// divided equally among the users that cross it. A user whose demand is at most the smallest of these parts is satisfied; if there is
/// none, the line with the smallest part saturates, and its users get that part. The rest is divided among the others.
///
/// # Panics
/// If a capacity or a demand is negative or not a number, or a path has an unknown line.
#[must_use]
pub fn max_min_shares_of_lines(capacities: &[f64], paths: &[Vec<usize>], demands: &[f64]) -> Vec<f64> {
    assert!(capacities.iter().chain(demands).all(|rate| *rate >= 0.0), "rates are not negative");
    let mut filling = Filling::new(capacities, paths, demands);
    let mut ascending: Vec<usize> = (0..demands.len()).collect();
    ascending.sort_by(|one, other| demands[*one].total_cmp(&demands[*other]));
    let mut ascending = ascending.into_iter().peekable();
    loop {
        while ascending.next_if(|&user| !filling.is_open[user]).is_some() {}
        let Some(&least) = ascending.peek() else { return filling.shares };
        match filling.tightest() {
            Some((line, part)) if demands[least] > part => filling.saturate(line, part),
            _ => filling.give(least, demands[least]),
        }
    }
}

/// State of progressive filling.
struct Filling<'a> {
    paths: &'a [Vec<usize>],
    /// Per line: residual capacity, users, and number of users without a share yet.
    left: Vec<f64>,
    users: Vec<Vec<usize>>,
    open: Vec<usize>,
    /// Per user: true while it has no share yet, and its share.
    is_open: Vec<bool>,
    shares: Vec<f64>,
}

impl<'a> Filling<'a> {
    fn new(capacities: &[f64], paths: &'a [Vec<usize>], demands: &[f64]) -> Self {
        let mut users = vec![Vec::new(); capacities.len()];
        for (user, path) in paths.iter().enumerate() {
            path.iter().for_each(|&line| users[line].push(user));
        }
        Self {
            paths,
            left: capacities.to_vec(),
            open: users.iter().map(Vec::len).collect(),
            users,
            is_open: vec![true; demands.len()],
            shares: demands.to_vec(),
        }
    }

    /// The line with the smallest equal part, and that part.
    #[expect(clippy::cast_precision_loss, reason = "few connections")]
    fn tightest(&self) -> Option<(usize, f64)> {
        let lines = (0..self.left.len()).filter(|&line| self.open[line] > 0);
        let parts = lines.map(|line| (line, self.left[line] / self.open[line] as f64));
        parts.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// Gives `share` to all users of a line that have none yet.
    fn saturate(&mut self, line: usize, share: f64) {
        for user in std::mem::take(&mut self.users[line]) {
            if self.is_open[user] {
                self.give(user, share);
            }
        }
    }

    fn give(&mut self, user: usize, share: f64) {
        self.shares[user] = share;
        self.is_open[user] = false;
        for &line in &self.paths[user] {
            self.left[line] = (self.left[line] - share).max(0.0);
            self.open[line] -= 1;
        }
    }
}

/// Jain's fairness index of throughputs relative to the max-min fair `shares` (98-0876R1 section 7); ignores connections whose share is
/// zero or infinite.
#[must_use]
pub fn max_min_fairness(throughputs: &[f64], shares: &[f64]) -> f64 {
    let relative = throughputs.iter().zip(shares).filter(|(_, share)| **share > 0.0 && share.is_finite());
    super::fairness_index(&relative.map(|(throughput, share)| throughput / share).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_textbook_case_by_hand() {
        // Of 10, five would get 2 each; 1 is satisfied, and the four others get 2.25. Then 2 is satisfied, and three get 7/3.
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
        let shares = max_min_shares(9.0, &[1.0, 5.0, 8.0, 0.0]);
        assert_eq!(max_min_fairness(&[1.0, 4.0, 4.0, 0.0], &shares), 1.0);
        // One has half of its share: (1/2 + 1 + 1)^2 / (3 (1/4 + 1 + 1)).
        assert_eq!(max_min_fairness(&[0.5, 4.0, 4.0], &max_min_shares(9.0, &[1.0, 5.0, 8.0])), 6.25 / 6.75);
        assert_eq!(
            max_min_fairness(&[3.0, 1.0], &[f64::INFINITY, 1.0]),
            1.0,
            "who has no line in its way does not count"
        );
    }

    #[test]
    fn on_a_parking_lot_the_long_way_gets_as_much_as_its_narrowest_line_gives() {
        // Lines of 10, 4 and 9. The long path shares each with a short one: 4 / 2 on the second, which leaves 8, 2 and 7.
        let paths = [vec![0, 1, 2], vec![0], vec![1], vec![2]];
        assert_eq!(max_min_shares_of_lines(&[10.0, 4.0, 9.0], &paths, &[f64::INFINITY; 4]), [2.0, 8.0, 2.0, 7.0]);
        // If the demand on the second line is 1, the long path gets 3 there.
        let demands = [f64::INFINITY, f64::INFINITY, 1.0, f64::INFINITY];
        assert_eq!(max_min_shares_of_lines(&[10.0, 4.0, 9.0], &paths, &demands), [3.0, 7.0, 1.0, 6.0]);
    }

    #[test]
    fn who_crosses_no_line_gets_what_it_demands() {
        let paths = [vec![], vec![0], vec![]];
        let demands = [5.0, 9.0, f64::INFINITY];
        assert_eq!(max_min_shares_of_lines(&[4.0], &paths, &demands), [5.0, 4.0, f64::INFINITY]);
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

        /// Bertsekas and Gallager, section 6.5.2, proposition: shares are max-min fair if and only if everybody with less than its demand
        /// crosses a saturated line on which nobody has more.
        #[test]
        fn who_has_less_than_it_demands_crosses_a_full_line_where_nobody_has_more((capacities, users) in any_lines()) {
            let (paths, demands): (Vec<_>, Vec<_>) = users.into_iter().unzip();
            let shares = max_min_shares_of_lines(&capacities, &paths, &demands);
            let (paths, everybody) = (&paths, 0..shares.len());
            let on = |line: usize| everybody.clone().filter(move |&user| paths[user].contains(&line));
            let load = |line: usize| on(line).map(|user| shares[user]).sum::<f64>();
            prop_assert!((0..capacities.len()).all(|line| load(line) <= capacities[line] + 1e-9));
            for user in (0..shares.len()).filter(|&user| shares[user] < demands[user]) {
                let holds = |&line: &usize| {
                    load(line) > capacities[line] - 1e-9 && on(line).all(|other| shares[other] <= shares[user] + 1e-9)
                };
                prop_assert!(paths[user].iter().any(holds), "{user} of {shares:?}");
            }
        }
    }

    type User = (Vec<usize>, f64);

    fn any_lines() -> impl Strategy<Value = (Vec<f64>, Vec<User>)> {
        let demand = prop_oneof![2 => 0.0..10.0_f64, 1 => Just(0.0), 3 => Just(f64::INFINITY)];
        let path = prop::sample::subsequence(vec![0_usize, 1, 2, 3], 0..=4);
        (prop::collection::vec(0.0..40.0_f64, 4), prop::collection::vec((path, demand), 1..12))
    }
}
