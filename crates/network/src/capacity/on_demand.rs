//! Bandwidth on demand on the return link of a satellite terminal: requested by volume, granted a satellite round trip later.

use longfat_foundation::config::{PositiveSpan, Probability};

use super::{Assignment, CapacityContext, Demand, frames};

longfat_foundation::model! {
    /// Bandwidth on demand, as on the return link of a satellite terminal (demand assigned multiple access). Time is divided into frames.
    /// At the beginning of each frame the terminal requests the volume that is queued at the bottleneck's port and that no grant or request
    /// covers yet (volume based dynamic capacity). The volume is granted in the frames from `response` on, up to the bottleneck's rate. A
    /// `constant_share` of the rate is assigned in every frame without a request (constant rate assignment). Capacity assigned in a frame is
    /// spread evenly over it, and lost if nothing is queued.
    #[name = "on-demand"]
    #[source = "ETSI EN 301 790 (DVB-RCS): capacity categories CRA and VBDC"]
    pub struct OnDemand: dyn Assignment {
        /// Duration of a frame: the time between requests.
        frame: PositiveSpan = "50 ms" or ["25 ms", "100 ms"],
        /// Time from a request to the beginning of the first frame in which it is granted, rounded up to whole frames: over the satellite
        /// to the hub, the hub's scheduling, and back. Two crossings of 270 ms and some processing by default.
        response: PositiveSpan = "560 ms",
        /// The share of the bottleneck's rate that is assigned without a request.
        constant_share: Probability = "0.0",
    }
    build(config, context) { Box::new(Requested { config: config.clone(), context: *context }) }
    objections(config, _context) { frames::objections(config.frame.0, config.response.0) }
}

struct Requested {
    config: OnDemand,
    context: CapacityContext,
}

impl Assignment for Requested {
    #[expect(clippy::cast_precision_loss, reason = "a share of a rate")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no more than the rate")]
    fn demand(&self) -> Option<Demand> {
        let OnDemand { frame, response, constant_share } = &self.config;
        let most_bps = self.context.rate.0;
        Some(Demand {
            frame: frame.0,
            response_frames: frames::number_in(response.0, frame.0),
            constant_bps: (most_bps as f64 * constant_share.0).round() as u64,
            most_bps,
            begins_at_once: true,
        })
    }
}
