//! Cell-hops per second: cells carried by a line, counted on each line they cross (`work.cell_hops` of a run's record).
//!
//! `cargo bench -p longfat-engine`. Short pieces of the runs of UBR+ Tables 2 and 3, with each driver.

#![allow(missing_docs, reason = "criterion's macros make public items")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, run_by};

/// N sources on lines of 155.52 Mbit/s.
fn n_source(sources: u32, delay: &str, duration: &str, window: u64, buffer: u64, policy: &str) -> Scenario {
    let text = format!(
        "schema_version = 1
duration = \"{duration}\"
topology = {{ kind = \"n-source\", sources = {sources}, access.delay = \"{delay}\", bottleneck.delay = \"{delay}\" }}
port = {{ buffer = \"{buffer} cells\", policy = \"{policy}\" }}
tcp.receiver_window = \"{window} B\"
"
    );
    Scenario::parse(text.as_bytes(), "bench.toml", &[]).unwrap_or_else(|problems| panic!("{}", problems.join("\n")))
}

fn wan(sources: u32, policy: &str) -> Scenario {
    n_source(sources, "5 ms", "2 s", 600_000, 12_000, policy)
}

fn lan(sources: u32, policy: &str) -> Scenario {
    n_source(sources, "5 us", "2 s", 65_535, 1_000, policy)
}

fn cell_hops(criterion: &mut Criterion) {
    let scenarios = [
        ("wan-5", "tail-drop", wan(5, "tail-drop")),
        ("wan-15", "tail-drop", wan(15, "tail-drop")),
        ("wan-15", "selective-drop", wan(15, "selective-drop")),
        ("lan-5", "tail-drop", lan(5, "tail-drop")),
        ("lan-15", "selective-drop", lan(15, "selective-drop")),
    ];
    let mut group = criterion.benchmark_group("cell-hops");
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    for (network, policy, scenario) in &scenarios {
        for driver in [Driver::Events, Driver::Fast] {
            let record = run_by(driver, scenario).unwrap_or_else(|violation| panic!("{violation}"));
            group.throughput(Throughput::Elements(record.work.cell_hops));
            let name = BenchmarkId::new(format!("{network}/{policy}"), driver.name());
            group.bench_with_input(name, scenario, |bencher, scenario| {
                bencher.iter(|| run_by(driver, scenario));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, cell_hops);
criterion_main!(benches);
