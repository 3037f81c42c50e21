//! Atomic creation of files: a file appears under its name only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file under a temporary name beside its final one; removed unless it is kept.
pub struct Partial {
    /// Path as the user gave it, and after resolving symbolic links.
    path: PathBuf,
    target: PathBuf,
    /// `None` if the path is a device or a pipe, which is written directly.
    written_at: Option<PathBuf>,
    is_kept: bool,
}

impl Partial {
    /// Opens a temporary file for `path`. Writes directly to anything but a regular file, such as a named pipe.
    ///
    /// # Errors
    /// A message that begins with the path; also if the final file is not writable.
    pub fn create(path: &Path) -> Result<(Self, File), String> {
        let target = at_the_end_of_links(path);
        let found = fs::metadata(&target).ok();
        if found.as_ref().is_some_and(|found| found.is_file() && found.permissions().readonly()) {
            return Err(format!("{}: read-only", path.display()));
        }
        let is_replaced = found.is_none_or(|found| found.is_file() || found.is_dir());
        let written_at = is_replaced.then(|| {
            let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            target.with_file_name(format!(".{name}-{}", std::process::id()))
        });
        let opened = match &written_at {
            Some(written_at) => File::create(written_at),
            None => OpenOptions::new().write(true).open(&target),
        };
        let file = opened.map_err(|error| failure(path, &error))?;
        Ok((Self { path: path.to_owned(), target, written_at, is_kept: false }, file))
    }

    /// Final path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to its final name; replaces an existing one.
    ///
    /// # Errors
    /// A message that begins with the path.
    pub fn keep(mut self) -> Result<(), String> {
        if let Some(written_at) = &self.written_at {
            fs::rename(written_at, &self.target).map_err(|error| failure(&self.path, &error))?;
        }
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Some(written_at) = self.written_at.as_ref().filter(|_| !self.is_kept) {
            // Failure to remove the file is ignored: nothing more can be done.
            _ = fs::remove_file(written_at);
        }
    }
}

/// Resolves symbolic links; the target of the last one need not exist.
fn at_the_end_of_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match (fs::read_link(path), path.parent()) {
        (Ok(link), Some(folder)) => folder.join(link),
        _ => path.to_owned(),
    })
}

/// Message of a failed operation on `path`: the reason without the error number that Rust appends.
pub fn failure(path: &Path, error: &io::Error) -> String {
    let reason = error.to_string().to_lowercase();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    format!("{}: {reason}", path.display())
}
