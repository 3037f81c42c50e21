//! A file that appears under its name only when it is whole.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A file under another name beside the one it is to have; it is removed unless it is kept.
pub struct Partial {
    path: PathBuf,
    written_at: PathBuf,
    is_kept: bool,
}

impl Partial {
    /// Opens one for `path`.
    ///
    /// # Errors
    /// A message that begins with the path.
    pub fn create(path: &Path) -> Result<(Self, File), String> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let written_at = path.with_file_name(format!(".{name}-{}", std::process::id()));
        let file = File::create(&written_at).map_err(|error| failure(path, &error))?;
        let partial = Self { path: path.to_owned(), written_at, is_kept: false };
        Ok((partial, file))
    }

    /// The path that it is to have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, in place of whatever has it.
    ///
    /// # Errors
    /// A message that begins with the path.
    pub fn keep(mut self) -> Result<(), String> {
        std::fs::rename(&self.written_at, &self.path).map_err(|error| failure(&self.path, &error))?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nothing more can be done about a file that cannot be removed.
            _ = std::fs::remove_file(&self.written_at);
        }
    }
}

/// What a failed operation on `path` is told as: the reason without Rust's own number.
pub fn failure(path: &Path, error: &io::Error) -> String {
    let reason = error.to_string().to_lowercase();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    format!("{}: {reason}", path.display())
}
