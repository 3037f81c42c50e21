//! The losses at which Reno, HighSpeed TCP and CUBIC have a throughput (RFC 9438 section 5.2, table 3).

use serde_json::{Value as Json, json};

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};

/// A column of the table: what the flavor is called, and its share of the window that is left after a loss.
#[derive(Clone, Copy)]
enum Column {
    Reno,
    HighSpeed,
    Cubic,
}

/// Rows of the table, for packets of 1500 bytes and round trips of 0.1 s: Mbit/s, mean window in segments, and packets per loss of each TCP, the
/// inverse of the printed share. Left out are the row of 1 Mbit/s, whose windows of eight segments lose a round trip in eight to the repair, which response
/// functions do not count, and what would take minutes: losses rarer than one in a million packets.
const TABLE: [(u64, f64, [u64; 3]); 3] = [
    (10, 83.3, [5_000, 2_564, 3_448]),
    (100, 833.3, [500_000, 40_000, 71_429]),
    (1_000, 8_333.3, [50_000_000, 666_667, 1_587_302]),
];

const MOST_PACKETS: u64 = 1_000_000;

/// One check per entry.
pub fn checks() -> Vec<Check> {
    let entries = TABLE.into_iter().flat_map(|(mbits, window, periods)| {
        let columns = [Column::Reno, Column::HighSpeed, Column::Cubic];
        columns.into_iter().zip(periods).map(move |(column, period)| (mbits, window, column, period))
    });
    let check = |(mbits, window, column, period): (u64, f64, Column, u64)| {
        let name = format!("{} has {mbits} Mbit/s with a loss every {period} packets", column.name());
        Check::new(name, Kind::Law, move || has_window(column, window, period))
    };
    entries.filter(|(_, _, _, period)| *period <= MOST_PACKETS).map(check).collect()
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Self::Reno => "Reno",
            Self::HighSpeed => "HighSpeed TCP",
            Self::Cubic => "CUBIC",
        }
    }

    /// Fast convergence is for windows that shrink; here every loss should be at the same window.
    fn flavor(self) -> Json {
        match self {
            Self::Reno => json!("sack-rfc6675"),
            Self::HighSpeed => json!("high-speed"),
            Self::Cubic => json!({ "kind": "cubic", "fast_convergence": false }),
        }
    }

    /// The window just before a loss, of which the mean is known: Reno's is 3/4 of it, CUBIC's (3 + 0.7) / 4.
    fn before_loss(self, mean: f64) -> f64 {
        match self {
            Self::Reno => mean / 0.75,
            Self::HighSpeed => mean * 1.15,
            Self::Cubic => mean * 4.0 / 3.7,
        }
    }
}

/// Shares are printed with two digits, of which the window has the root at least: within 5 %.
fn has_window(column: Column, window: f64, period: u64) -> Finding {
    const LOSSES: u64 = 10;
    let run = PeriodicLosses {
        flavor: column.flavor(),
        round_trip_ms: 100,
        period,
        first_window: column.before_loss(window),
        expected_mean: window,
        losses: LOSSES,
    };
    let mean = run.mean_window()?;
    require(
        (mean / window - 1.0).abs() < 0.05,
        format!("{mean:.1} segments over {LOSSES} losses, {window} in the table"),
    )
}
