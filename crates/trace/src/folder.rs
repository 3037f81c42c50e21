//! Folder of a run's traces: `<trace>.parquet` for each, and `traces.json`, which describes them.
//!
//! `traces.json` is written last: a folder without it is incomplete.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use longfat_engine::measure::RunRecord;
use serde::Serialize;

use crate::partial::{Partial, failure};
use crate::table::Holds;
use crate::traces::{Kind, Network, Rows, TRACES};

/// Name of the file that describes the folder.
pub const DESCRIPTION: &str = "traces.json";

/// A folder for traces. If it was created for them, it is removed unless a file is written.
pub struct Folder {
    path: PathBuf,
    is_new: bool,
}

/// Number of rows of a trace, and of the changes that they represent.
pub struct Counts {
    /// Kind of trace.
    pub kind: Kind,
    /// Changes seen.
    pub changes: u64,
    /// Rows written.
    pub rows: u64,
}

impl Folder {
    /// Opens a folder that is empty or holds traces; creates it if absent.
    ///
    /// # Errors
    /// If it holds other files, or cannot be created.
    pub fn open(path: &Path) -> Result<Self, String> {
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(|error| failure(path, &error))?;
        let mut entries = fs::read_dir(path).map_err(|error| failure(path, &error))?;
        if entries.next().is_some() && !path.join(DESCRIPTION).exists() {
            return Err(format!(
                "{}: holds files that are no traces; give a new folder, or one with {DESCRIPTION}",
                path.display()
            ));
        }
        Ok(Self { path: path.to_owned(), is_new })
    }

    /// File of a trace.
    #[must_use]
    pub fn file(&self, kind: &Kind) -> PathBuf {
        self.path.join(format!("{}.parquet", kind.name))
    }

    /// Removes the traces of an earlier run.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn clear(&self) -> Result<(), String> {
        let files = std::iter::once(self.path.join(DESCRIPTION)).chain(TRACES.iter().map(|kind| self.file(kind)));
        for file in files.filter(|file| file.exists()) {
            fs::remove_file(&file).map_err(|error| failure(&file, &error))?;
        }
        Ok(())
    }

    /// Writes the description.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn describe(&self, counts: &[Counts], network: &Network, record: &RunRecord) -> Result<(), String> {
        let path = self.path.join(DESCRIPTION);
        let traces = counts.iter().map(|counts| TraceDescription::new(counts, network)).collect();
        let description = Description {
            schema_version: 1,
            error: network.error,
            interval_ps: network.interval.0,
            receiver_window_bytes: network.receiver_window,
            flows: network.flows,
            traces,
            run: record,
        };
        let text = serde_json::to_vec_pretty(&description).map_err(|error| error.to_string())?;
        let (partial, mut file) = Partial::create(&path)?;
        file.write_all(&text).map_err(|error| failure(&path, &error))?;
        partial.keep()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_new {
            // Fails if there is anything in the folder, as intended.
            _ = fs::remove_dir(&self.path);
        }
    }
}

#[derive(Serialize)]
struct Description<'d> {
    schema_version: u32,
    error: f64,
    interval_ps: u64,
    receiver_window_bytes: u64,
    /// Number of flows, including requests.
    flows: usize,
    traces: Vec<TraceDescription>,
    run: &'d RunRecord,
}

#[derive(Serialize)]
struct TraceDescription {
    name: &'static str,
    doc: &'static str,
    file: String,
    /// Meaning of a row.
    rows_are: &'static str,
    rows: u64,
    changes: u64,
    /// Largest error of a value, in the unit of its column; left out if rows are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_error: Option<f64>,
    columns: Vec<ColumnDescription>,
}

#[derive(Serialize)]
struct ColumnDescription {
    name: &'static str,
    holds: &'static str,
    doc: &'static str,
}

impl TraceDescription {
    fn new(counts: &Counts, network: &Network) -> Self {
        let kind = &counts.kind;
        let (rows_are, largest_error) = match kind.rows {
            Rows::Events => ("events", None),
            Rows::Changes(scale) => ("changes", Some(network.bound(scale))),
            Rows::Intervals => ("intervals", None),
        };
        let column = |column: &crate::table::Column| ColumnDescription {
            name: column.name,
            holds: match column.holds {
                Holds::Integers => "integers",
                Holds::Numbers => "numbers",
                Holds::Flags => "flags",
                Holds::Words => "words",
            },
            doc: column.doc,
        };
        Self {
            name: kind.name,
            doc: kind.doc,
            file: format!("{}.parquet", kind.name),
            rows_are,
            rows: counts.rows,
            changes: counts.changes,
            largest_error,
            columns: kind.columns.iter().map(column).collect(),
        }
    }
}
