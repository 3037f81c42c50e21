//! Tables in Parquet files: rows in, columns out.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use longfat_engine::units::Time;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::chunk::{Chunk, Workshop};
use crate::partial::{Partial, failure};

/// Rows of a page. They are buffered until encoded; few enough that the buffers of all traces stay in a cache and take few pages of memory.
const ROWS_OF_A_PAGE: usize = 1 << 10;

/// Pages of a row group, which are written together.
const PAGES_OF_A_GROUP: usize = 1 << 4;

/// Memory of the description of a column's part of a row group.
const BYTES_OF_A_CHUNK_DESCRIBED: usize = 600;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// 64-bit integers.
    Integers,
    /// Floating point numbers.
    Numbers,
    /// True or false.
    Flags,
    /// Words of a small vocabulary.
    Words,
}

/// A column: its name with the unit, and its description.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name, with the unit.
    pub name: &'static str,
    /// Type.
    pub holds: Holds,
    /// Description.
    pub doc: &'static str,
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// 64-bit pattern of an integer or number, or the index of a word in the table's vocabulary.
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
    /// Times in picoseconds and counts of bytes stay far below 2^63.
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

    /// Value of an integer column.
    #[must_use]
    pub fn integer(value: i64) -> Self {
        Self::new(Holds::Integers, value.cast_unsigned())
    }

    /// Value of a number column.
    #[must_use]
    pub fn number(value: f64) -> Self {
        Self::new(Holds::Numbers, value.to_bits())
    }

    /// Value of a flag column.
    #[must_use]
    pub fn flag(value: bool) -> Self {
        Self::new(Holds::Flags, value.into())
    }

    /// Value of a word column: its index in the table's vocabulary.
    #[must_use]
    pub fn word(place: usize) -> Self {
        Self::new(Holds::Words, place as u64)
    }

    /// Number of a flow in results, from 1.
    #[must_use]
    pub fn flow(flow: usize) -> Self {
        Self::from(flow as u64 + 1)
    }
}

/// A table that is written to a file.
///
/// An observer cannot return errors, so the first error is stored, further rows are ignored, and [`finish`](Self::finish) returns it.
pub struct Table {
    columns: &'static [Column],
    workshop: Workshop,
    /// Buffered values of each column, and the number of buffered rows.
    columns_waiting: Box<[[u64; ROWS_OF_A_PAGE]]>,
    waiting: usize,
    /// Encoded pages of each column, and their number.
    chunks: Vec<Chunk>,
    pages: usize,
    /// Number of encoded rows.
    rows_encoded: u64,
    file: SerializedFileWriter<BufWriter<File>>,
    partial: Partial,
    failed: Option<ParquetError>,
}

