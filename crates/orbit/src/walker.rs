//! Walker's notation of constellations: `"53: 1584/72/17"`.

use longfat_engine::config::{Node, Parameter, Reader, Shape};
use serde_json::{Value as Json, json};

/// Most satellites of a shell; more are taken for a mistake.
pub const MOST_SATELLITES: u64 = 100_000;

const EXPECTED: &str = "Walker's notation i: t/p/f";
const EXAMPLE: &str = "53: 1584/72/17";

/// Inclination i in degrees, t satellites in p planes, and the phasing f: a satellite is f x 360/t degrees ahead of the one of the same
/// number in the plane west of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    inclination_deg: f64,
    satellites: u64,
    planes: u64,
    phasing: u64,
}

impl Walker {
    fn parse(text: &str) -> Result<Self, String> {
        let expected = || format!("expected {EXPECTED}, such as \"{EXAMPLE}\", found \"{text}\"");
        let (inclination, pattern) = text.split_once(':').ok_or_else(expected)?;
        let counts = pattern.split('/').map(|count| count.trim().parse().ok()).collect::<Option<Vec<u64>>>();
        let inclination_deg = inclination.trim().parse::<f64>().map_err(|_| expected())?;
        let Some([satellites, planes, phasing]) =
            counts.as_deref().and_then(|counts| <[u64; 3]>::try_from(counts).ok())
        else {
            return Err(expected());
        };
        if !(0.0..=180.0).contains(&inclination_deg) {
            return Err(format!("an inclination of {inclination_deg} degrees; expected 0 to 180"));
        }
        if !(1..=MOST_SATELLITES).contains(&satellites) {
            return Err(format!("{satellites} satellites; expected 1 to {MOST_SATELLITES}"));
        }
        if planes == 0 || !satellites.is_multiple_of(planes) {
            return Err(format!("{satellites} satellites do not divide among {planes} planes; all have as many"));
        }
        if phasing >= planes {
            return Err(format!("a phasing of {phasing}; expected 0 to {}, less than the planes", planes - 1));
        }
        Ok(Self { inclination_deg, satellites, planes, phasing })
    }
}

impl Parameter for Walker {
    fn shape() -> Shape {
        Shape::Quantity { expected: EXPECTED, examples: &[EXAMPLE] }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = String::read(node, reader)?;
        Self::parse(&text).map_err(|message| reader.reject(node, message)).ok()
    }

    fn resolved(&self) -> Json {
        json!({
            "inclination_deg": self.inclination_deg,
            "satellites": self.satellites,
            "planes": self.planes,
            "phasing": self.phasing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Walker;

    #[test]
    fn walkers_notation_has_four_numbers() {
        let expected = Walker { inclination_deg: 53.05, satellites: 1584, planes: 72, phasing: 39 };
        for text in ["53.05: 1584/72/39", " 53.05 :1584 / 72/ 39 "] {
            assert_eq!(Walker::parse(text), Ok(expected));
        }
    }

    #[test]
    fn a_constellation_that_cannot_be_is_refused_with_what_is_wrong() {
        for (text, expected) in [
            ("", "expected Walker's notation"),
            ("53", "expected Walker's notation"),
            ("53: 1584/72", "expected Walker's notation"),
            ("53: 1584/72/-1", "expected Walker's notation"),
            ("53: 1e3/10/1", "expected Walker's notation"),
            ("x: 6/3/1", "expected Walker's notation"),
            ("53: 0/1/0", "0 satellites; expected 1 to 100000"),
            ("53: 1000000000/1/0", "1000000000 satellites; expected 1 to 100000"),
            ("53: 99999999999999999999/1/0", "expected Walker's notation"),
            ("53: 10/0/0", "do not divide among 0 planes"),
            ("53: 10/3/0", "do not divide among 3 planes"),
            ("53: 10/5/5", "a phasing of 5; expected 0 to 4"),
            ("181: 6/3/1", "an inclination of 181 degrees"),
            ("nan: 6/3/1", "an inclination of NaN degrees"),
            ("inf: 6/3/1", "an inclination of inf degrees"),
        ] {
            let message = Walker::parse(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
