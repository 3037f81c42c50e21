//! HighSpeed TCP step by step against RFC 3649, with numbers worked by hand; windows in segments, of 1000 bytes.

use crate::transport::law::Progress;
use crate::transport::law::test_support::law_and_window;

/// Rows of the table of appendix B: w, a(w), b(w), which are of rounded constants.
const TABLE: [(f64, f64, f64); 3] = [(118.0, 2.0, 0.44), (495.0, 5.0, 0.37), (851.0, 7.0, 0.34)];

const FLAVOR: &str = "flavor = \"high-speed\", slow_start_at_ssthresh = false";

fn progress(acknowledged: u64, window_is_used: bool) -> Progress {
    Progress { acknowledged, window_is_used, ..Progress::default() }
}

#[test]
fn an_acknowledgment_adds_a_of_w_over_w_and_a_loss_takes_b_of_w() {
    for (segments, increase, decrease) in TABLE {
        let (mut law, mut window) = law_and_window(FLAVOR);
        (window.cwnd, window.ssthresh) = (1000.0 * segments, 2000.0);
        law.on_acknowledgment(&mut window, &progress(1000, true));
        let grown = window.cwnd / 1000.0 - segments;
        assert!((grown * segments / increase - 1.0).abs() < 0.03, "{segments}: {grown}");
        window.cwnd = 1000.0 * segments;
        let flight = window.usable();
        law.on_loss(&mut window, flight);
        let left = window.cwnd / 1000.0 / segments;
        assert!((1.0 - left - decrease).abs() < 0.005, "{segments}: {left}");
        assert_eq!(window.ssthresh, window.cwnd);
    }
}

/// By the settings that the classical law has: for each segment, and under the rule of what is under way.
#[test]
fn the_settings_of_windows_are_heeded() {
    let settings = format!("{FLAVOR}, linear_growth = \"acknowledged-bytes\", ssthresh_rule = \"flight-size\"");
    let grown = |settings: &str| {
        let (mut law, mut window) = law_and_window(settings);
        (window.cwnd, window.ssthresh) = (495_000.0, 2000.0);
        law.on_acknowledgment(&mut window, &progress(2000, true));
        window.cwnd - 495_000.0
    };
    assert!((grown(&settings) / grown(FLAVOR) - 2.0).abs() < 1e-9);
    let (mut law, mut window) = law_and_window(&settings);
    window.cwnd = 495_000.0;
    law.on_timeout(&mut window, 100_000);
    assert_eq!(window.cwnd, 1000.0);
    assert!((window.ssthresh / 100_000.0 - 0.63).abs() < 0.005, "{}", window.ssthresh);
}

#[test]
fn what_marks_have_taken_a_loss_does_not_take_again_and_unused_windows_may_wait() {
    let (mut law, mut window) = law_and_window(&format!("{FLAVOR}, cwnd_limit = \"used\""));
    (window.cwnd, window.ssthresh) = (118_000.0, 2000.0);
    law.on_acknowledgment(&mut window, &progress(1000, false));
    assert_eq!(window.cwnd, 118_000.0);
    law.on_mark(&mut window, 118_000);
    let left = window.cwnd;
    assert!((left / 118_000.0 - 0.56).abs() < 0.005, "{left}");
    law.on_loss_after_mark(&mut window, 118_000);
    assert_eq!(window.cwnd, left);
}
