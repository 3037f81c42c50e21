//! A window for laws on a bench.

use crate::transport::{TcpConfig, Window};

/// A window of `bytes`: segments of 1000 B, an initial window of ten, a receiver that allows 1000, and a threshold of half the window
/// after a loss.
pub(in crate::transport) fn window(bytes: f64) -> Window {
    let config = TcpConfig::written(
        "{ mss = \"1000 B\", receiver_window = \"1000000 B\", initial_window = \"10 MSS\", ssthresh_rule = \"as-printed\" }",
    );
    let mut window = Window::new(&config);
    window.cwnd = bytes;
    window
}
