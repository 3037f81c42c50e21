//! What the tests share.

pub mod byte_receiver;
pub mod declared;
pub mod expected;
pub mod tape;

use longfat_engine::config::Parameter;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::law::WindowLaw;
use longfat_engine::transport::{TcpConfig, Window};

/// A scenario that must be valid.
#[track_caller]
pub fn scenario(text: &str) -> Scenario {
    match Scenario::parse(text.as_bytes(), "scenario.toml", &[]) {
        Ok(scenario) => scenario,
        Err(problems) => panic!("{}\n--- in\n{text}", problems.join("\n")),
    }
}

/// N sources on equal lines; `rest` holds the other tables.
#[track_caller]
pub fn n_source(sources: u64, rate: &str, delay: &str, duration: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"{duration}\"
{rest}
[topology]
kind = \"n-source\"
sources = {sources}
access = {{ rate = \"{rate}\", delay = \"{delay}\" }}
bottleneck = {{ rate = \"{rate}\", delay = \"{delay}\" }}
"
    ))
}

/// The law and the window of a connection with these settings, as TOML: segments of 1000 bytes, an initial window of ten, and a receiver
/// that allows 1000.
#[track_caller]
pub fn law_and_window(settings: &str) -> (Box<dyn WindowLaw>, Window) {
    let rest = format!(
        "port.buffer = \"unlimited\"
tcp = {{ mss = \"1000 B\", receiver_window = \"1000000 B\", initial_window = \"10 MSS\", {settings} }}"
    );
    let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp;
    (config.flavor.build(&()).law(), Window::new(&config))
}

/// Whether data may go that the receiver does not allow: the literal PIPE of 98-0876R1 section 3.2 (T-33).
pub fn may_pass_receiver_window(tcp: &TcpConfig) -> bool {
    let flavor = tcp.flavor.resolved();
    // The recovery is the flavor itself, or what another law is put together with.
    [&flavor, &flavor["recovery"]].into_iter().any(|recovery| recovery["respects_receiver_window"] == false)
}
