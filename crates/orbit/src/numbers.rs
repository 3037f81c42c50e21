//! Angles, altitudes and distances: numbers with bounds, in the unit that their key names.

use longfat_engine::config::{Node, Parameter, Reader, Shape, Value};
use serde_json::Value as Json;

/// Declares a number from `$low` to `$high`.
macro_rules! within {
    ($(#[doc = $doc:literal] $type:ident: $low:literal to $high:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $type(pub f64);

        impl Parameter for $type {
            fn shape() -> Shape {
                Shape::Within { low: $low, high: $high }
            }
            fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
                read(node, reader, &Self::shape(), $low, $high).map(Self)
            }
            fn resolved(&self) -> Json {
                self.0.into()
            }
        }
    )*};
}

within! {
    /// A geodetic latitude in degrees, north positive.
    Latitude: -90.0 to 90.0;
    /// A longitude in degrees, east positive.
    Longitude: -180.0 to 180.0;
    /// An elevation above the horizon in degrees.
    Elevation: 0.0 to 90.0;
    /// An angle in degrees.
    Angle: 0.0 to 360.0;
    /// The altitude of a ground station above the ellipsoid in meters.
    GroundAltitude: -500.0 to 10000.0;
    /// The altitude of a satellite above the equator in kilometers: from where it stays up for some hours to the highest orbits in use.
    OrbitAltitude: 150.0 to 50000.0;
    /// The altitude of a line of sight above the Earth in kilometers.
    SightAltitude: 0.0 to 1000.0;
    /// A slant range in kilometers.
    SlantRange: 1.0 to 100000.0;
    /// UT1 - UTC in seconds, which leap seconds keep small.
    ClockDifference: -0.9 to 0.9;
}

#[expect(clippy::cast_precision_loss, reason = "a user's whole number is small")]
fn read(node: &Node, reader: &mut Reader, shape: &Shape, low: f64, high: f64) -> Option<f64> {
    let number = match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    };
    let found = number.filter(|number| (low..=high).contains(number));
    if found.is_none() {
        reader.reject(node, format!("expected {}, found {}", shape.expected(), node.describe()));
    }
    found
}
