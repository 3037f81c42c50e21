//! Ground stations.

use longfat_engine::section;

use crate::numbers::{Elevation, GroundAltitude, Latitude, Longitude};

section! {
    /// A ground station: a user's terminal or a gateway.
    pub struct Station {
        /// Name, by which a path begins or ends there.
        pub name: String,
        /// Geodetic latitude (WGS 84) in degrees, north positive.
        pub latitude_deg: Latitude,
        /// Longitude in degrees, east positive.
        pub longitude_deg: Longitude,
        /// Altitude above the ellipsoid, in m.
        pub altitude_m: GroundAltitude = "0.0",
        /// Lowest elevation at which this station uses a satellite, in degrees.
        pub mask_deg: Option<Elevation> = "as-others",
    }
}
