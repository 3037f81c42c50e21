//! Quantities with units: `"155.52 Mbit/s"`, `"5 ms"`, `"512 B"`. Conversion to base units is exact, or an error.

use serde_json::Value as Json;

use super::document::{Node, Value};
use super::problem::did_you_mean;
use super::{Parameter, Reader, Shape, VariantShape};
use crate::units::{Rate, Span};

/// A physical dimension and its units.
#[derive(Debug)]
pub struct Dimension {
    /// Description for messages, including the units.
    pub expected: &'static str,
    /// Unit of the resolved integer.
    pub base: &'static str,
    /// Units and their sizes in base units.
    pub units: &'static [(&'static str, u64)],
    /// Alternative spellings of units, with the unit meant.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Examples of accepted texts.
    pub examples: &'static [&'static str],
}

/// Durations, in picoseconds.
pub const TIME: Dimension = Dimension {
    expected: "a length of time with its unit (ps, ns, us, ms, s, min, h)",
    base: "picoseconds",
    units: &[
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        ("µs", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
        ("min", 60_000_000_000_000),
        ("h", 3_600_000_000_000_000),
    ],
    spellings: &[("usec", "us"), ("msec", "ms"), ("sec", "s"), ("seconds", "s"), ("minutes", "min"), ("hours", "h")],
    examples: &["5 ms", "20 s"],
};

/// Rates, in bits per second.
pub const RATE: Dimension = Dimension {
    expected: "a rate with its unit (bit/s, kbit/s, Mbit/s, Gbit/s)",
    base: "bits per second",
    units: &[("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)],
    spellings: &[("bps", "bit/s"), ("kbps", "kbit/s"), ("Mbps", "Mbit/s"), ("Gbps", "Gbit/s")],
    examples: &["155.52 Mbit/s", "45 Mbit/s"],
};

/// Data sizes, in bytes.
pub const SIZE: Dimension = Dimension {
    expected: "a size with its unit (B, kB = 1000 B, KiB = 1024 B, MB, MiB, GB, GiB)",
    base: "bytes",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1_024),
        ("MB", 1_000_000),
        ("MiB", 1_048_576),
        ("GB", 1_000_000_000),
        ("GiB", 1_073_741_824),
    ],
    spellings: &[("byte", "B"), ("bytes", "B")],
    examples: &["512 B", "64 KiB"],
};

/// Power ratios, in millidecibels.
pub const LEVEL: Dimension = Dimension {
    expected: "a number of decibels with its unit (dB)",
    base: "thousandths of a decibel",
    units: &[("dB", 1_000), ("mdB", 1)],
    spellings: &[("decibel", "dB"), ("decibels", "dB")],
    examples: &["12 dB", "0.5 dB"],
};

/// Frequencies and bandwidths, in hertz.
pub const FREQUENCY: Dimension = Dimension {
    expected: "a frequency with its unit (Hz, kHz, MHz, GHz)",
    base: "hertz",
    units: &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)],
    spellings: &[],
    examples: &["36 MHz", "500 kHz"],
};

/// Every dimension.
const DIMENSIONS: [&Dimension; 5] = [&TIME, &RATE, &SIZE, &LEVEL, &FREQUENCY];

impl Dimension {
    /// The dimension with this description; `None` for quantities of other forms, such as "1000 cells".
    pub(super) fn expecting(expected: &str) -> Option<&'static Self> {
        DIMENSIONS.into_iter().find(|dimension| dimension.expected == expected)
    }

    /// Regular expression (ECMA 262) of the texts with a unit that exists, for editors.
    pub(super) fn pattern(&self) -> String {
        let names: Vec<_> = self.units.iter().map(|(name, _)| *name).collect();
        format!(r"^\s*\d+(\.\d*)?\s*({})\s*$", names.join("|"))
    }

    /// Returns `; did you mean "…"?` if `unit` is close to a known unit or spelling, otherwise an empty text.
    fn did_you_mean(&self, unit: &str) -> String {
        let respelled = self.spellings.iter().find(|(spelling, _)| spelling.eq_ignore_ascii_case(unit));
        let found = respelled.map_or(unit, |(_, known)| known);
        did_you_mean(found, self.units.iter().map(|(name, _)| *name))
    }
}

