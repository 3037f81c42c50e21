//! A file that appears under its name only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file under another name beside the one it is to have; it is removed unless it is kept.
pub struct Partial {
    /// As the user calls it, and where that leads to.
    path: PathBuf,
    target: PathBuf,
    /// None where there is no file to take the place of: a device, or a pipe that somebody reads.
    written_at: Option<PathBuf>,
    is_kept: bool,
}

impl Partial {
    /// Opens one for `path`. What is no file, such as a named pipe, is written as it is.
    ///
    /// # Errors
    /// A message that begins with the path: also for a file that must not be written.
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

    /// The path that it is to have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, in place of whatever has it.
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
            // Nothing more can be done about a file that cannot be removed.
            _ = fs::remove_file(written_at);
        }
    }
}

/// What a path leads to by symbolic links, the last of which may lead to nothing yet.
fn at_the_end_of_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match (fs::read_link(path), path.parent()) {
        (Ok(link), Some(folder)) => folder.join(link),
        _ => path.to_owned(),
    })
}

/// What a failed operation on `path` is told as: the reason without Rust's own number.
pub fn failure(path: &Path, error: &io::Error) -> String {
    let reason = error.to_string().to_lowercase();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    format!("{}: {reason}", path.display())
}
