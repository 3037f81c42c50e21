//! Settings and windows for laws on a bench.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};

use crate::transport::{TcpConfig, Window};

/// Parameters written as a table of TOML.
pub(in crate::transport) fn written<P: Parameter>(table: &str) -> P {
    P::read(&parse_fragment(table), &mut Reader::default()).expect("a valid table")
}

/// Parameters with their defaults.
pub(in crate::transport) fn with_defaults<P: Parameter>() -> P {
    written("{}")
}

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
