//! Choice of satellites: times, and the rule.

use longfat_engine::units::Span;
use longfat_engine::{choice, section};

choice! {
    /// Rule by which a station chooses a satellite. Each word is a file in `python/longfat/orbits/rules`.
    pub enum Rule {
        /// The nearest one, which for one altitude is the highest in the sky.
        Nearest = "nearest",
        /// The one that stays in sight longest; it is kept until it sets, unless `every` says otherwise.
        LongestVisible = "longest-visible",
        /// That of the shortest path.
        Shortest = "shortest",
        /// One of those in sight, all equally likely, drawn from the seed. Starlink's choice depends on more than a terminal can see.
        Drawn = "drawn",
    }
}

section! {
    /// Choice of satellites: times, and the rule.
    pub struct Handover {
        /// Rule by which the satellite is chosen.
        pub rule: Rule = "nearest" or ["longest-visible", "shortest", "drawn"],
        /// Time between two choices. With 0 s the satellite is chosen anew at each step, by `longest-visible` and `drawn` only when it sets.
        /// With any other time it is kept in between, as long as it is in sight; chosen is among those in sight until the next
        /// choice, if there are any. Starlink chooses every 15 s (Tanveer et al. 2023, Making sense of constellations, CoNEXT).
        pub every: Span = "0 s",
        /// Time of the first choice after each full hour in UTC. Starlink's are 12 s, 27 s, 42 s and 57 s after each minute (Tanveer et
        /// al. 2023).
        pub offset: Span = "0 s",
        /// Length of the outage at a change of satellite. Huston 2024 reports 30 to 50 ms of Starlink.
        pub gap: Span = "0 s",
    }
}
