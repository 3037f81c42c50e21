//! Columns of 64 bits a value as the pages of a Parquet file have them, by the names of its encodings (parquet-format, `Encodings.md`).
//!
//! The library encodes any value of any nesting. What traces write is flat and complete, and most of what all traces of a run cost is
//! this: written out for it alone it takes less than a quarter of the instructions. The tests read it with the library.

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

/// A difference is kept as so much more than it is: nearly all are the patterns of positive floating-point numbers then, which are in the
/// order of these numbers.
const SHIFT: u64 = 1 << 61;

/// The first so many differences between values; what is missing in the last part that is used does not matter, and parts that are not
/// used have no width.
fn add_block(values: &[u64; BLOCK + 1], number: usize, page: &mut Vec<u8>) {
    let mut block = [0; BLOCK];
    for ((shifted, value), next) in block.iter_mut().zip(values).zip(&values[1..]) {
        *shifted = next.wrapping_sub(*value).wrapping_add(SHIFT);
    }
    // What is missing is nothing less than all others, and then nothing.
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

/// The least of shifted differences. Of floating-point numbers any processor finds the lesser of two in one go, and of several pairs at
/// once; of integers of 64 bits it does not.
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

/// Values of so many bits, the least significant first; all of them fill whole bytes.
fn pack(values: &[u64; PART], width: u32, page: &mut Vec<u8>) {
    // A function for each width, in which it is known where every value goes.
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

/// Values of so many bits, one after the other: eight of them fill as many bytes.
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
