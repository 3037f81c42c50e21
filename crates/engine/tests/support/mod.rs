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
    tcp.flavor.build(&()).recovery().build(&()).may_exceed_receiver_window()
}

/// True if a segment may wait below TCP for its time of departure, as in Linux's `fq`: it then leaves even if it is acknowledged meanwhile.
pub fn hands_segments_over_early(tcp: &TcpConfig) -> bool {
    [tcp.pacing.resolved(), tcp.flavor.resolved()].iter().any(|model| model.to_string().contains("linux-fq"))
}

/// True if reports of data out of order may leave before the segment that makes a third block is counted, as in Linux.
pub fn reports_before_third_block(tcp: &TcpConfig) -> bool {
    tcp.acknowledgments.resolved()["kind"] == "linux"
}
