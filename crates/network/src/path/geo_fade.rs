//! Rain fade on the path to a geostationary satellite.

use longfat_foundation::config::{DrawableSpan, Fraction, Probability};
use longfat_foundation::units::{Rate, Span, Time};

use super::{Path, PathContext, Step};

longfat_foundation::model! {
    /// A fade: for some time a more robust code leaves only a share of the rate, as with adaptive coding and modulation. By default a tenth
    /// of the rate from 10 s on for 10 s, the case that implementers of satellite transports test (100 Mbit/s to 10 and back). Beginning
    /// and length may be drawn for each replication.
    #[name = "geo-fade"]
    #[source = "ETSI EN 302 307-1 (adaptive coding and modulation); picoquic issue 720"]
    pub struct GeoFade: dyn Path {
        /// Beginning of the fade.
        begin: DrawableSpan = "10 s",
        /// Duration of the fade.
        lasting: DrawableSpan = "10 s",
        /// The share of the bottleneck's rate that remains.
        rate_share: Fraction = "0.1",
        /// The probability that a packet is lost during the fade.
        loss: Probability = "0.0",
    }
    build(config, context) { Box::new(Fade { config: config.clone(), context: context.clone() }) }
    objections(config, _context) {
        if config.lasting.0.low == Span::ZERO {
            return vec![("lasting", "must be more than zero".into())];
        }
        Vec::new()
    }
}

struct Fade {
    config: GeoFade,
    context: PathContext,
}

impl Path for Fade {
    #[expect(clippy::cast_precision_loss, reason = "a share of a rate")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no more than the rate")]
    fn steps(&self) -> Vec<Step> {
        let GeoFade { begin, lasting, rate_share, loss } = &self.config;
        // Separate streams, so that the draws do not depend on each other.
        let chance = |what: &str| self.context.stream(&format!("geo-fade/{what}"));
        let begin = begin.0.sample(&mut chance("begin"));
        let lasting = lasting.0.sample(&mut chance("lasting")) - Time::ZERO;
        let rate = Rate((self.context.rate.0 as f64 * rate_share.0).max(1.0) as u64);
        let faded = Step { rate: Some(rate), loss: loss.0, ..self.context.nominal(begin) };
        vec![faded, self.context.nominal(begin + lasting)]
    }
}
