//! Parquet encodings of 64-bit columns; names are those of parquet-format, `Encodings.md`.
//!
//! The Parquet library encodes any type and nesting. Traces are flat and have no nulls, and encoding is most of the cost of writing all
//! traces of a run. This special case takes 16 instructions for an increasing 64-bit integer where the library (parquet 60.1) takes 72, and
//! as many bytes. The tests decode it with the library.

#![expect(clippy::cast_possible_truncation, reason = "bytes are cut off on purpose; widths, words and pages are small")]

/// Number of differences in a block, and in each of its miniblocks.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Differences between integers, less the block's minimum, in the bit width of the largest of each miniblock (DELTA_BINARY_PACKED).
pub fn differences(values: &[u64], page: &mut Vec<u8>) {
    for number in [BLOCK, BLOCK / PART, values.len()] {
        varint(number as u64, page);
    }
    varint(zigzag(values.first().copied().unwrap_or_default().cast_signed()), page);
    page.reserve(size_of_val(values) + values.len() / BLOCK * 16);
    let mut rest = values;
    while let Some(known) = rest.first_chunk() {
        add_block(known, BLOCK, page);
        rest = &rest[BLOCK..];
    }
    if rest.len() > 1 {
        let mut known = [0; BLOCK + 1];
        known[..rest.len()].copy_from_slice(rest);
        add_block(&known, rest.len() - 1, page);
    }
}

/// Added to differences, so that nearly all of them are bit patterns of positive floating-point numbers, which are ordered like these
/// numbers.
const SHIFT: u64 = 1 << 61;

/// Appends the block of the first `number` differences. The padding of the last miniblock in use is arbitrary, and unused miniblocks have
/// width 0.
fn add_block(values: &[u64; BLOCK + 1], number: usize, page: &mut Vec<u8>) {
    let mut block = [0; BLOCK];
    for ((shifted, value), next) in block.iter_mut().zip(values).zip(&values[1..]) {
        *shifted = next.wrapping_sub(*value).wrapping_add(SHIFT);
    }
    // The padding must not lower the minimum, and is zero afterwards.
    let first = block[0];
    block[number..].fill(first);
    let least = least(&block);
    block[number..].fill(least);
    block.iter_mut().for_each(|difference| *difference = difference.wrapping_sub(least));
    let parts = block.as_chunks::<PART>().0;
    let widths: [u32; BLOCK / PART] = std::array::from_fn(|part| {
        u64::BITS - parts[part].iter().fold(0, |all, difference| all | difference).leading_zeros()
    });
    varint(zigzag(least.wrapping_sub(SHIFT).cast_signed()), page);
    page.extend_from_slice(&widths.map(|width| width as u8));
    parts.iter().zip(widths).take(number.div_ceil(PART)).for_each(|(part, width)| pack(part, width, page));
}

/// Minimum of shifted differences. Processors have vector instructions for the minimum of floating-point numbers, but not of 64-bit
/// integers.
fn least(block: &[u64; BLOCK]) -> u64 {
    let (mut all, mut least) = ([0; 4], [f64::INFINITY; 4]);
    for four in block.as_chunks::<4>().0 {
        all = std::array::from_fn(|lane| all[lane] | four[lane]);
        let lesser = |a: f64, b: f64| if a < b { a } else { b };
        least = std::array::from_fn(|lane| lesser(f64::from_bits(four[lane]), least[lane]));
    }
    if all.iter().any(|all| *all >= 2 * SHIFT) {
        let difference = |shifted: &u64| shifted.wrapping_sub(SHIFT).cast_signed();
        return block.iter().copied().min_by_key(difference).unwrap_or_default();
    }
    least.map(f64::to_bits).into_iter().min().unwrap_or_default()
}

/// Packs the values at `width` bits each, least significant first; together they fill whole bytes.
fn pack(values: &[u64; PART], width: u32, page: &mut Vec<u8>) {
    // One function per width, in which all positions are constants.
    macro_rules! pack {
        ($($width:literal)*) => {
            match width {
                $($width => join::<$width>(values, page),)*
                _ => {}
            }
        };
    }
    pack!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    pack!(33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64);
}

/// Packs the values at `WIDTH` bits each: eight of them fill `WIDTH` bytes.
fn join<const WIDTH: usize>(values: &[u64; PART], page: &mut Vec<u8>) {
    for eight in values.as_chunks::<8>().0 {
        let mut words = [0; 9];
        for (place, value) in eight.iter().enumerate() {
            let (word, before) = (place * WIDTH / 64, place * WIDTH % 64);
            words[word] |= value << before;
            if before + WIDTH > 64 {
                words[word + 1] = value >> (64 - before);
            }
        }
        page.extend_from_slice(&words.map(u64::to_le_bytes).as_flattened()[..WIDTH]);
    }
}

/// 64-bit numbers (PLAIN).
pub fn plain(values: &[u64], page: &mut Vec<u8>) {
    page.reserve(size_of_val(values));
    values.iter().for_each(|value| page.extend_from_slice(&value.to_le_bytes()));
}

/// One bit per flag (PLAIN).
pub fn flags(values: &[u64], page: &mut Vec<u8>) {
    page.extend(values.chunks(8).map(|flags| flags.iter().rev().fold(0, |byte, flag| byte << 1 | *flag as u8)));
}

/// Words, each preceded by its length (PLAIN).
pub fn words(words: &[String], page: &mut Vec<u8>) {
    for word in words {
        page.extend_from_slice(&(word.len() as u32).to_le_bytes());
        page.extend_from_slice(word.as_bytes());
    }
}

/// Indices into a dictionary, as runs (RLE_DICTIONARY).
pub fn runs(values: &[u64], dictionary: usize, page: &mut Vec<u8>) {
    let width = usize::BITS - dictionary.saturating_sub(1).leading_zeros();
    page.push(width as u8);
    for run in values.chunk_by(|value, next| value == next) {
        varint((run.len() as u64) << 1, page);
        page.extend_from_slice(&run[0].to_le_bytes()[..width.div_ceil(8) as usize]);
    }
}

/// Unsigned variable-length integer: seven bits per byte, least significant first (ULEB128).
fn varint(mut value: u64, page: &mut Vec<u8>) {
    while value >= 0x80 {
        page.push(value as u8 | 0x80);
        value >>= 7;
    }
    page.push(value as u8);
}

/// Zigzag code, which maps small integers of either sign to small unsigned ones.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
