//! RFC 8985, by hand.

use serde_json::json;

use super::support::{ByHand, all, equal};
use crate::check::{Check, Finding, Kind};

/// The RFC's own example.
pub fn checks() -> Vec<Check> {
    vec![Check::new("RFC 8985 section 3.4: a tail is lost, and a retransmission of it", Kind::Example, tail)]
}

/// P0 to P3 are sent, P1 to P3 are lost, and the first retransmission of P1 is lost as well. Reduction at once shows the retransmissions
/// together, as in the example; a window of four is halved to two.
fn tail() -> Finding {
    let flavor = json!({ "kind": "rack-tlp", "proportional_rate_reduction": false });
    let (mut by_hand, sent) = ByHand::sending_all(&json!({ "flavor": flavor }), 4)?;
    all([
        equal("event 1: four segments", sent, vec![0, 1, 2, 3]),
        equal("event 2: P0 is acknowledged", by_hand.acknowledge(1, &[]), vec![]),
        equal("event 3: two round trips later the probe sends P3 again", by_hand.expire(), vec![3]),
        equal("event 5: P3 is reported, P1 and P2 are lost", by_hand.acknowledge(1, &[(3, 4)]), vec![1, 2]),
        equal("event 7: P2 is reported, P1 is lost again", by_hand.acknowledge(1, &[(2, 4)]), vec![1]),
        equal("event 8: all is acknowledged", by_hand.acknowledge(4, &[]), vec![]),
        equal("no timeout", by_hand.sender.statistics().timeouts, 0),
        equal("one recovery", by_hand.sender.statistics().fast_retransmits, 1),
    ])
}
