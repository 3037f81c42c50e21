//! Rows into columns into a Parquet file.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use longfat_engine::units::Time;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use crate::partial::{Partial, failure};

/// Rows that are written at a time.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// 64-bit integers.
    Integers,
    /// Floating point numbers.
    Numbers,
    /// True or false.
    Flags,
    /// Few different words.
    Words,
}

/// A column: its name with the unit, and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name, with the unit.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// What it means.
    pub doc: &'static str,
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// As 64 bits: a number by its pattern, a word by its place among the table's words.
    bits: u64,
    #[cfg(debug_assertions)]
    holds: Holds,
}

impl From<Time> for Value {
    fn from(time: Time) -> Self {
        Self::from(time.0)
    }
}

impl From<u64> for Value {
    /// Times of picoseconds and counts of bytes end far below 2^63.
    fn from(value: u64) -> Self {
        Self::new(Holds::Integers, value)
    }
}

impl Value {
    #[inline]
    fn new(_holds: Holds, bits: u64) -> Self {
        Self {
            bits,
            #[cfg(debug_assertions)]
            holds: _holds,
        }
    }

    /// Of a column of integers.
    #[must_use]
    pub fn integer(value: i64) -> Self {
        Self::new(Holds::Integers, value.cast_unsigned())
    }

    /// Of a column of numbers.
    #[must_use]
    pub fn number(value: f64) -> Self {
        Self::new(Holds::Numbers, value.to_bits())
    }

    /// Of a column of flags.
    #[must_use]
    pub fn flag(value: bool) -> Self {
        Self::new(Holds::Flags, value.into())
    }

    /// Of a column of words: its place among the table's words.
    #[must_use]
    pub fn word(place: usize) -> Self {
        Self::new(Holds::Words, place as u64)
    }

    /// The number by which results call a flow, from 1 on.
    #[must_use]
    pub fn flow(flow: usize) -> Self {
        Self::from(flow as u64 + 1)
    }
}

/// The values of a column on their way into a file; kept for its memory.
#[derive(Default)]
struct Columns {
    integers: Vec<i64>,
    numbers: Vec<f64>,
    flags: Vec<bool>,
    words: Vec<ByteArray>,
}

/// A table that grows in a file.
///
/// An observer cannot fail, so what goes wrong is kept, rows are no longer taken, and [`finish`](Self::finish) tells.
pub struct Table {
    columns: &'static [Column],
    words: Vec<ByteArray>,
    /// The values of rows that wait, row by row.
    waiting: Vec<u64>,
    at_hand: Columns,
    rows: u64,
    file: SerializedFileWriter<BufWriter<File>>,
    partial: Partial,
    failed: Option<ParquetError>,
}

impl Table {
    /// An empty table; a value of a column of words is a place in `words`.
    ///
    /// # Errors
    /// If the file cannot be made: a message that begins with its path.
    pub fn create(path: &Path, columns: &'static [Column], words: &[String]) -> Result<Self, String> {
        let (partial, file) = Partial::create(path)?;
        let file = SerializedFileWriter::new(file, Arc::new(schema(columns)), Arc::new(properties(columns)))
            .map_err(|error| told(path, &error))?;
        Ok(Self {
            columns,
            words: words.iter().map(|word| ByteArray::from(word.as_bytes().to_vec())).collect(),
            waiting: Vec::new(),
            at_hand: Columns::default(),
            rows: 0,
            file,
            partial,
            failed: None,
        })
    }

    /// Rows so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row, a value for each column.
    #[inline]
    pub fn add<const N: usize>(&mut self, row: [Value; N]) {
        debug_assert_eq!(N, self.columns.len());
        #[cfg(debug_assertions)]
        for (value, column) in row.iter().zip(self.columns) {
            assert_eq!(value.holds, column.holds, "{}", column.name);
        }
        self.waiting.extend(row.iter().map(|value| value.bits));
        self.rows += 1;
        if self.waiting.len() >= N * ROWS_AT_A_TIME {
            self.write();
        }
    }

    /// Writes what waits, as a group of rows.
    #[inline(never)]
    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.write_group().err();
        }
        self.waiting.clear();
    }

    fn write_group(&mut self) -> ParquetResult<()> {
        let mut group = self.file.next_row_group()?;
        for (place, column) in self.columns.iter().enumerate() {
            let Some(mut writer) = group.next_column()? else { break };
            let bits = self.waiting.chunks_exact(self.columns.len()).map(|row| row[place]);
            let Columns { integers, numbers, flags, words } = &mut self.at_hand;
            match column.holds {
                Holds::Integers => {
                    refill(integers, bits.map(u64::cast_signed));
                    writer.typed::<Int64Type>().write_batch(integers, None, None)?
                }
                Holds::Numbers => {
                    refill(numbers, bits.map(f64::from_bits));
                    writer.typed::<DoubleType>().write_batch(numbers, None, None)?
                }
                Holds::Flags => {
                    refill(flags, bits.map(|bits| bits != 0));
                    writer.typed::<BoolType>().write_batch(flags, None, None)?
                }
                Holds::Words => {
                    #[expect(clippy::cast_possible_truncation, reason = "it was a place")]
                    refill(words, bits.map(|place| self.words[place as usize].clone()));
                    writer.typed::<ByteArrayType>().write_batch(words, None, None)?
                }
            };
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// If anything could not be written: a message that begins with the path.
    pub fn finish(mut self) -> Result<(), String> {
        if !self.waiting.is_empty() {
            self.write();
        }
        let path = self.partial.path().to_owned();
        if let Some(error) = self.failed.take() {
            return Err(told(&path, &error));
        }
        self.file.close().map_err(|error| told(&path, &error))?;
        self.partial.keep()
    }
}

fn refill<T>(values: &mut Vec<T>, with: impl Iterator<Item = T>) {
    values.clear();
    values.extend(with);
}

fn schema(columns: &[Column]) -> Type {
    let field = |column: &Column| {
        let (physical, logical) = match column.holds {
            Holds::Integers => (PhysicalType::INT64, None),
            Holds::Numbers => (PhysicalType::DOUBLE, None),
            Holds::Flags => (PhysicalType::BOOLEAN, None),
            Holds::Words => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let built = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build();
        Arc::new(built.expect("a column is declared as Parquet has it"))
    };
    let built = Type::group_type_builder("trace").with_fields(columns.iter().map(field).collect()).build();
    built.expect("a table is declared as Parquet has it")
}

/// Integers grow slowly, so their differences are written (DELTA_BINARY_PACKED); numbers repeat. Words do too, but looking each up would
/// cost more than the compression that leaves nothing of them. Least and largest values are kept of the first column, the time, by
/// which readers find rows.
fn properties(columns: &[Column]) -> WriterProperties {
    let time = ColumnPath::from(columns[0].name);
    let mut properties = WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(time, EnabledStatistics::Chunk)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(format!("longfat {}", longfat_engine::ENGINE_VERSION));
    for column in columns {
        let path = ColumnPath::from(column.name);
        properties = match column.holds {
            Holds::Integers => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            Holds::Words => properties.set_column_dictionary_enabled(path, false),
            Holds::Numbers | Holds::Flags => properties,
        };
    }
    properties.build()
}

/// A failure to write, in the words of the operating system if it is its own.
fn told(path: &Path, error: &ParquetError) -> String {
    match error {
        ParquetError::External(cause) if cause.downcast_ref::<std::io::Error>().is_some() => {
            cause.downcast_ref().map_or_else(String::new, |cause| failure(path, cause))
        }
        other => format!("{}: {other}", path.display()),
    }
}