/// An exact non-negative decimal number: `digits / scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The digits without the point.
    pub digits: u128,
    /// `10^(number of decimals)`.
    pub scale: u128,
}

impl Decimal {
    /// Parses digits with an optional point; `None` for anything else or more than 30 digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !plain(whole) || !plain(fraction) || whole.len() + fraction.len() > 30 {
            return None;
        }
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { digits, scale: 10_u128.pow(u32::try_from(fraction.len()).ok()?) })
    }
}

/// Splits a text into its leading number and its unit, with or without a space between them.
#[must_use]
pub fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// Parses `text` as a quantity of `dimension`, in base units.
///
/// # Errors
/// A message for users: what is wrong, and what is expected.
pub fn parse_in(dimension: &Dimension, text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text);
    let expected = || format!("expected {}, such as \"{}\"", dimension.expected, dimension.examples[0]);
    let Some(decimal) = Decimal::parse(number) else {
        return Err(format!("{}, found \"{text}\"", expected()));
    };
    if unit.is_empty() {
        return Err(format!("{} has no unit; {}", number, expected()));
    }
    let Some((_, factor)) = dimension.units.iter().find(|(name, _)| *name == unit) else {
        return Err(format!("unknown unit \"{unit}\"; {}{}", expected(), dimension.did_you_mean(unit)));
    };
    // Limit of integers in TOML and JSON, so that the resolved value can be read again.
    let largest = i64::MAX.unsigned_abs();
    let too_large = || format!("\"{text}\" is too large: more than {largest} {}", dimension.base);
    let product = decimal.digits.checked_mul(u128::from(*factor)).ok_or_else(too_large)?;
    if product % decimal.scale != 0 {
        return Err(format!("\"{text}\" is not a whole number of {}", dimension.base));
    }
    u64::try_from(product / decimal.scale).ok().filter(|value| *value <= largest).ok_or_else(too_large)
}

/// Reads a node as a quantity with its unit.
fn read_in(dimension: &Dimension, node: &Node, reader: &mut Reader) -> Option<u64> {
    let parsed = match &node.value {
        Value::Text(text) => parse_in(dimension, text),
        _ => Err(format!(
            "expected {}, such as \"{}\" (in quotes), found {}",
            dimension.expected,
            dimension.examples[0],
            node.describe()
        )),
    };
    parsed.map_err(|message| reader.reject(node, message)).ok()
}

/// Reads a node as an integer in `[minimum, maximum]`.
fn read_whole(node: &Node, reader: &mut Reader, minimum: u64, maximum: u64) -> Option<u64> {
    let number = match node.value {
        Value::Integer(number) => u64::try_from(number).ok().filter(|n| (minimum..=maximum).contains(n)),
        _ => None,
    };
    if number.is_none() {
        let expected = Shape::Integer { minimum, maximum }.expected();
        reader.reject(node, format!("expected {expected}, found {}", node.describe()));
    }
    number
}

fn not_zero(value: u64, node: &Node, reader: &mut Reader) -> Option<u64> {
    if value == 0 {
        reader.reject(node, "must be more than zero");
    }
    Some(value).filter(|value| *value > 0)
}

