//! The window field of a TCP header and its scale.

use serde_json::Value as Json;

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value, VariantShape};

/// Shift of the 16-bit window field (RFC 7323 section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowScale {
    /// The smallest shift that represents the receiver window.
    Automatic,
    /// A shift in bits; 0 for no scaling.
    Shift(u8),
}

/// Largest shift (RFC 7323 section 2.3).
const MOST: u8 = 14;

/// Largest value of the window field.
const LARGEST_UNSCALED_WINDOW: u64 = 65_535;

impl std::fmt::Display for WindowScale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.shift().fmt(f)
    }
}

impl WindowScale {
    /// Largest shift.
    pub const MOST: Self = Self::Shift(MOST);

    /// The shift to use for a receiver window of `bytes`.
    #[must_use]
    pub fn settled(self, bytes: u64) -> Self {
        match self {
            Self::Automatic => {
                let suffices = |shift: &u8| LARGEST_UNSCALED_WINDOW << shift >= bytes;
                Self::Shift((0..MOST).find(suffices).unwrap_or(MOST))
            }
            Self::Shift(_) => self,
        }
    }

    /// Shift in bits; the largest if it is automatic.
    #[must_use]
    pub fn shift(self) -> u8 {
        match self {
            Self::Automatic => MOST,
            Self::Shift(shift) => shift,
        }
    }

    /// Largest window that can be advertised, in bytes.
    #[must_use]
    pub fn largest_window(self) -> u64 {
        LARGEST_UNSCALED_WINDOW << self.shift()
    }

    /// A window of `bytes` without the low bits that are not transmitted.
    #[must_use]
    pub fn advertised(self, bytes: u64) -> u64 {
        bytes >> self.shift() << self.shift()
    }
}

impl Parameter for WindowScale {
    fn shape() -> Shape {
        let automatic = VariantShape { name: "automatic", doc: "The smallest shift that suffices." };
        Shape::Either(vec![Shape::Choice(vec![automatic]), Shape::Integer { minimum: 0, maximum: u64::from(MOST) }])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == "automatic" => return Some(Self::Automatic),
            Value::Integer(shift) if *shift > i64::from(MOST) => {
                reader.reject(
                    node,
                    format!("a window scale of {shift} is too large; at most {MOST} (RFC 7323 section 2.3)"),
                );
            }
            Value::Integer(shift) if *shift >= 0 => return u8::try_from(*shift).ok().map(Self::Shift),
            _ => reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe())),
        }
        None
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Automatic => "automatic".into(),
            Self::Shift(shift) => (*shift).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_automatic_scale_is_the_smallest_that_suffices() {
        for (window, shift, largest) in
            [(65_535, 0, 65_535), (65_536, 1, 131_070), (600_000, 4, 1_048_560), (8_704_000, 8, 16_776_960)]
        {
            let scale = WindowScale::Automatic.settled(window);
            assert_eq!((scale, scale.largest_window()), (WindowScale::Shift(shift), largest), "{window}");
        }
    }

    #[test]
    fn the_papers_scaled_windows_are_sixteen_bits_shifted() {
        // 97-0424 section 4.1: 34000 << 8; 98-0876R1 section 6.2: 65535 << 5 and << 6.
        for (window, shift) in [(34_000 << 8, 8), (65_535 << 5, 5), (65_535 << 6, 6), (600_000, 4)] {
            assert_eq!(WindowScale::Shift(shift).advertised(window), window);
        }
        assert_eq!(WindowScale::Shift(4).advertised(600_001), 600_000, "the low bits do not travel");
    }
}
