//! Registers the window laws: the `mod` lines of `src/transport/flavor.rs` are their list, in the order of these lines.
//!
//! A macro could declare the modules of a list as well, but rustfmt and cargo-mutants do not see modules that a macro declares.

use std::path::Path;
use std::{env, fs, io};

const LIST: &str = "src/transport/flavor.rs";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={LIST}");
    let text = fs::read_to_string(LIST)?;
    let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let laws: Vec<_> = modules.map(|module| format!("{module}::{}", type_name(module))).collect();
    let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&folder).join("laws.rs"), format!("register_laws!({});\n", laws.join(", ")))
}

/// `HighSpeed` for `high_speed`.
fn type_name(module: &str) -> String {
    module.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
