//! Rain on the way to a geostationary satellite.

use super::{Path, PathContext, Step};
use crate::config::{Fraction, PositiveSpan, Probability};
use crate::units::{Rate, Span, Time};

crate::model! {
    /// From a time on, and for a time, a more robust coding leaves a share of the rate: a fade, as adaptive coding and modulation
    /// answers it. By default from 10 s on for 10 s a tenth, the case that implementers of satellite transports test (100 Mbit/s to
    /// 10 and back).
    #[name = "geo-fade"]
    #[source = "ETSI EN 302 307-1 (adaptive coding and modulation); picoquic issue 720"]
    pub struct GeoFade: dyn Path {
        /// When it begins.
        begin: Span = "10 s",
        /// How long it lasts.
        lasting: PositiveSpan = "10 s",
        /// What it leaves of the bottleneck's rate.
        rate_share: Fraction = "0.1",
        /// The probability that a packet is lost meanwhile.
        loss: Probability = "0.0",
    }
    build(config, context) { Box::new(Fade { config: config.clone(), context: context.clone() }) }
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
        let begin = Time::ZERO + *begin;
        let rate = Rate((self.context.rate.0 as f64 * rate_share.0).max(1.0) as u64);
        let faded = Step { rate: Some(rate), loss: loss.0, ..self.context.nominal(begin) };
        vec![faded, self.context.nominal(begin + lasting.0)]
    }
}
