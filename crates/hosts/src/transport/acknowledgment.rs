//! Acknowledgments: sequence number, SACK blocks, timestamps and ECN echo.

use std::num::NonZeroU8;

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};
use serde_json::Value as Json;

use super::ranges::Range;

/// SACK blocks of one segment: up to four (RFC 2018 section 3).
// Nearly always empty: then only the tag is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks(Option<BlockList>);

/// A nonempty list of blocks; entries beyond `count` are zero.
// `repr(C)` keeps the tag at the front, so an acknowledgment without blocks touches one cache line.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockList {
    count: NonZeroU8,
    ranges: [Range; Blocks::MOST],
}

impl Blocks {
    /// Maximum of blocks in the 40 bytes of TCP options.
    pub const MOST: usize = 4;

    /// Appends a block; ignores a fifth.
    pub fn push(&mut self, block: Range) {
        let Some(some) = &mut self.0 else {
            let mut ranges = [Range::default(); Self::MOST];
            ranges[0] = block;
            self.0 = Some(BlockList { count: NonZeroU8::MIN, ranges });
            return;
        };
        if let Some(place) = some.ranges.get_mut(usize::from(some.count.get())) {
            *place = block;
            some.count = some.count.saturating_add(1);
        }
    }

    /// Inserts a block at the front, and keeps at most `most` blocks in all.
    pub fn push_first(&mut self, block: Range, most: usize) {
        let others = *self;
        let first = [block].into_iter();
        *self = first.chain(others.as_slice().iter().copied()).take(most).collect();
    }

    /// The blocks, most recent first.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[Range] {
        self.0.as_ref().map_or(&[], |some| &some.ranges[..usize::from(some.count.get())])
    }

    /// True if there are no blocks.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl FromIterator<Range> for Blocks {
    fn from_iter<I: IntoIterator<Item = Range>>(blocks: I) -> Self {
        let mut all = Self::default();
        blocks.into_iter().for_each(|block| all.push(block));
        all
    }
}

/// Timestamp echo of the segment that an acknowledgment answers (RFC 7323 section 3).
// `Option<Echo>` is as large as `Option<Time>`, so that an acknowledgment without blocks fits one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// Time at which the segment was sent.
    pub sent: Time,
    microseconds: u32,
    tells_delay: bool,
}

impl Echo {
    const PICOSECONDS_PER_MICROSECOND: u64 = PICOSECONDS_PER_SECOND / 1_000_000;

    /// Echo of a segment that was sent at `sent` and arrives at `now`.
    #[must_use]
    #[inline]
    pub fn new(sent: Time, now: Time) -> Self {
        let microseconds = u32::try_from((now - sent).0 / Self::PICOSECONDS_PER_MICROSECOND);
        Self { sent, microseconds: microseconds.unwrap_or(0), tells_delay: microseconds.is_ok() }
    }

    /// One-way delay to the receiver in whole microseconds; `None` if it exceeds 32 bits, more than an hour.
    #[must_use]
    pub fn one_way_delay(self) -> Option<Span> {
        self.tells_delay.then(|| Span::from_microseconds(self.microseconds.into()))
    }
}

/// An acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgment {
    /// Next byte expected: the cumulative acknowledgment number.
    pub next: u64,
    /// Timestamp echo, if segments carry timestamps.
    pub echo: Option<Echo>,
    /// ECN echo: 1 for a mark (ECE), the total of marked bytes, or the ACE field, depending on the ECN mechanism.
    pub marks: u64,
    /// SACK blocks: data received beyond `next`.
    pub blocks: Blocks,
}

impl Acknowledgment {
    /// Echoed send time, if segments carry timestamps.
    #[must_use]
    pub fn echoed(&self) -> Option<Time> {
        self.echo.map(|echo| echo.sent)
    }

    /// The D-SACK block: the first block, if it lies below `next` or within the second block (RFC 2883 section 4).
    #[must_use]
    pub fn duplicate(&self) -> Option<Range> {
        let (first, others) = self.blocks.as_slice().split_first()?;
        let is_within = |block: &Range| block.0 <= first.0 && first.1 <= block.1;
        (first.1 <= self.next || others.first().is_some_and(is_within)).then_some(*first)
    }
}

impl From<u64> for Acknowledgment {
    fn from(next: u64) -> Self {
        Self { next, ..Self::default() }
    }
}

longfat_foundation::choice! {
    /// Size of the SACK option.
    pub enum OptionSize {
        /// 8 per block and 2 for the option itself, padded to whole words (RFC 2018 section 3).
        Padded = "padded",
        /// 8 per block, as in ns-2.
        BlocksOnly = "blocks-only",
    }
}

impl OptionSize {
    /// Size in bytes of the option with `blocks` blocks.
    #[must_use]
    pub fn bytes(self, blocks: usize) -> u64 {
        match self {
            Self::Padded if blocks > 0 => 8 * blocks as u64 + 4,
            _ => 8 * blocks as u64,
        }
    }
}

/// Maximum of SACK blocks in one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackBlocks(u64);

impl SackBlocks {
    /// The maximum as a number.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most four")]
    pub fn count(self) -> usize {
        self.0 as usize
    }
}

impl Parameter for SackBlocks {
    fn shape() -> Shape {
        Shape::Integer { minimum: 1, maximum: Blocks::MOST as u64 }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.value {
            Value::Integer(blocks) if (1..=Blocks::MOST as i64).contains(&blocks) => {
                u64::try_from(blocks).ok().map(Self)
            }
            Value::Integer(blocks) => {
                let message = format!(
                    "{blocks} blocks have no room in the 40 bytes of TCP options: 1 to {} do, or 3 beside timestamps (RFC 2018 section 3)",
                    Blocks::MOST
                );
                reader.reject(node, message);
                None
            }
            _ => {
                reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
                None
            }
        }
    }

    fn resolved(&self) -> Json {
        self.0.into()
    }
}

/// Sizes of TCP options in bytes, with their padding.
pub mod option_bytes {
    /// Maximum of all options together (RFC 9293 section 3.1: a header has at most 60 bytes).
    pub const MOST: u64 = 40;
    /// Timestamps (RFC 7323 appendix A).
    pub const TIMESTAMPS: u64 = 12;
    /// Further options of a SYN: MSS 4, window scale 3, SACK permitted 2, padded (RFC 9293, RFC 7323, RFC 2018).
    pub const SYNCHRONIZE: u64 = 12;
}
