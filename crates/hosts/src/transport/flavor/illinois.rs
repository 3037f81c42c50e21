//! TCP-Illinois.

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveNumber};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, IllinoisSettings, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// TCP-Illinois: losses say when the window shrinks, and delays in queues how much it grows and shrinks: by ten segments in a round trip and an
    /// eighth while queues are empty, by 0.3 and a half when they are long. Without `timestamps` one segment of each window measures a round trip.
    #[name = "illinois"]
    #[source = "Liu, Basar and Srikant 2008, Performance Evaluation 65(6-7)"]
    pub struct Illinois: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Segments by which the window grows in a round trip while queues are empty (alpha_max).
        most_increase: PositiveNumber = "10",
        /// The same when queues are as long as ever (alpha_min).
        least_increase: PositiveNumber = "0.3",
        /// The share of the window that a loss takes while queues are short (beta_min).
        least_decrease: Fraction = "0.125",
        /// The same when queues are long (beta_max).
        most_decrease: Fraction = "0.5",
        /// The share of the longest delay up to which queues are empty (d_1).
        empty_delay: Fraction = "0.01",
        /// The share of the longest delay up to which they are short (d_2).
        short_delay: Fraction = "0.1",
        /// The share of the longest delay from which on they are long (d_3).
        long_delay: Fraction = "0.8",
        /// Below this window, in segments, it is the classical law (W_thresh). As in Linux.
        window_threshold: AtLeastOne = "15",
        /// So many round trips in a row must find queues empty that were not, before growth is the fastest again (theta). As in Linux.
        patience: AtLeastOne = "5",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.objections() }
}

impl Illinois {
    /// The longer the queues, the slower it is to grow and the more a loss is to take.
    fn objections(&self) -> Vec<(&'static str, String)> {
        let orders = [
            ("least_increase", self.least_increase.0, "most_increase", self.most_increase.0),
            ("least_decrease", self.least_decrease.0, "most_decrease", self.most_decrease.0),
            ("empty_delay", self.empty_delay.0, "short_delay", self.short_delay.0),
            ("short_delay", self.short_delay.0, "long_delay", self.long_delay.0),
        ];
        let wrong = orders.into_iter().filter(|(_, less, _, more)| less > more);
        wrong.map(|(key, less, other, more)| (key, format!("{less} is above {other}, {more}; write less"))).collect()
    }
}

impl Flavor for Illinois {
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Illinois::new(IllinoisSettings {
            most_increase: self.most_increase.0,
            least_increase: self.least_increase.0,
            least_decrease: self.least_decrease.0,
            most_decrease: self.most_decrease.0,
            empty_delay: self.empty_delay.0,
            short_delay: self.short_delay.0,
            long_delay: self.long_delay.0,
            window_threshold: self.window_threshold.0 as f64,
            patience: self.patience.0,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
