//! A window for laws on a bench.

use crate::scenario::Scenario;
use crate::transport::Window;

/// A window of so many bytes: segments of 1000, an initial window of ten, a receiver that allows 1000, and a threshold of half the window
/// after a loss.
pub(in crate::transport) fn window(bytes: f64) -> Window {
    let scenario = br#"
        schema_version = 1
        duration = "1 s"
        topology = { kind = "n-source", sources = 1, access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
        port = { buffer = "unlimited" }
        tcp = { mss = "1000 B", receiver_window = "1000000 B", initial_window = "10 MSS", ssthresh_rule = "as-printed" }
    "#;
    let mut window = Window::new(&Scenario::parse(scenario, "scenario.toml", &[]).expect("a scenario").tcp);
    window.cwnd = bytes;
    window
}
