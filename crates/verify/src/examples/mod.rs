//! Worked examples of standards and papers.

mod brakmo1995;
mod hybla2004;
mod kelly2003;
mod laws_by_hand;
mod leith2004;
mod liu2008;
mod mascolo2004;
mod rfc2018;
mod rfc2416;
mod rfc3042;
mod rfc3649;
mod rfc5681;
mod rfc6298;
mod rfc6582;
mod rfc6675;
mod rfc6817;
mod rfc8985;
mod support;
mod xu2004;

use crate::check::Check;

/// All examples.
pub fn checks() -> Vec<Check> {
    let mut checks = rfc2018::checks();
    checks.extend(rfc2416::checks());
    checks.extend(rfc3042::checks());
    checks.extend(rfc3649::checks());
    checks.extend(rfc5681::checks());
    checks.extend(rfc6298::checks());
    checks.extend(rfc6582::checks());
    checks.extend(rfc6675::checks());
    checks.extend(rfc8985::checks());
    checks.extend(hybla2004::checks());
    checks.extend(kelly2003::checks());
    checks.extend(leith2004::checks());
    checks.extend(mascolo2004::checks());
    checks.extend(brakmo1995::checks());
    checks.extend(xu2004::checks());
    checks.extend(liu2008::checks());
    checks.extend(rfc6817::checks());
    checks
}
