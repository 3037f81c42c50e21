//! Column chunks of a Parquet file: encoded and compressed pages of one column.

#![expect(clippy::cast_possible_truncation, reason = "a page has thousands of values, a dictionary as many words")]

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use crate::encoding;
use crate::table::Holds;

/// Resources that the columns of a table share while encoding.
pub struct Workshop {
    /// Dictionary of word columns; their values are indices into it.
    words: Vec<String>,
    compressor: snap::raw::Encoder,
    /// Uncompressed page; kept to reuse its memory.
    page: Vec<u8>,
}

impl Workshop {
    /// Creates the resources of a table with these words.
    pub fn new(words: &[String]) -> Self {
        Self { words: words.to_vec(), compressor: snap::raw::Encoder::new(), page: Vec::new() }
    }
}

/// Pages of one column.
pub struct Chunk {
    holds: Holds,
    written: TrackedWrite<Vec<u8>>,
    /// Offset of the values, after the dictionary.
    data_from: Option<u64>,
    values: u64,
    uncompressed: usize,
    /// Minimum and maximum, if they are recorded for readers.
    range: Option<(u64, u64)>,
}

impl Chunk {
    /// Creates a chunk without pages, which uses `memory`. With `has_range`, records minimum and maximum of integers, by which readers find
    /// rows.
    pub fn new(holds: Holds, has_range: bool, memory: Vec<u8>) -> Self {
        let range = has_range.then_some((u64::MAX, 0));
        Self { holds, written: TrackedWrite::new(memory), data_from: None, values: 0, uncompressed: 0, range }
    }

    /// Encodes a page with these values.
    ///
    /// # Errors
    /// If the Parquet library fails.
    pub fn add(&mut self, values: &[u64], workshop: &mut Workshop) -> ParquetResult<()> {
        if self.holds == Holds::Words && self.values == 0 {
            self.add_dictionary(workshop)?;
        }
        workshop.page.clear();
        let page = &mut workshop.page;
        match self.holds {
            Holds::Integers => encoding::differences(values, page),
            Holds::Numbers => encoding::plain(values, page),
            Holds::Flags => encoding::flags(values, page),
            Holds::Words => encoding::runs(values, workshop.words.len(), page),
        }
        if let Some(range) = &mut self.range {
            // Rows are nearly always in the order of time.
            let (least, largest) = match values {
                [first, .., last] if values.is_sorted() => (*first, *last),
                _ => values.iter().fold(*range, |(least, largest), &value| (least.min(value), largest.max(value))),
            };
            *range = (range.0.min(least), range.1.max(largest));
        }
        self.values += values.len() as u64;
        let (num_values, encoding) = (values.len() as u32, self.encoding());
        let begins = self.write(workshop, |buf| Page::DataPage {
            buf,
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })?;
        self.data_from.get_or_insert(begins);
        Ok(())
    }

    fn add_dictionary(&mut self, workshop: &mut Workshop) -> ParquetResult<()> {
        workshop.page.clear();
        encoding::words(&workshop.words, &mut workshop.page);
        let num_values = workshop.words.len() as u32;
        self.write(workshop, |buf| Page::DictionaryPage {
            buf,
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        })?;
        Ok(())
    }

    /// Writes the page in the workshop; returns its offset.
    fn write(&mut self, workshop: &mut Workshop, page: impl FnOnce(Bytes) -> Page) -> ParquetResult<u64> {
        let size = workshop.page.len();
        let bytes = if self.compression() == Compression::SNAPPY {
            let compressed = workshop.compressor.compress_vec(&workshop.page);
            compressed.map_err(|error| ParquetError::External(Box::new(error)))?.into()
        } else {
            std::mem::take(&mut workshop.page).into()
        };
        let page = CompressedPage::new(page(bytes), size);
        let written = SerializedPageWriter::new(&mut self.written).write_page(page)?;
        self.uncompressed += written.uncompressed_size;
        Ok(written.offset)
    }

    /// Delta-encoded integers are packed too tightly for compression to gain anything.
    fn compression(&self) -> Compression {
        match self.holds {
            Holds::Integers => Compression::UNCOMPRESSED,
            Holds::Numbers | Holds::Flags | Holds::Words => Compression::SNAPPY,
        }
    }

    fn encoding(&self) -> Encoding {
        match self.holds {
            Holds::Integers => Encoding::DELTA_BINARY_PACKED,
            Holds::Numbers | Holds::Flags => Encoding::PLAIN,
            Holds::Words => Encoding::RLE_DICTIONARY,
        }
    }

    /// Returns the pages, with their metadata for the Parquet library.
    ///
    /// # Errors
    /// If the library fails.
    pub fn close(self, column: ColumnDescPtr) -> ParquetResult<(Bytes, ColumnCloseResult)> {
        let encodings = match self.holds {
            Holds::Words => vec![Encoding::PLAIN, Encoding::RLE, self.encoding()],
            _ => vec![Encoding::RLE, self.encoding()],
        };
        let data_from = self.data_from.unwrap_or_default();
        let bytes_written = self.written.bytes_written() as u64;
        let mut metadata = ColumnChunkMetaData::builder(column)
            .set_compression(self.compression())
            .set_encodings(encodings)
            .set_num_values(self.values.cast_signed())
            .set_total_compressed_size(bytes_written.cast_signed())
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_data_page_offset(data_from.cast_signed())
            .set_dictionary_page_offset((self.holds == Holds::Words).then_some(0));
        if let Some((least, largest)) = self.range {
            let (least, largest) = (Some(least.cast_signed()), Some(largest.cast_signed()));
            metadata = metadata.set_statistics(Statistics::int64(least, largest, None, Some(0), false));
        }
        let close = ColumnCloseResult {
            bytes_written,
            rows_written: self.values,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok((self.written.into_inner()?.into(), close))
    }
}
