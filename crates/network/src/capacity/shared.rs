//! Capacity of a return link that many terminals share.

use longfat_foundation::config::{AnyRate, AtLeastOne};
use longfat_foundation::units::Rate;

use super::requests::{ByVolume, Terms};
use super::{Assignment, Demand};

longfat_foundation::choice! {
    /// How a terminal requests volume.
    pub enum VolumeRequests {
        /// Not at all.
        None = "none",
        /// By what is new, at any time; requests add up (volume based dynamic capacity).
        Vbdc = "vbdc",
        /// By all that waits, when what was requested before has been granted; a request replaces those before (absolute volume based dynamic
        /// capacity).
        AVbdc = "a-vbdc",
    }
}

longfat_foundation::model! {
    /// A part of a return link that this line, the terminal's, shares with others: see `return_links`. At the beginning of each frame the terminal
    /// requests what waits at its port and is not covered yet, and the scheduler of the network control centre decides on the requests of all
    /// terminals at once.
    #[name = "shared"]
    #[source = "ETSI EN 301 545-2 (DVB-RCS2) section 7.2.6.3: capacity categories"]
    pub struct Shared: dyn Assignment {
        /// The name of the return link, one of `return_links`.
        link: String,
        /// Constant rate assignment: in every frame, without a request.
        cra: AnyRate = "0 bit/s",
        /// Rate based dynamic capacity: the largest rate that is granted on request, beside the constant one. The rate requested is what carries
        /// the backlog in `rbdc_frames` frames.
        rbdc_max: AnyRate = "0 bit/s",
        /// Number of frames in which a requested rate is to carry what waits.
        rbdc_frames: AtLeastOne = "1" or ["8"],
        /// Number of frames for which a requested rate is granted unless the terminal requests again: the time-out, 1 to 255 superframes in
        /// EN 301 545-2. A terminal says its rate again before.
        rbdc_timeout_frames: AtLeastOne = "2" or ["15"],
        /// Requests for the volume that the rates do not carry.
        volume: VolumeRequests = "vbdc" or ["a-vbdc"],
        /// The largest rate at which requested volume is granted, over a frame; no terminal has more than its line.
        vbdc_max: Rate = "100 Gbit/s",
        /// Whether the terminal gets a part of what nobody has requested, if the link gives that away (free capacity assignment).
        fca: bool = "true",
        /// Weight of the terminal, for schedulers that divide by weight.
        weight: AtLeastOne = "1",
        /// Class of the terminal, for schedulers that serve class 1 first.
        class: AtLeastOne = "1",
    }
    build(config, _context) { Box::new(config.clone()) }
}

/// A terminal that shares a return link.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Name of the link.
    pub link: String,
    /// Rate in bits per second that it has without a request.
    pub constant_bps: u64,
    /// Limits and ways of its requests.
    pub terms: Terms,
    /// Weight.
    pub weight: u64,
    /// Class.
    pub class: u64,
    /// Whether it gets free capacity.
    pub takes_free: bool,
}

impl Assignment for Shared {
    fn demand(&self) -> Option<Demand> {
        None
    }

    fn terminal(&self) -> Option<Terminal> {
        let by_volume = match self.volume {
            VolumeRequests::None => ByVolume::Never,
            VolumeRequests::Vbdc => ByVolume::Adding,
            VolumeRequests::AVbdc => ByVolume::Replacing,
        };
        Some(Terminal {
            link: self.link.clone(),
            constant_bps: self.cra.0,
            terms: Terms {
                most_rate_bps: self.rbdc_max.0,
                rate_over_frames: self.rbdc_frames.0,
                rate_lasts_frames: self.rbdc_timeout_frames.0,
                by_volume,
                most_volume_bps: self.vbdc_max.0,
            },
            weight: self.weight.0,
            class: self.class.0,
            takes_free: self.fca,
        })
    }
}
