//! Careful Resume in a small network.

use super::table;
use crate::support::expected::assert_as_expected;
use crate::support::scenario;

fn careful(loss: &str) -> String {
    table(&scenario(&format!(
        r#"
schema_version = 1
duration = "400 ms"
framing = "packet"
topology = {{ kind = "n-source", sources = 1, access = {{ rate = "8 Gbit/s", delay = "1 ms" }}, bottleneck = {{ rate = "8 Mbit/s", delay = "28 ms" }} }}
port.buffer = "unlimited"
traffic = {{ kind = "finite", size = "28800 B" }}
loss = {loss}
[tcp]
flavor = "sack-rfc6675"
mss = "960 B"
receiver_window = "57600 B"
initial_window = "4 MSS"
initial_ssthresh = "unlimited"
retransmission_timeout = {{ kind = "rfc-6298", minimum = "1 s" }}
timer_granularity = "1 ms"
resume = {{ kind = "careful-resume", saved_cwnd = "23040 B", saved_rtt = "60 ms" }}
"#
    )))
}

/// Checked by hand, in ms: a packet of 1000 B takes 1 on the bottleneck and .001 on the lines of the hosts.
///
/// - The acknowledgment of segment 3, the last of the initial window, comes at 64.042 and has taken as long: the window jumps to half of 24
///   segments, of which 6 are in flight. The 6 that follow are 64.04208 / 12 = 5.33684 apart.
/// - At 122.084 segment 4 is acknowledged. The whole window was in flight, so 11 segments are validated, and slow start goes on.
#[test]
fn a_window_that_jumps_is_paced_and_validated() {
    assert_as_expected("trajectories/careful-resume.txt", &careful("\"none\""));
}

/// Checked by hand: segment 12, the 13th packet, is lost.
///
/// - At the third duplicate 8 segments since the jump are acknowledged, and 2 reported: 10 are `PipeSize`, 5 are left.
/// - The window stays at 5, and so does the threshold, until all 30 segments are acknowledged.
#[test]
fn a_jump_of_which_a_segment_is_lost_retreats() {
    assert_as_expected("trajectories/careful-resume-loss.txt", &careful("{ kind = \"list\", drops = [13] }"));
}