impl Table {
    /// Creates an empty table; values of word columns are indices into `words`.
    ///
    /// # Errors
    /// If the file cannot be created: a message that begins with its path.
    pub fn create(path: &Path, columns: &'static [Column], words: &[String]) -> Result<Self, String> {
        let (partial, file) = Partial::create(path)?;
        // Row groups are larger than the buffer of `BufWriter` and bypass it.
        let file = SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema(columns)), Arc::new(properties()))
            .map_err(|error| write_failure(path, &error))?;
        Ok(Self {
            columns,
            workshop: Workshop::new(words),
            columns_waiting: vec![[0; ROWS_OF_A_PAGE]; columns.len()].into(),
            waiting: 0,
            chunks: (0..columns.len()).map(|place| new_chunk(columns, place, Vec::new())).collect(),
            pages: 0,
            rows_encoded: 0,
            file,
            partial,
            failed: None,
        })
    }

    /// Rows so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows_encoded + self.waiting as u64
    }

    /// Bytes that are allocated, nearly: a group that waits, and what the file's end will say about each group.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "far fewer groups than addresses")]
    pub fn memory_bytes(&self) -> usize {
        let waiting = (PAGES_OF_A_GROUP + 1) * ROWS_OF_A_PAGE * size_of::<u64>();
        let groups = self.rows_encoded as usize / (PAGES_OF_A_GROUP * ROWS_OF_A_PAGE);
        self.columns.len() * (waiting + groups * BYTES_OF_A_CHUNK_DESCRIBED)
    }

    /// Adds a row, with a value for each column.
    #[inline]
    pub fn add<const N: usize>(&mut self, row: [Value; N]) {
        #[cfg(debug_assertions)]
        for (value, column) in row.iter().zip(self.columns) {
            assert_eq!(value.holds, column.holds, "{}", column.name);
        }
        let columns: &mut [_; N] = self.columns_waiting.as_mut().try_into().expect("a value for each column");
        columns.iter_mut().zip(row).for_each(|(column, value)| column[self.waiting] = value.bits);
        self.waiting += 1;
        if self.waiting == ROWS_OF_A_PAGE {
            self.encode();
        }
    }

    /// Encodes the buffered rows as pages; writes a complete row group.
    #[inline(never)]
    fn encode(&mut self) {
        if self.failed.is_none() {
            self.failed = self.try_to_encode().err();
        }
        self.rows_encoded += self.waiting as u64;
        self.waiting = 0;
    }

    fn try_to_encode(&mut self) -> ParquetResult<()> {
        for (chunk, column) in self.chunks.iter_mut().zip(&self.columns_waiting) {
            chunk.add(&column[..self.waiting], &mut self.workshop)?;
        }
        self.pages += 1;
        if self.pages == PAGES_OF_A_GROUP { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> ParquetResult<()> {
        self.pages = 0;
        let described = self.file.schema_descr().columns().to_vec();
        let mut group = self.file.next_row_group()?;
        for (place, (chunk, column)) in self.chunks.iter_mut().zip(described).enumerate() {
            let empty = new_chunk(self.columns, place, Vec::new());
            let (bytes, close) = std::mem::replace(chunk, empty).close(column)?;
            group.append_column(&bytes, close)?;
            // The next group reuses the memory.
            let mut memory = bytes.try_into_mut().map(Vec::from).unwrap_or_default();
            memory.clear();
            *chunk = new_chunk(self.columns, place, memory);
        }
        group.close().map(drop)
    }

    /// Completes the file and renames it to its final name.
    ///
    /// # Errors
    /// If anything could not be written: a message that begins with the path.
    pub fn finish(mut self) -> Result<(), String> {
        if self.waiting > 0 {
            self.encode();
        }
        if self.failed.is_none() && self.pages > 0 {
            self.failed = self.write_group().err();
        }
        let path = self.partial.path().to_owned();
        if let Some(error) = self.failed.take() {
            return Err(write_failure(&path, &error));
        }
        self.file.close().map_err(|error| write_failure(&path, &error))?;
        self.partial.keep()
    }
}

/// Creates the chunk of a column; the first column is the time, by which readers find rows.
fn new_chunk(columns: &[Column], place: usize, memory: Vec<u8>) -> Chunk {
    Chunk::new(columns[place].holds, place == 0, memory)
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

fn properties() -> WriterProperties {
    WriterProperties::builder().set_created_by(format!("longfat {}", longfat_engine::ENGINE_VERSION)).build()
}

/// Message of a write error; that of the operating system if it has one.
fn write_failure(path: &Path, error: &ParquetError) -> String {
    match error {
        ParquetError::External(cause) if cause.downcast_ref::<std::io::Error>().is_some() => {
            cause.downcast_ref().map_or_else(String::new, |cause| failure(path, cause))
        }
        other => format!("{}: {other}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    const fn column(name: &'static str, holds: Holds) -> Column {
        Column { name, holds, doc: "" }
    }

    const COLUMNS: &[Column] = &[
        column("time_ps", Holds::Integers),
        column("any", Holds::Integers),
        column("number", Holds::Numbers),
        column("flag", Holds::Flags),
        column("word", Holds::Words),
    ];

    type Row = (i64, i64, f64, bool, String);

    /// Rows with integer differences of all widths from 0 to 64 bits.
    fn rows(number: usize, words: &[String]) -> Vec<Row> {
        let mut random = 1_u64;
        let row = |place: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let any = random.cast_signed() >> (place / 40 % 64);
            let word = &words[(random >> 40) as usize % words.len()];
            (7 * place as i64, any, any as f64 / 3.0, random >> 62 == 0, word.clone())
        };
        (0..number).map(row).collect()
    }

    fn write(path: &Path, rows: &[Row], words: &[String]) {
        let mut table = Table::create(path, COLUMNS, words).expect("a file that can be made");
        for (time, any, number, flag, word) in rows {
            let place = words.iter().position(|other| other == word).expect("a word of the table");
            let (time, any) = (Value::integer(*time), Value::integer(*any));
            table.add([time, any, Value::number(*number), Value::flag(*flag), Value::word(place)]);
        }
        table.finish().expect("a disk with room");
    }

    fn read(path: &Path) -> Vec<Row> {
        let reader = SerializedFileReader::new(File::open(path).expect("the file")).expect("a Parquet file");
        let row = |row: ParquetResult<parquet::record::Row>| -> ParquetResult<Row> {
            let row = row?;
            let word = row.get_string(4)?.clone();
            Ok((row.get_long(0)?, row.get_long(1)?, row.get_double(2)?, row.get_bool(3)?, word))
        };
        let rows = reader.get_row_iter(None).expect("rows").map(row);
        rows.collect::<ParquetResult<_>>().expect("rows as they were declared")
    }

    #[test]
    fn what_is_written_is_what_the_library_reads_at_every_border_of_pages_and_groups() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.parquet");
        let group = ROWS_OF_A_PAGE * PAGES_OF_A_GROUP;
        for number in [0, 1, 2, 129, 8000, ROWS_OF_A_PAGE, ROWS_OF_A_PAGE + 1, group, group + 130] {
            for words in [1, 2, 3, 300] {
                let words: Vec<_> = (0..words).map(|place| format!("word {place}")).collect();
                let rows = rows(number, &words);
                write(&path, &rows, &words);
                assert!(read(&path) == rows, "{number} rows, {} words", words.len());
            }
        }
    }

    #[test]
    fn a_reader_finds_the_range_of_times_without_reading_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("range.parquet");
        let words = ["word".to_owned()];
        write(&path, &rows(100, &words), &words);
        let reader = SerializedFileReader::new(File::open(&path).expect("the file")).expect("a Parquet file");
        let times = reader.metadata().row_group(0).column(0).statistics().expect("statistics");
        assert_eq!(times.min_bytes_opt(), Some(&0_i64.to_le_bytes()[..]));
        assert_eq!(times.max_bytes_opt(), Some(&(7 * 99_i64).to_le_bytes()[..]));
    }
}