/// Implements [`Parameter`] for a newtype over base units of a dimension.
macro_rules! quantity {
    ($type:ty, $dimension:ident, $suffix:literal, $wrap:expr, $unwrap:expr, zero: $zero:literal) => {
        impl Parameter for $type {
            const SUFFIX: &'static str = $suffix;
            fn shape() -> Shape {
                Shape::Quantity { expected: $dimension.expected, examples: $dimension.examples }
            }
            fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
                let value = read_in(&$dimension, node, reader)?;
                if $zero { Some($wrap(value)) } else { not_zero(value, node, reader).map($wrap) }
            }
            fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
                read_whole(node, reader, if $zero { 0 } else { 1 }, u64::MAX).map($wrap)
            }
            fn resolved(&self) -> Json {
                $unwrap(self).into()
            }
        }
    };
}

/// A number of bytes, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A rate in bits per second, which may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnyRate(pub u64);

/// A nonzero duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PositiveSpan(pub Span);

/// A power ratio, in millidecibels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decibels(pub u64);

quantity!(Span, TIME, "_ps", Span, |span: &Span| span.0, zero: true);
quantity!(PositiveSpan, TIME, "_ps", |ps| PositiveSpan(Span(ps)), |span: &PositiveSpan| span.0.0, zero: false);
quantity!(Rate, RATE, "_bps", Rate, |rate: &Rate| rate.0, zero: false);
quantity!(AnyRate, RATE, "_bps", AnyRate, |rate: &AnyRate| rate.0, zero: true);
quantity!(Decibels, LEVEL, "_mdb", Decibels, |level: &Decibels| level.0, zero: true);
quantity!(Bytes, SIZE, "_bytes", Bytes, |bytes: &Bytes| bytes.0, zero: false);

/// An integer from 1 to 100,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtLeastOne(pub u64);

/// Upper bound of counts; more is taken for a mistake.
const LARGEST_COUNT: u64 = 100_000;

impl AtLeastOne {
    /// The count as a floating-point number.
    #[expect(clippy::cast_possible_truncation, reason = "at most LARGEST_COUNT")]
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0 as u32)
    }
}

impl Parameter for AtLeastOne {
    fn shape() -> Shape {
        Shape::Integer { minimum: 1, maximum: LARGEST_COUNT }
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        read_whole(node, reader, 1, LARGEST_COUNT).map(Self)
    }
    fn resolved(&self) -> Json {
        self.0.into()
    }
}

/// Largest integer that every JSON reader represents exactly.
const LARGEST_EXACT_INTEGER: u64 = 1 << 53;

impl Parameter for u64 {
    fn shape() -> Shape {
        Shape::Integer { minimum: 0, maximum: LARGEST_EXACT_INTEGER }
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        read_whole(node, reader, 0, LARGEST_EXACT_INTEGER)
    }
    fn resolved(&self) -> Json {
        (*self).into()
    }
}

impl Parameter for bool {
    fn shape() -> Shape {
        Shape::Boolean
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if let Value::Boolean(value) = node.value {
            return Some(value);
        }
        reader.reject(node, format!("expected true or false, found {}", node.describe()));
        None
    }
    fn resolved(&self) -> Json {
        (*self).into()
    }
}

impl Parameter for String {
    fn shape() -> Shape {
        Shape::Text
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        reader.reject(node, format!("expected a text, found {}", node.describe()));
        None
    }
    fn resolved(&self) -> Json {
        self.as_str().into()
    }
}

