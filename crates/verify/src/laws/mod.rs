//! Analytic laws.

mod integer_window;
mod lone_flow;
mod slow_start;
mod square_root;
mod waiting;
mod zero_loss;

use crate::check::Check;

/// Every law.
pub fn checks() -> Vec<Check> {
    let mut checks = slow_start::checks();
    checks.extend(lone_flow::checks());
    checks.extend(zero_loss::checks());
    checks.extend(square_root::checks());
    checks.extend(integer_window::checks());
    checks.extend(waiting::checks());
    checks
}

/// Flavors that every law of congestion control is checked with.
const FLAVORS: [&str; 7] = ["vanilla", "tahoe", "reno", "newreno", "newreno-rfc6582", "sack", "sack-rfc6675"];
