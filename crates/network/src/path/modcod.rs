//! Modulation and coding schemes (MODCODs) of DVB-S2, with the noise that each tolerates.

use longfat_foundation::config::Decibels;

/// A modulation with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modcod {
    /// Threshold of Es/N0 in hundredths of a decibel, at a frame error rate of 1e-7.
    threshold: i64,
    /// Spectral efficiency in millionths of a bit per symbol.
    pub efficiency: u64,
}

const fn modcod(threshold: i64, efficiency: u64) -> Modcod {
    Modcod { threshold, efficiency }
}

/// ETSI EN 302 307-1 table 13: normal frames, no pilots, ideal demodulation.
pub const DVB_S2: [Modcod; 28] = [
    // QPSK: 1/4, 1/3, 2/5, 1/2, 3/5, 2/3, 3/4, 4/5, 5/6, 8/9, 9/10
    modcod(-235, 490_243),
    modcod(-124, 656_448),
    modcod(-30, 789_412),
    modcod(100, 988_858),
    modcod(223, 1_188_304),
    modcod(310, 1_322_253),
    modcod(403, 1_487_473),
    modcod(468, 1_587_196),
    modcod(518, 1_654_663),
    modcod(620, 1_766_451),
    modcod(642, 1_788_612),
    // 8PSK: 3/5, 2/3, 3/4, 5/6, 8/9, 9/10
    modcod(550, 1_779_991),
    modcod(662, 1_980_636),
    modcod(791, 2_228_124),
    modcod(935, 2_478_562),
    modcod(1069, 2_646_012),
    modcod(1098, 2_679_207),
    // 16APSK: 2/3, 3/4, 4/5, 5/6, 8/9, 9/10
    modcod(897, 2_637_201),
    modcod(1021, 2_966_728),
    modcod(1103, 3_165_623),
    modcod(1161, 3_300_184),
    modcod(1289, 3_523_143),
    modcod(1313, 3_567_342),
    // 32APSK: 3/4, 4/5, 5/6, 8/9, 9/10
    modcod(1273, 3_703_295),
    modcod(1364, 3_951_571),
    modcod(1428, 4_119_540),
    modcod(1569, 4_397_854),
    modcod(1605, 4_453_027),
];

impl Modcod {
    /// Attenuation that it withstands, given Es/N0 under a clear sky; `None` if it fails even then.
    #[must_use]
    pub fn stands(self, clear_sky: Decibels) -> Option<Decibels> {
        let above = i64::try_from(clear_sky.0).ok()?.saturating_sub(10 * self.threshold);
        u64::try_from(above).ok().map(Decibels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 13 follows from bits per symbol, code rate and frame length in tables 5a and 11 of the standard.
    #[test]
    fn efficiencies_follow_from_the_lengths_of_frames() {
        // 64800 coded bits in 90-bit slots of symbols and a header of 90: 8PSK 3/4 has 48408 bits with 80 of header in 21690 symbols.
        let of = |frame_bits: f64, bits_per_symbol: f64| (frame_bits - 80.0) / (64_800.0 / bits_per_symbol + 90.0);
        for (modcod, frame_bits, bits_per_symbol) in [
            (DVB_S2[0], 16_008.0, 2.0),
            (DVB_S2[6], 48_408.0, 2.0),
            (DVB_S2[13], 48_408.0, 3.0),
            (DVB_S2[19], 51_648.0, 4.0),
            (DVB_S2[27], 58_192.0, 5.0),
        ] {
            let efficiency = 1e6 * of(frame_bits, bits_per_symbol);
            assert!((modcod.efficiency as f64 - efficiency).abs() < 1.0, "{modcod:?}: {efficiency}");
        }
    }

    #[test]
    fn a_code_stands_what_is_left_above_its_threshold() {
        assert_eq!(DVB_S2[0].stands(Decibels(10_000)), Some(Decibels(12_350)));
        assert_eq!(DVB_S2[27].stands(Decibels(16_050)), Some(Decibels(0)));
        assert_eq!(DVB_S2[27].stands(Decibels(16_049)), None);
    }
}
