//! Rows into columns into a Parquet file.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use longfat_engine::units::Time;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use crate::partial::{Partial, failure};

/// Rows that are written at a time.
const ROWS_AT_A_TIME: usize = 1 << 17;

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
pub enum Value {
    /// Of a column of integers.
    Integer(i64),
    /// Of a column of numbers.
    Number(f64),
    /// Of a column of flags.
    Flag(bool),
    /// Of a column of words: its place among the table's words.
    Word(usize),
}

impl From<Time> for Value {
    fn from(time: Time) -> Self {
        Self::from(time.0)
    }
}

impl From<u64> for Value {
    /// Times of picoseconds and counts of bytes end far below 2^63.
    fn from(value: u64) -> Self {
        Self::Integer(value.cast_signed())
    }
}

impl Value {
    /// The number by which results call a flow, from 1 on.
    #[must_use]
    pub fn flow(flow: usize) -> Self {
        Self::from(flow as u64 + 1)
    }
}

enum Values {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Flags(Vec<bool>),
    Words(Vec<ByteArray>),
}

impl Values {
    fn new(holds: Holds) -> Self {
        match holds {
            Holds::Integers => Self::Integers(Vec::new()),
            Holds::Numbers => Self::Numbers(Vec::new()),
            Holds::Flags => Self::Flags(Vec::new()),
            Holds::Words => Self::Words(Vec::new()),
        }
    }
}

/// A table that grows in a file.
///
/// An observer cannot fail, so what goes wrong is kept, rows are no longer taken, and [`finish`](Self::finish) tells.
pub struct Table {
    columns: &'static [Column],
    words: Vec<ByteArray>,
    values: Vec<Values>,
    waiting: usize,
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
            values: columns.iter().map(|column| Values::new(column.holds)).collect(),
            waiting: 0,
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
    ///
    /// # Panics
    /// If a value is not what its column holds: a mistake of a trace.
    pub fn add<const N: usize>(&mut self, row: [Value; N]) {
        debug_assert_eq!(N, self.columns.len());
        for (values, value) in self.values.iter_mut().zip(row) {
            match (values, value) {
                (Values::Integers(values), Value::Integer(value)) => values.push(value),
                (Values::Numbers(values), Value::Number(value)) => values.push(value),
                (Values::Flags(values), Value::Flag(value)) => values.push(value),
                (Values::Words(values), Value::Word(place)) => values.push(self.words[place].clone()),
                (_, value) => panic!("{value:?} in a column of something else"),
            }
        }
        self.rows += 1;
        self.waiting += 1;
        if self.waiting == ROWS_AT_A_TIME {
            self.write();
        }
    }

    /// Writes what waits, as a group of rows.
    fn write(&mut self) {
        self.waiting = 0;
        if self.failed.is_none() {
            self.failed = write_group(&mut self.file, &self.values).err();
        }
        for (values, column) in self.values.iter_mut().zip(self.columns) {
            *values = Values::new(column.holds);
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// If anything could not be written: a message that begins with the path.
    pub fn finish(mut self) -> Result<(), String> {
        if self.waiting > 0 {
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

fn write_group(file: &mut SerializedFileWriter<BufWriter<File>>, columns: &[Values]) -> ParquetResult<()> {
    let mut group = file.next_row_group()?;
    for values in columns {
        let Some(mut column) = group.next_column()? else { break };
        match values {
            Values::Integers(values) => column.typed::<Int64Type>().write_batch(values, None, None)?,
            Values::Numbers(values) => column.typed::<DoubleType>().write_batch(values, None, None)?,
            Values::Flags(values) => column.typed::<BoolType>().write_batch(values, None, None)?,
            Values::Words(values) => column.typed::<ByteArrayType>().write_batch(values, None, None)?,
        };
        column.close()?;
    }
    group.close().map(drop)
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

/// Integers grow slowly, so their differences are written (DELTA_BINARY_PACKED); words are few, and numbers repeat.
fn properties(columns: &[Column]) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(format!("longfat {}", longfat_engine::ENGINE_VERSION));
    for column in columns.iter().filter(|column| column.holds == Holds::Integers) {
        let path = ColumnPath::from(column.name);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
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
