//! Settings and windows for laws on a bench.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};

use super::WindowLaw;
use crate::transport::{TcpConfig, Window};

/// Parameters written as a table of TOML.
pub(in crate::transport) fn written<P: Parameter>(table: &str) -> P {
    P::read(&parse_fragment(table), &mut Reader::default()).expect("a valid table")
}

/// Parameters with their defaults.
pub(in crate::transport) fn with_defaults<P: Parameter>() -> P {
    written("{}")
}

/// The law and the window of a connection with these settings of `[tcp]`: segments of 1000 bytes, an initial window of ten, and a receiver
/// that allows 1000.
pub(in crate::transport) fn law_and_window(settings: &str) -> (Box<dyn WindowLaw>, Window) {
    let table = "mss = \"1000 B\", receiver_window = \"1000000 B\", initial_window = \"10 MSS\"";
    let config = TcpConfig::written(&format!("{{ {table}, {settings} }}"));
    (config.flavor.build(&()).law(), Window::new(&config))
}

/// Such a window with this number of bytes, and a threshold of half the window after a loss.
pub(in crate::transport) fn window(bytes: f64) -> Window {
    let (_, mut window) = law_and_window("ssthresh_rule = \"as-printed\"");
    window.cwnd = bytes;
    window
}
