//! Instants in UTC: `"2026-11-27T12:00:00Z"`.

use longfat_engine::config::{Node, Parameter, Reader, Shape};
use serde_json::Value as Json;

const EXPECTED: &str = "an instant in UTC";
const EXAMPLE: &str = "2026-11-27T12:00:00Z";

/// An instant in UTC, to the second. Years are those for which SGP4's element sets can be written (1957 to 2056).
#[derive(Clone, Debug)]
pub struct Instant(String);

impl Parameter for Instant {
    fn shape() -> Shape {
        Shape::Quantity { expected: EXPECTED, examples: &[EXAMPLE] }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = String::read(node, reader)?;
        if !is_instant(&text) {
            reader.reject(
                node,
                format!("expected {EXPECTED} from 1957 to 2056, such as \"{EXAMPLE}\", found \"{text}\""),
            );
            return None;
        }
        Some(Self(text))
    }

    fn resolved(&self) -> Json {
        self.0.as_str().into()
    }
}

fn is_instant(text: &str) -> bool {
    let pattern = "dddd-dd-ddTdd:dd:ddZ";
    let fits = |(byte, sign): (u8, u8)| if sign == b'd' { byte.is_ascii_digit() } else { byte == sign };
    if text.len() != pattern.len() || !text.bytes().zip(pattern.bytes()).all(fits) {
        return false;
    }
    let number = |from: usize, to: usize| text[from..to].parse::<u32>().unwrap_or(u32::MAX);
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    // Every fourth of these years is a leap year, 2000 too.
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        _ => 0,
    };
    (1957..=2056).contains(&year)
        && (1..=days).contains(&day)
        && number(11, 13) < 24
        && number(14, 16) < 60
        && number(17, 19) < 60
}

#[cfg(test)]
mod tests {
    use super::is_instant;

    #[test]
    fn an_instant_is_a_day_of_the_calendar_and_a_time() {
        for good in ["2026-11-27T12:00:00Z", "2000-02-29T23:59:59Z", "1957-01-01T00:00:00Z", "2056-12-31T00:00:00Z"] {
            assert!(is_instant(good), "{good}");
        }
        for bad in [
            "",
            "2026-11-27",
            "2026-11-27T12:00:00",
            "2026-11-27 12:00:00Z",
            "2026-11-27T12:00:00+01",
            "2026-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-00-01T12:00:00Z",
            "2026-11-31T12:00:00Z",
            "2026-11-00T12:00:00Z",
            "2026-11-27T24:00:00Z",
            "2026-11-27T12:60:00Z",
            "2026-11-27T12:00:60Z",
            "1956-11-27T12:00:00Z",
            "2057-11-27T12:00:00Z",
            "2026-11-27T12:00:0äZ",
        ] {
            assert!(!is_instant(bad), "{bad}");
        }
    }
}