impl<P: Parameter> Parameter for Vec<P> {
    fn shape() -> Shape {
        Shape::List(Box::new(P::shape()))
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Array(items) = &node.value else {
            let message = format!("expected {}, found {}", Self::shape().expected(), node.describe());
            reader.reject(node, message);
            return None;
        };
        let read = |(index, item): (usize, &Node)| reader.below(&format!("[{index}]"), |reader| P::read(item, reader));
        let values: Vec<_> = items.iter().enumerate().map(read).collect();
        values.into_iter().collect()
    }
    fn resolved(&self) -> Json {
        self.iter().map(Parameter::resolved).collect()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// A setting of a group that defaults to the common one ("as-others").
impl<P: Parameter> Parameter for Option<P> {
    const SUFFIX: &'static str = P::SUFFIX;
    fn shape() -> Shape {
        let as_others = VariantShape { name: AS_OTHERS, doc: "What the scenario says of all." };
        Shape::Either(vec![Shape::Choice(vec![as_others]), P::shape()])
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if matches!(&node.value, Value::Text(text) if text == AS_OTHERS) {
            return Some(None);
        }
        P::read(node, reader).map(Some)
    }
    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        P::read_resolved(node, reader).map(Some)
    }
    fn resolved_shape() -> Shape {
        P::resolved_shape()
    }
    fn resolved(&self) -> Json {
        self.as_ref().map_or(AS_OTHERS.into(), Parameter::resolved)
    }
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// The value of a setting of a group that is the common one.
pub const AS_OTHERS: &str = "as-others";

/// Formats a span in the largest unit that represents it exactly.
#[must_use]
pub fn format_span(span: Span) -> String {
    let units = TIME.units.iter().rev().filter(|(name, _)| !matches!(*name, "µs" | "min" | "h"));
    let (name, factor) = units.clone().find(|(_, factor)| span.0.is_multiple_of(*factor)).unwrap_or(&TIME.units[0]);
    format!("{} {name}", span.0 / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact_in_base_units() {
        assert_eq!(parse_in(&RATE, "155.52 Mbit/s"), Ok(155_520_000));
        assert_eq!(parse_in(&TIME, "2.7 us"), Ok(2_700_000));
        assert_eq!(parse_in(&TIME, "20s"), Ok(20_000_000_000_000));
        assert_eq!(parse_in(&SIZE, "64 KiB"), Ok(65_536));
        assert_eq!(parse_in(&SIZE, "1.5 kB"), Ok(1_500));
        assert_eq!(parse_in(&SIZE, "2 GiB"), Ok(1 << 31));
    }

    #[test]
    fn what_cannot_be_exact_or_has_no_unit_is_refused_with_advice() {
        let message = |dimension, text| parse_in(dimension, text).unwrap_err();
        assert!(message(&TIME, "0.1 ps").contains("not a whole number of picoseconds"));
        assert!(message(&TIME, "5").contains("has no unit"));
        assert!(message(&RATE, "5 Mb").contains("unknown unit \"Mb\""));
        assert!(message(&RATE, "5 Mbits/s").contains("did you mean \"Mbit/s\""));
        assert!(message(&TIME, "-5 ms").contains("expected a length of time"));
        assert!(message(&TIME, "1000000000 h").contains("too large"));
        assert!(message(&TIME, "1e3 s").contains("unknown unit"));
    }

    #[test]
    fn a_unit_in_other_letters_or_in_anothers_spelling_is_known_for_what_it_is() {
        let rates = [("mbit/s", "Mbit/s"), ("MBIT/S", "Mbit/s"), ("Kbit/s", "kbit/s"), ("bps", "bit/s")];
        let others = [("kbps", "kbit/s"), ("Mbps", "Mbit/s"), ("mbps", "Mbit/s"), ("Gbps", "Gbit/s")];
        for (written, meant) in rates.into_iter().chain(others) {
            let message = parse_in(&RATE, &format!("50 {written}")).unwrap_err();
            assert!(message.ends_with(&format!("; did you mean \"{meant}\"?")), "{message}");
        }
        assert!(parse_in(&TIME, "5 MS").unwrap_err().ends_with("did you mean \"ms\"?"));
        assert!(parse_in(&SIZE, "5 kb").unwrap_err().ends_with("did you mean \"kB\"?"));
        assert!(!parse_in(&RATE, "50 MB/s").unwrap_err().contains("did you mean"), "bytes, perhaps");
    }

    #[test]
    fn a_span_is_written_in_the_largest_unit_that_holds_it() {
        assert_eq!(format_span(Span(5_000_000_000)), "5 ms");
        assert_eq!(format_span(Span(1_500_000)), "1500 ns");
        assert_eq!(format_span(Span(0)), "0 s");
    }
}
