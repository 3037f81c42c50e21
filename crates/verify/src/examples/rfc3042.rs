//! RFC 3042: limited transmit.

use longfat_engine::transport::flavor::Flavor;
use longfat_engine::transport::recovery::ResponseToDuplicates;
use serde_json::json;

use super::support::{ByHand, all, equal};
use crate::check::{Check, Finding, Kind};
use crate::laws::flavors_where;

/// With a flavor that has fast retransmit and is not paced by delivery rates from its first window on; RFC 6675 has limited transmit in its own
/// step (3).
pub fn checks() -> Vec<Check> {
    let check = |flavor: &'static str| {
        Check::new(
            format!("RFC 3042 section 2: a new segment for each of two duplicates: {flavor}"),
            Kind::Example,
            move || limited(flavor),
        )
    };
    let transmits = |flavor: &dyn Flavor| {
        let recovery = flavor.recovery().build(&());
        recovery.response_to_duplicates() != ResponseToDuplicates::None && !flavor.facts().observes_deliveries
    };
    flavors_where(transmits).into_iter().map(check).collect()
}

/// Segments 0 to 4 are in flight and 0 is lost. Without limited transmit the first two duplicates send nothing.
fn limited(flavor: &str) -> Finding {
    let (mut by_hand, first) = ByHand::sending(&json!({ "flavor": flavor, "limited_transmit": true }), 5)?;
    all([
        equal("sent at once", first, vec![0, 1, 2, 3, 4]),
        equal("first duplicate", by_hand.acknowledge(0, &[(1, 2)]), vec![5]),
        equal("second", by_hand.acknowledge(0, &[(1, 3)]), vec![6]),
        equal("third", by_hand.acknowledge(0, &[(1, 4)]).first().copied(), Some(0)),
    ])
}
