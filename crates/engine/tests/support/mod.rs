//! Helpers shared by the tests.

pub mod byte_receiver;
pub mod declared;
pub mod expected;
pub mod tape;

use longfat_engine::config::Parameter;
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
    let flavor = tcp.flavor.resolved();
    // The recovery is the flavor itself, or combined with another law.
    [&flavor, &flavor["recovery"]].into_iter().any(|recovery| recovery["respects_receiver_window"] == false)
}
