//! Columns of 64 bits a value as the pages of a Parquet file have them, by the names of its encodings (parquet-format, `Encodings.md`).
//!
//! The library encodes any value of any nesting. What traces write is flat and complete, and most of what all traces of a run cost is
//! this: written out for it alone it takes a quarter of the instructions. The tests read it with the library.

#![expect(clippy::cast_possible_truncation, reason = "bytes are cut off on purpose; widths, words and pages are small")]

/// Differences in a block, and in each of the parts of it that have a width of their own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Differences between integers, those of a block less its least, in as many bits as the largest of a part needs (DELTA_BINARY_PACKED).
pub fn differences(values: &[u64], page: &mut Vec<u8>) {
    for number in [BLOCK, BLOCK / PART, values.len()] {
        varint(number as u64, page);
    }
    varint(zigzag(values.first().copied().unwrap_or_default().cast_signed()), page);
    page.reserve(size_of_val(values) + values.len() / BLOCK * 16);
    let mut rest = values;
    while let Some(known) = rest.first_chunk::<{ BLOCK + 1 }>() {
        add_block(&mut std::array::from_fn(|place| known[place + 1].wrapping_sub(known[place])), BLOCK, page);
        rest = &rest[BLOCK..];
    }
    if rest.len() > 1 {
        let difference = |place: usize| rest.get(place + 1).map_or(0, |next: &u64| next.wrapping_sub(rest[place]));
        add_block(&mut std::array::from_fn(difference), rest.len() - 1, page);
    }
}

/// The first so many differences; what is missing in the last part that is used does not matter, and parts that are not used have no
/// width.
#[inline]
fn add_block(block: &mut [u64; BLOCK], number: usize, page: &mut Vec<u8>) {
    let least = block[..number].iter().fold(i64::MAX, |least, difference| least.min(difference.cast_signed()));
    block[number..].fill(least.cast_unsigned());
    block.iter_mut().for_each(|difference| *difference = difference.wrapping_sub(least.cast_unsigned()));
    let parts = block.as_chunks::<PART>().0;
    let widths: [u32; BLOCK / PART] = std::array::from_fn(|part| {
        u64::BITS - parts[part].iter().fold(0, |all, difference| all | difference).leading_zeros()
    });
    varint(zigzag(least), page);
    page.extend_from_slice(&widths.map(|width| width as u8));
    parts.iter().zip(widths).take(number.div_ceil(PART)).for_each(|(part, width)| pack(part, width, page));
}

/// Values of so many bits, the least significant first; all of them fill whole bytes.
fn pack(values: &[u64; PART], width: u32, page: &mut Vec<u8>) {
    match width {
        0 => {}
        // Several at a time are one value of as many bits together.
        1..=16 => {
            let four = |[a, b, c, d]: &[u64; 4]| a | b << width | (c | d << width) << (2 * width);
            join(values.as_chunks().0.iter().map(four), 4 * width, page);
        }
        17..=32 => join(values.as_chunks().0.iter().map(|[a, b]| a | b << width), 2 * width, page),
        _ => join(values.iter().copied(), width, page),
    }
}

/// Values of so many bits, one after the other.
#[inline]
fn join(values: impl Iterator<Item = u64>, width: u32, page: &mut Vec<u8>) {
    let (mut held, mut bits) = (0, 0);
    for value in values {
        held |= value << bits;
        bits += width;
        if bits >= u64::BITS {
            page.extend_from_slice(&held.to_le_bytes());
            bits -= u64::BITS;
            held = value.checked_shr(width - bits).unwrap_or_default();
        }
    }
    page.extend_from_slice(&held.to_le_bytes()[..bits as usize / 8]);
}

/// Numbers of 64 bits as they are (PLAIN).
pub fn plain(values: &[u64], page: &mut Vec<u8>) {
    page.reserve(size_of_val(values));
    values.iter().for_each(|value| page.extend_from_slice(&value.to_le_bytes()));
}

/// A bit for each flag (PLAIN).
pub fn flags(values: &[u64], page: &mut Vec<u8>) {
    page.extend(values.chunks(8).map(|flags| flags.iter().rev().fold(0, |byte, flag| byte << 1 | *flag as u8)));
}

/// Words one after the other, each after its length (PLAIN).
pub fn words(words: &[String], page: &mut Vec<u8>) {
    for word in words {
        page.extend_from_slice(&(word.len() as u32).to_le_bytes());
        page.extend_from_slice(word.as_bytes());
    }
}

/// Places in a dictionary, each with how often it comes in a row (RLE_DICTIONARY).
pub fn runs(values: &[u64], dictionary: usize, page: &mut Vec<u8>) {
    let width = usize::BITS - dictionary.saturating_sub(1).leading_zeros();
    page.push(width as u8);
    for run in values.chunk_by(|value, next| value == next) {
        varint((run.len() as u64) << 1, page);
        page.extend_from_slice(&run[0].to_le_bytes()[..width.div_ceil(8) as usize]);
    }
}

/// Seven bits a byte, the least significant first (ULEB128).
fn varint(mut value: u64, page: &mut Vec<u8>) {
    while value >= 0x80 {
        page.push(value as u8 | 0x80);
        value >>= 7;
    }
    page.push(value as u8);
}

/// Small integers of either sign as small integers.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
