//! Names this build: a hash of the engine's sources, by which stored runs tell apart engines of one version.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let crates = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("..");
    let mut files = Vec::new();
    for part in ["foundation", "hosts", "network", "engine"] {
        let folder = crates.join(part).join("src");
        println!("cargo::rerun-if-changed={}", folder.display());
        list_files(&folder, &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        hash.update(file.strip_prefix(&crates).map_err(io::Error::other)?.to_string_lossy().as_bytes());
        hash.update([0]);
        hash.update(fs::read(file)?);
    }
    let name: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=LONGFAT_ENGINE_BUILD={name}");
    Ok(())
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
