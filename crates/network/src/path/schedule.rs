//! A path given by a table.

use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span};

use super::table::{Columns, Row, Table};
use super::{Path, PathContext, Step};

longfat_foundation::model! {
    /// A table, measured or made up: rate, delay and losses of the bottleneck from each time on.
    #[name = "schedule"]
    #[source = "a table of the user's"]
    pub struct Schedule: dyn Path {
        /// CSV with the column time_s and any of rate_bps (0 while the path is interrupted), delay_s (one way), jitter_s (the largest extra
        /// delay of a packet, drawn uniformly) and loss (a probability). Missing columns are as in the topology.
        steps: Table<Conditions>,
    }
    build(config, context) { Box::new(Tabulated { table: config.steps.clone(), context: context.clone() }) }
}

/// Columns of a schedule besides the time.
#[derive(Clone, Debug)]
pub struct Conditions;

impl Columns for Conditions {
    const NAMES: &'static [&'static str] = &["rate_bps", "delay_s", "jitter_s", "loss"];
    const LARGEST: &'static [f64] = &[1e14, 60.0, 60.0, 1.0];
    const EXPECTED: &'static str = "CSV with the columns time_s and any of rate_bps, delay_s, jitter_s and loss";
    const EXAMPLE: &'static str = "time_s,rate_bps\n0,1000000\n5,500000";
}

struct Tabulated {
    table: Table<Conditions>,
    context: PathContext,
}

impl Path for Tabulated {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the limits")]
    #[expect(clippy::cast_precision_loss, reason = "a power of ten")]
    fn steps(&self) -> Vec<Step> {
        let span = |seconds: f64| Span((seconds * PICOSECONDS_PER_SECOND as f64).round() as u64);
        let step = |row: &Row| {
            let nominal = self.context.nominal(row.time);
            let [rate, delay, jitter, loss] = row.values;
            let rate = rate.map(|bps| Some(Rate(bps.round() as u64)).filter(|rate| rate.0 > 0));
            Step {
                time: row.time,
                rate: rate.unwrap_or(nominal.rate),
                delay: delay.map_or(nominal.delay, span),
                jitter: jitter.map_or(nominal.jitter, span),
                loss: loss.unwrap_or(nominal.loss),
            }
        };
        self.table.rows().iter().map(step).collect()
    }
}
