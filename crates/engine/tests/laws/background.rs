//! Background traffic: its own queue, and its effect on connections.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;

use crate::support::n_source;

/// A connection that sends one byte, on lines of 155.52 Mbit/s.
fn nearly_alone(framing: &str, seed: u64, duration: &str, background: &str) -> Scenario {
    let rest = format!(
        "seed = {seed}\nframing = \"{framing}\"\nbackground = [{background}]
port = {{ buffer = \"unlimited\", arrival_order = \"first-come-first-served\" }}
traffic = {{ kind = \"finite\", size = \"1 B\" }}"
    );
    n_source(1, "155.52 Mbit/s", "5 us", duration, &rest)
}

#[track_caller]
fn run_whole(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Mean, and its standard error.
#[expect(clippy::cast_precision_loss, reason = "few values")]
fn estimate(values: &[f64]) -> (f64, f64) {
    let number = values.len() as f64;
    let mean = values.iter().sum::<f64>() / number;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (number - 1.0);
    (mean, (variance / number).sqrt())
}

/// Pollaczek-Khinchine formula for constant service: a customer of M/D/1 waits rho / (2 (1 - rho)) service times on average, so by Little's
/// law rho^2 / (2 (1 - rho)) are waiting.
#[test]
fn poisson_cells_and_packets_wait_as_m_d_1_says() {
    // Cells of 2.726 us, and packets of 960 + 40 bytes: 51.44 us.
    for (framing, size, service_us) in [("aal5", 48, 424.0 / 155.52), ("packet", 960, 8000.0 / 155.52)] {
        for (rho, services) in [(0.3, 30_000.0), (0.6, 30_000.0), (0.9, 100_000.0)] {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration in microseconds")]
            let duration = format!("{} us", (services * service_us) as u64);
            let background = format!("{{ kind = \"poisson\", load = {rho}, size = \"{size} B\" }}");
            let waiting: Vec<f64> = (1..=12)
                .map(|seed| run_whole(&nearly_alone(framing, seed, &duration, &background)).ports[0].mean_queue_cells)
                .collect();
            let expected = rho * rho / (2.0 * (1.0 - rho));
            let (mean, error) = estimate(&waiting);
            // 4.44 standard errors: Student's t with 11 degrees of freedom, exceeded once in a thousand times.
            assert!((mean - expected).abs() < 4.44 * error, "{framing}, {rho}: {mean} +- {error} wait, not {expected}");
            assert!(error < 0.03 * expected, "{framing}, {rho}: {mean} +- {error} says little");
        }
    }
}

#[test]
fn two_poisson_streams_make_one_of_both_loads() {
    let half = "{ kind = \"poisson\", load = 0.3 }";
    let both: Vec<f64> = (1..=12)
        .map(|seed| {
            run_whole(&nearly_alone("aal5", seed, "100 ms", &format!("{half}, {half}"))).ports[0].mean_queue_cells
        })
        .collect();
    let (mean, error) = estimate(&both);
    assert!((mean - 0.45).abs() < 4.44 * error && error < 0.02, "{mean} +- {error} wait, not 0.45");
}

#[test]
fn background_that_never_comes_changes_nothing() {
    // One datagram in a hundred thousand years.
    for framing in ["aal5", "packet"] {
        let network = |background: &str| {
            let rest = format!(
                "framing = \"{framing}\"\nport.buffer = \"0.2 BDP\"\ntcp.receiver_window = \"100000 B\"\n{background}"
            );
            run_whole(&n_source(3, "155.52 Mbit/s", "1 ms", "1 s", &rest))
        };
        let alone = network("");
        let with = network("background = [{ kind = \"poisson\", load = 1e-18 }]");
        assert!(alone.ports[0].cells_dropped > 0);
        assert_eq!(with.fingerprint, alone.fingerprint, "{framing}");
        assert_ne!(with.scenario_hash, alone.scenario_hash);
    }
}

#[test]
fn background_takes_its_share_of_the_bottleneck_and_of_its_buffer() {
    let network = |background: &str| {
        let rest = format!("port = {{ buffer = \"1000 cells\" }}\ntcp.receiver_window = \"65535 B\"\n{background}");
        run_whole(&n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest))
    };
    let alone = network("");
    assert!(alone.metrics.efficiency > 0.99 && alone.ports[0].cells_dropped == 0);
    // 127 segments of 12 cells overflow a buffer of 1000 once others share the line: timeouts cost more than the share.
    let shared = network("background = [{ kind = \"poisson\", load = 0.4 }]");
    assert!(shared.metrics.efficiency < 0.6, "{}", shared.metrics.efficiency);
    let flooded = network("background = [{ kind = \"poisson\", load = 2.0, size = \"480 B\" }]");
    assert!(flooded.metrics.efficiency < 0.1 && flooded.metrics.cell_loss_ratio > 0.45);
    assert!(flooded.ports[0].utilization > 0.99 && flooded.metrics.max_queue_cells == 1000);
    assert_eq!(flooded.metrics.packets_lost, 0, "a buffer's drops are no losses of a model");
}

#[test]
fn a_background_crosses_the_bottleneck_and_nothing_else() {
    for (framing, size) in [("aal5", 48), ("packet", 960)] {
        let background = format!("{{ kind = \"poisson\", load = 0.5, size = \"{size} B\" }}");
        let record = run_whole(&nearly_alone(framing, 1, "10 ms", &background));
        // The connection's one segment takes three lines, and its acknowledgment three: one packet, or two cells each (S-02).
        let cells = if framing == "aal5" { 2 } else { 1 };
        let crossed = record.work.cell_hops - 6 * cells;
        let under_way = record.ports[0].cells_out - cells - crossed;
        // 5 us are two cells; with a relay they are counted 5 us and a cell later.
        assert!(crossed > 50 && under_way <= 6, "{framing}: {crossed} crossed, {under_way} under way");
        assert_eq!(record.work.packet_hops, 6 + crossed, "{framing}: a datagram each");
    }
}
