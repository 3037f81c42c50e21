//! Registers the models of a managed port: in each of these files the `mod` lines below the comment that names this script are the list of
//! a family, in the order of these lines.
//!
//! A macro could declare the modules of a list as well, but rustfmt and cargo-mutants do not see modules that a macro declares.

use std::path::Path;
use std::{env, fs, io};

const FAMILIES: [&str; 3] = ["drop_policy", "queue_discipline", "scheduler"];

fn main() -> io::Result<()> {
    let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
    for family in FAMILIES {
        let list = format!("src/switch/{family}/mod.rs");
        println!("cargo::rerun-if-changed={list}");
        let models = models(&fs::read_to_string(list)?);
        fs::write(Path::new(&folder).join(format!("{family}.rs")), format!("register!({});\n", models.join(", ")))?;
    }
    Ok(())
}

/// The registered models, each as `module::Type`.
fn models(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.contains("`build.rs`")).skip_while(|line| line.starts_with("//"));
    let modules = lines.take_while(|line| line.is_empty() || line.starts_with("mod "));
    let modules = modules.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    modules.map(|module| format!("{module}::{}", type_name(module))).collect()
}

/// `TailDrop` for `tail_drop`.
fn type_name(module: &str) -> String {
    module.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
