//! RFC 5681: windows after losses, and delayed acknowledgments.

use longfat_engine::transport::Receiver;
use longfat_engine::units::{Span, Time};
use serde_json::json;

use super::support::{ByHand, all, end_systems, equal};
use crate::check::{Check, Finding, Kind};

/// Sections 3.2 and 4.2.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("RFC 5681 section 3.2: fast retransmit and fast recovery of one loss", Kind::Example, fast_recovery),
        Check::new("RFC 5681 section 4.2: which segments are acknowledged at once", Kind::Example, delayed),
    ]
}

/// Ten segments in flight, the first lost: ssthresh 5 (equation 4), cwnd 5 + 3, one more for each duplicate; at the ninth duplicate the
/// window exceeds the flight.
fn fast_recovery() -> Finding {
    let (mut by_hand, _) = ByHand::sending(&json!({ "flavor": "reno" }), 10)?;
    let duplicates: Vec<Vec<u64>> = (0..9).map(|_| by_hand.acknowledge(0, &[])).collect();
    let expected = [vec![], vec![], vec![0], vec![], vec![], vec![10], vec![11], vec![12], vec![13]];
    all([
        equal("sent on nine duplicates", duplicates, expected.to_vec()),
        equal("cwnd and ssthresh", by_hand.windows(), (14.0, 5.0)),
        equal("sent on the acknowledgment that ends recovery", by_hand.acknowledge(10, &[]), vec![14]),
        equal("cwnd and ssthresh then", by_hand.windows(), (5.0, 5.0)),
    ])
}

/// Every second segment, or after the delay; out-of-order segments, and segments that fill a hole, at once.
fn delayed() -> Finding {
    let config = end_systems(&json!({ "acknowledgments": { "kind": "delayed", "delay": "200 ms" } }))?;
    let mut receiver = Receiver::new(&config);
    let at = |milliseconds: u64| Time::ZERO + Span::from_microseconds(1000 * milliseconds);
    let mut answer = |milliseconds: u64, number: u64| {
        let answer = receiver.receive(at(milliseconds), 100 * number, 100, at(0));
        (answer.map(|answer| answer.next / 100), receiver.due().map(|due| due.0 / 1_000_000_000))
    };
    all([
        equal("segment 0 at 0 ms waits until", answer(0, 0), (None, Some(200))),
        equal("segment 1 is the second", answer(10, 1), (Some(2), None)),
        equal("segment 3 is out of order", answer(20, 3), (Some(2), None)),
        equal("segment 2 fills the hole", answer(30, 2), (Some(4), None)),
        equal("segment 4 at 40 ms waits until", answer(40, 4), (None, Some(240))),
        equal("segment 4 again is acknowledged at once", answer(50, 4), (Some(5), None)),
    ])
}
