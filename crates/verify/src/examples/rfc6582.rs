//! RFC 6582: NewReno's arithmetic.

use serde_json::json;

use super::support::{ByHand, all, equal};
use crate::check::{Check, Finding, Kind};

/// Two losses in a window of ten.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("RFC 6582 section 3.2: a partial and a full acknowledgment", Kind::Example, two_losses),
        Check::new(
            "98-0876R1 section 3.1: one new segment for two duplicates, one retransmission for a partial acknowledgment",
            Kind::Example,
            hoe,
        ),
    ]
}

/// Segments 0 and 5 of ten are lost. Eight duplicates: cwnd 5 + 8 = 13. The acknowledgment of 5 is partial: segment 5 is retransmitted, the
/// window shrinks by the five acknowledged and grows by one, to 9, and 5 + 9 allows segment 13. Full: min(5, 4 + 1).
fn two_losses() -> Finding {
    let (mut by_hand, _) = ByHand::sending(&json!({ "flavor": "newreno-rfc6582" }), 10)?;
    let sent: Vec<u64> = (0..8).flat_map(|_| by_hand.acknowledge(0, &[])).collect();
    all([
        equal("sent on eight duplicates", sent, vec![0, 10, 11, 12]),
        equal("cwnd and ssthresh", by_hand.windows(), (13.0, 5.0)),
        equal("sent on the partial acknowledgment", by_hand.acknowledge(5, &[]), vec![5, 13]),
        equal("cwnd and ssthresh", by_hand.windows(), (9.0, 5.0)),
        equal("sent on the full one", by_hand.acknowledge(10, &[]), vec![14]),
        equal("cwnd and ssthresh", by_hand.windows(), (5.0, 5.0)),
    ])
}

/// These losses with Hoe's rules: new segments at the fifth and seventh duplicate, regardless of the window; the partial acknowledgment
/// sets the window to the threshold and only retransmits.
fn hoe() -> Finding {
    let (mut by_hand, _) = ByHand::sending(&json!({ "flavor": "newreno", "ssthresh_rule": "as-printed" }), 10)?;
    let sent: Vec<Vec<u64>> = (0..8).map(|_| by_hand.acknowledge(0, &[])).collect();
    let expected = [vec![], vec![], vec![0], vec![], vec![10], vec![], vec![11], vec![]];
    all([
        equal("sent on eight duplicates", sent, expected.to_vec()),
        equal("sent on the partial acknowledgment", by_hand.acknowledge(5, &[]), vec![5]),
        equal("cwnd and ssthresh", by_hand.windows(), (5.0, 5.0)),
        equal("sent on the full one", by_hand.acknowledge(10, &[]), vec![12, 13, 14]),
    ])
}
