//! Scalable TCP step by step against Kelly 2003, with numbers worked by hand; windows in segments, of 1000 bytes.

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

fn at(segments: f64, settings: &str) -> (Box<dyn WindowLaw>, Window) {
    let flavor = format!("flavor = {{ kind = \"scalable\"{settings} }}, slow_start_at_ssthresh = false");
    let (law, mut window) = law_and_window(&flavor);
    (window.cwnd, window.ssthresh) = (1000.0 * segments, 2000.0);
    (law, window)
}

fn progress(window_is_used: bool) -> Progress {
    Progress { acknowledged: 1000, window_is_used, ..Progress::default() }
}

#[test]
fn each_acknowledgment_adds_a_hundredth_of_a_segment_and_a_loss_takes_an_eighth() {
    for segments in [17.0, 100.0, 900.0] {
        let (mut law, mut window) = at(segments, "");
        law.on_acknowledgment(&mut window, &progress(true));
        assert!((window.cwnd - 1000.0 * segments - 10.0).abs() < 1e-6, "{segments}");
        window.cwnd = 1000.0 * segments;
        let flight = window.usable();
        law.on_loss(&mut window, flight);
        assert_eq!((window.cwnd, window.ssthresh), (875.0 * segments, 875.0 * segments));
        law.on_loss_after_mark(&mut window, flight);
        assert_eq!(window.cwnd, 875.0 * segments, "marks have taken it already");
    }
}

#[test]
fn up_to_the_legacy_window_it_is_the_classical_law() {
    for (settings, grown, left) in [("", 62.5, 8000.0), (", legacy_window = 1", 10.0, 14_000.0)] {
        let (mut law, mut window) = at(16.0, settings);
        law.on_acknowledgment(&mut window, &progress(true));
        assert!((window.cwnd - 16_000.0 - grown).abs() < 1e-6);
        window.cwnd = 16_000.0;
        law.on_loss(&mut window, 16_000);
        assert_eq!(window.cwnd, left);
    }
}

#[test]
fn a_timeout_leaves_seven_eighths_in_the_threshold_and_one_segment() {
    let (mut law, mut window) = at(100.0, "");
    law.on_timeout(&mut window, 80_000);
    assert_eq!((window.cwnd, window.ssthresh), (1000.0, 70_000.0));
}
