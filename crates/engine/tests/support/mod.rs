//! Helpers shared by the tests.

pub mod byte_receiver;
pub mod declared;
pub mod expected;
pub mod tape;

use longfat_engine::scenario::Scenario;
use longfat_engine::transport::TcpConfig;

/// Parses a scenario that must be valid.
#[track_caller]
pub fn scenario(text: &str) -> Scenario {
    match Scenario::parse(text.as_bytes(), "scenario.toml", &[]) {
        Ok(scenario) => scenario,
        Err(problems) => panic!("{}\n--- in\n{text}", problems.join("\n")),
    }
}

/// N sources on equal lines; `rest` has the other tables.
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

/// True if data may exceed the receiver window: the literal PIPE of 98-0876R1 section 3.2 (T-33).
pub fn may_pass_receiver_window(tcp: &TcpConfig) -> bool {
    tcp.flavor.build(&()).recovery().build(&()).may_exceed_receiver_window()
}
