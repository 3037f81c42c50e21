//! Analytic laws.

mod bbr;
mod bic;
mod cubic;
mod h_tcp;
mod high_speed;
mod hybla;
mod illinois;
mod integer_window;
mod ledbat;
mod leocc;
mod lone_flow;
mod long_paths;
mod lp;
mod periodic;
mod reordering;
mod required_loss;
mod satcp;
mod scalable;
mod slow_start;
mod square_root;
mod vegas;
mod veno;
mod waiting;
mod westwood;
mod zero_loss;

use longfat_engine::transport::flavor::{Flavor, with_defaults};

use crate::check::Check;

/// Every law.
pub fn checks() -> Vec<Check> {
    let mut checks = slow_start::checks();
    checks.extend(lone_flow::checks());
    checks.extend(long_paths::checks());
    checks.extend(zero_loss::checks());
    checks.extend(square_root::checks());
    checks.extend(cubic::checks());
    checks.extend(high_speed::checks());
    checks.extend(required_loss::checks());
    checks.extend(h_tcp::checks());
    checks.extend(hybla::checks());
    checks.extend(scalable::checks());
    checks.extend(westwood::checks());
    checks.extend(vegas::checks());
    checks.extend(veno::checks());
    checks.extend(bic::checks());
    checks.extend(illinois::checks());
    checks.extend(ledbat::checks());
    checks.extend(lp::checks());
    checks.extend(bbr::checks());
    checks.extend(leocc::checks());
    checks.extend(satcp::checks());
    checks.extend(integer_window::checks());
    checks.extend(waiting::checks());
    checks.extend(reordering::checks());
    checks
}

/// Registered flavors, with their defaults, that satisfy a condition.
pub(crate) fn flavors_where(holds: impl Fn(&dyn Flavor) -> bool) -> Vec<&'static str> {
    with_defaults().filter(|(_, flavor)| holds(&**flavor)).map(|(name, _)| name).collect()
}
