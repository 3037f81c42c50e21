//! RFC 6675, and the PIPE of 98-0876R1, by hand.

use longfat_engine::transport::{Blocks, Scoreboard};
use serde_json::json;

use super::support::{ByHand, all, equal};
use crate::check::{Check, Finding, Kind};

/// `IsLost`, a recovery step by step, and the older PIPE.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("RFC 6675 section 4: which bytes count as lost", Kind::Example, lost),
        Check::new("RFC 6675 section 5: three losses in a window of ten", Kind::Example, recovery),
        Check::new(
            "98-0876R1 section 3.2: PIPE is CWND less three, and two less at a partial acknowledgment",
            Kind::Example,
            pipe,
        ),
    ]
}

/// Three separate blocks, or more than two segments of bytes, above a byte.
fn lost() -> Finding {
    let board = |blocks: &[(u64, u64)]| {
        let mut board = Scoreboard::default();
        board.update(0, 10_000, &blocks.iter().copied().collect::<Blocks>());
        board.lost_below(3, 100)
    };
    all([
        equal("one block of two segments", board(&[(300, 500)]), 0),
        equal("one of two segments and a byte", board(&[(300, 501)]), 300),
        equal("three blocks of ten bytes", board(&[(300, 310), (500, 510), (700, 710)]), 300),
        equal("two blocks of two segments each", board(&[(300, 500), (700, 900)]), 300),
    ])
}

/// Segments 0, 3 and 4 of ten are lost. The first two duplicates send a new segment each, which do not count in the reduction: ssthresh =
/// cwnd = 5. At the third, 3 and 4 have only one segment above them and are not lost yet.
fn recovery() -> Finding {
    let (mut by_hand, _) = ByHand::sending(&json!({ "flavor": "sack-rfc6675" }), 10)?;
    all([
        equal("first duplicate: PIPE 9, one new", by_hand.acknowledge(0, &[(1, 2)]), vec![10]),
        equal("second: one new", by_hand.acknowledge(0, &[(1, 3)]), vec![11]),
        equal("third: segment 0", by_hand.acknowledge(0, &[(5, 6), (1, 3)]), vec![0]),
        equal("ssthresh of the ten that were under way", by_hand.windows().1, 5.0),
        // PIPE: 3, 4, 7 to 11 and the retransmitted 0, 8 in all.
        equal("segment 6 arrives", by_hand.acknowledge(0, &[(5, 7), (1, 3)]), vec![]),
        // Three segments above 3 and 4: lost. PIPE: 8 to 11 and the retransmitted 0, 5 in all.
        equal("segment 7 arrives", by_hand.acknowledge(0, &[(5, 8), (1, 3)]), vec![]),
        equal("segment 8 arrives: PIPE 4", by_hand.acknowledge(0, &[(5, 9), (1, 3)]), vec![3]),
        equal("segment 9 arrives: PIPE 4", by_hand.acknowledge(0, &[(5, 10), (1, 3)]), vec![4]),
        equal("segment 10 arrives: PIPE 4", by_hand.acknowledge(0, &[(5, 11), (1, 3)]), vec![12]),
    ])
}

/// These losses with PIPE: 10 - 3 at the third duplicate and 8 with segment 0 retransmitted, cwnd 5. Duplicates for 6, 7 and 8 reduce it
/// to 5; at that for 9 it is 4, and segment 3 is retransmitted. Then segment 0 arrives: PIPE is 5 - 2, and segment 4 and a new one are
/// sent.
fn pipe() -> Finding {
    let (mut by_hand, _) = ByHand::sending(&json!({ "flavor": "sack", "ssthresh_rule": "as-printed" }), 10)?;
    let blocks: [&[(u64, u64)]; 7] = [
        &[(1, 2)],
        &[(1, 3)],
        &[(5, 6), (1, 3)],
        &[(5, 7), (1, 3)],
        &[(5, 8), (1, 3)],
        &[(5, 9), (1, 3)],
        &[(5, 10), (1, 3)],
    ];
    let sent: Vec<Vec<u64>> = blocks.iter().map(|blocks| by_hand.acknowledge(0, blocks)).collect();
    all([
        equal("sent on seven duplicates", sent, vec![vec![], vec![], vec![0], vec![], vec![], vec![], vec![3]]),
        equal("cwnd and ssthresh", by_hand.windows(), (5.0, 5.0)),
        equal("sent on the partial acknowledgment", by_hand.acknowledge(3, &[(5, 10)]), vec![4, 10]),
        equal("sent on the full one", by_hand.acknowledge(10, &[]), vec![11, 12, 13, 14]),
    ])
}
