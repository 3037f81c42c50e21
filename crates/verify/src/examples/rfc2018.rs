//! RFC 2018 section 5: eight segments of 500 bytes from 5000 on, with everything before acknowledged.

use longfat_engine::transport::Receiver;
use longfat_engine::units::Time;
use serde_json::json;

use super::support::{all, end_systems, equal};
use crate::check::{Check, Finding, Kind};

/// The three cases, and the size of the option.
pub fn checks() -> Vec<Check> {
    let check =
        |name: &str, run: fn() -> Finding| Check::new(format!("RFC 2018 section 5, {name}"), Kind::Example, run);
    vec![
        check("case 1: the last four segments are lost", || {
            case(&[0, 1, 2, 3], &[(5500, &[]), (6000, &[]), (6500, &[]), (7000, &[])])
        }),
        check("case 2: the first segment is lost", case_2),
        check("case 3: the second, fourth, sixth and eighth are lost", case_3),
    ]
}

/// Compares acknowledgments of segments that arrive in the given order with those of the RFC: sequence numbers and blocks, in bytes.
fn case(arrivals: &[u64], by_hand: &[(u64, &[(u64, u64)])]) -> Finding {
    let config = end_systems(&json!({ "flavor": "sack", "sack_blocks": 4 }))?;
    let mut receiver = Receiver::new(&config);
    // Bytes below 5000 have arrived before.
    receiver.receive(Time::ZERO, 0, 5000, Time::ZERO);
    let findings = arrivals.iter().zip(by_hand).map(|(number, (next, blocks))| {
        let sequence = 5000 + 500 * number;
        let answer = receiver.receive(Time::ZERO, sequence, 500, Time::ZERO).ok_or("no acknowledgment")?;
        equal(&format!("after {sequence}"), (answer.next, answer.blocks.as_slice()), (*next, *blocks))
    });
    all(findings)
}

fn case_2() -> Finding {
    case(
        &[1, 2, 3, 4, 5, 6, 7],
        &[
            (5000, &[(5500, 6000)]),
            (5000, &[(5500, 6500)]),
            (5000, &[(5500, 7000)]),
            (5000, &[(5500, 7500)]),
            (5000, &[(5500, 8000)]),
            (5000, &[(5500, 8500)]),
            (5000, &[(5500, 9000)]),
        ],
    )
}

/// The fourth segment arrives late, then the second.
fn case_3() -> Finding {
    case(
        &[0, 2, 4, 6, 3, 1],
        &[
            (5500, &[]),
            (5500, &[(6000, 6500)]),
            (5500, &[(7000, 7500), (6000, 6500)]),
            (5500, &[(8000, 8500), (7000, 7500), (6000, 6500)]),
            (5500, &[(6000, 7500), (8000, 8500)]),
            (7500, &[(8000, 8500)]),
        ],
    )
}
