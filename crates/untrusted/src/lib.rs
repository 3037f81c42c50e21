//! Properties that must hold for arbitrary input: each target takes any bytes, and panics if a property is violated.
//!
//! `fuzz/` generates inputs; the tests here run the corpora that it keeps.

#![forbid(unsafe_code)]

mod claims;
pub mod generated;
mod orbit;
mod refusal;
mod run;
mod scenario;
mod scoreboard;
mod study;
mod trace;

pub use claims::claims;
pub use orbit::orbit;
pub use run::run;
pub use scenario::scenario;
pub use scoreboard::scoreboard;
pub use study::study;
pub use trace::trace;

/// A fuzz target, which panics if a property is violated.
pub type Target = fn(&[u8]);

/// Fuzz targets by name, which is also that of their corpora.
pub const TARGETS: [(&str, Target); 7] = [
    ("scenario", scenario),
    ("study", study),
    ("claims", claims),
    ("orbit", orbit),
    ("trace", trace),
    ("scoreboard", scoreboard),
    ("run", run),
];

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::*;

    /// Longer than any text takes, even on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(300);

    #[test]
    fn every_text_of_the_corpora_is_answered_or_refused() {
        let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        for (name, target) in TARGETS {
            let mut files: Vec<_> =
                std::fs::read_dir(corpora.join(name)).unwrap().map(|file| file.unwrap().path()).collect();
            files.sort();
            assert!(!files.is_empty(), "{name} has no corpus");
            for file in files {
                println!("{}", file.display());
                let started = Instant::now();
                target(&std::fs::read(&file).unwrap());
                assert!(started.elapsed() < PATIENCE, "{} hangs", file.display());
            }
        }
    }
}
