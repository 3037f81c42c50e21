//! Acknowledgments: the cumulative number, SACK blocks, timestamps and the echo of ECN marks.

use std::num::NonZeroU8;

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};
use serde_json::Value as Json;

use super::ranges::Range;

/// Selective acknowledgments of one segment: up to four blocks (RFC 2018 section 3).
// Nearly always there are none, and then there is nothing to write but that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks(Option<BlockList>);

/// At least one block; those beyond the count are zeros.
// In this order, so that an acknowledgment without blocks lies together.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockList {
    count: NonZeroU8,
    ranges: [Range; Blocks::MOST],
}

impl Blocks {
    /// As many as 40 bytes of options can hold.
    pub const MOST: usize = 4;

    /// Adds a block; a fifth is left out.
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

    /// Adds a block before the others, of which at most `most - 1` stay.
    pub fn push_first(&mut self, block: Range, most: usize) {
        let others = *self;
        let first = [block].into_iter();
        *self = first.chain(others.as_slice().iter().copied()).take(most).collect();
    }

    /// The blocks, the most recent first.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[Range] {
        self.0.as_ref().map_or(&[], |some| &some.ranges[..usize::from(some.count.get())])
    }

    /// Whether there are none.
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

/// What timestamps tell of the segment that an acknowledgment answers (RFC 7323 section 3).
// As long as the time alone: a whole acknowledgment without blocks lies in one line of a processor's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// When it was sent.
    pub sent: Time,
    microseconds: u32,
    tells_delay: bool,
}

impl Echo {
    const PICOSECONDS_PER_MICROSECOND: u64 = PICOSECONDS_PER_SECOND / 1_000_000;

    /// Of a segment that has come at `now`.
    #[must_use]
    #[inline]
    pub fn new(sent: Time, now: Time) -> Self {
        let microseconds = u32::try_from((now - sent).0 / Self::PICOSECONDS_PER_MICROSECOND);
        Self { sent, microseconds: microseconds.unwrap_or(0), tells_delay: microseconds.is_ok() }
    }

    /// How long it took to the receiver, in whole microseconds; an hour is more than 32 bits can say.
    #[must_use]
    pub fn one_way_delay(self) -> Option<Span> {
        self.tells_delay.then(|| Span::from_microseconds(self.microseconds.into()))
    }
}

/// An acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgment {
    /// The next byte expected: all below has arrived.
    pub next: u64,
    /// The segment that it answers, if segments carry timestamps.
    pub echo: Option<Echo>,
    /// What is echoed of marks: 1 where a mark is (ECE), all marked bytes so far where they are counted, or the three bits that count marked
    /// packets.
    pub marks: u64,
    /// What has arrived beyond it.
    pub blocks: Blocks,
}

impl Acknowledgment {
    /// When the segment that it answers was sent, if segments carry timestamps.
    #[must_use]
    pub fn echoed(&self) -> Option<Time> {
        self.echo.map(|echo| echo.sent)
    }

    /// What it says to have arrived twice: its first block, if that lies below the number or within the second block (RFC 2883 section 4).
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
    /// How many bytes selective acknowledgments add to a segment.
    pub enum OptionSize {
        /// 8 per block and 2 for the option itself, padded to whole words (RFC 2018 section 3).
        Padded = "padded",
        /// 8 per block, as in ns-2.
        BlocksOnly = "blocks-only",
    }
}

impl OptionSize {
    /// Bytes for so many blocks.
    #[must_use]
    pub fn bytes(self, blocks: usize) -> u64 {
        match self {
            Self::Padded if blocks > 0 => 8 * blocks as u64 + 4,
            _ => 8 * blocks as u64,
        }
    }
}

/// Most selective acknowledgments in one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackBlocks(u64);

impl SackBlocks {
    /// The number.
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
    /// All options together (RFC 9293 section 3.1: a header has at most 60 bytes).
    pub const MOST: u64 = 40;
    /// Timestamps (RFC 7323 appendix A).
    pub const TIMESTAMPS: u64 = 12;
    /// What a synchronizing segment says besides: MSS 4, window scale 3, selective acknowledgment permitted 2, padded
    /// (RFC 9293, RFC 7323, RFC 2018).
    pub const SYNCHRONIZE: u64 = 12;
}
