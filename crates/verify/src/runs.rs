//! Runs of the checks' scenarios.

use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Observer;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::{Segment, Window};
use longfat_engine::units::Time;
use longfat_engine::{run, run_told};
use serde_json::Value as Json;

/// Validates a scenario.
pub fn scenario(json: &Json) -> Result<Scenario, String> {
    Scenario::parse(json.to_string().as_bytes(), "scenario.json", &[]).map_err(|problems| problems.join("; "))
}

/// Record of a run.
pub fn record(json: &Json) -> Result<RunRecord, String> {
    run(&scenario(json)?).map_err(|violation| violation.to_string())
}

/// A segment sent, with the window at that time.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// Time of transmission.
    pub time: Time,
    /// Congestion window in bytes.
    pub cwnd: f64,
}

/// Segments sent by the first flow of a scenario.
pub fn sendings(json: &Json) -> Result<Vec<Sending>, String> {
    let mut journal = Journal::default();
    run_told(&scenario(json)?, &mut journal).map_err(|violation| violation.to_string())?;
    Ok(journal.0)
}

#[derive(Default)]
struct Journal(Vec<Sending>);

impl Observer for Journal {
    fn segment_sent(&mut self, time: Time, flow: usize, _segment: Segment, window: &Window) {
        if flow == 0 {
            self.0.push(Sending { time, cwnd: window.cwnd });
        }
    }
}

/// Least squares line through points: slope and intercept.
#[expect(clippy::cast_precision_loss, reason = "few points")]
pub fn line_through(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let product: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let square: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let slope = product / square;
    (slope, mean_y - slope * mean_x)
}
