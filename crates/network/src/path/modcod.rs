//! Modulation and coding schemes (MODCODs) of DVB-S2 and DVB-S2X, with the noise that each tolerates.

use longfat_foundation::config::Decibels;

/// A modulation with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modcod {
    /// Modulation and code rate, as the standard writes them.
    pub name: &'static str,
    /// Threshold of Es/N0 in hundredths of a decibel: ideal demodulation in white noise.
    pub threshold: i64,
    /// Spectral efficiency in millionths of a bit per symbol.
    pub efficiency: u64,
}

const fn modcod(name: &'static str, threshold: i64, efficiency: u64) -> Modcod {
    Modcod { name, threshold, efficiency }
}

longfat_foundation::choice! {
    /// The codes among which adaptive coding and modulation chooses.
    pub enum Codes {
        /// Those of DVB-S2.
        DvbS2 = "dvb-s2",
        /// Those of DVB-S2 and those that DVB-S2X adds, up to 256APSK.
        DvbS2x = "dvb-s2x",
    }
}

impl Codes {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::DvbS2, Self::DvbS2x];

    /// The codes, each once, those of one modulation together.
    pub fn all(self) -> impl Iterator<Item = Modcod> {
        let more: &[Modcod] = match self {
            Self::DvbS2 => &[],
            Self::DvbS2x => &DVB_S2X,
        };
        DVB_S2.iter().chain(more).copied()
    }
}

/// ETSI EN 302 307-1 table 13: normal frames, no pilots, a frame error rate of 1e-7.
const DVB_S2: [Modcod; 28] = [
    modcod("QPSK 1/4", -235, 490_243),
    modcod("QPSK 1/3", -124, 656_448),
    modcod("QPSK 2/5", -30, 789_412),
    modcod("QPSK 1/2", 100, 988_858),
    modcod("QPSK 3/5", 223, 1_188_304),
    modcod("QPSK 2/3", 310, 1_322_253),
    modcod("QPSK 3/4", 403, 1_487_473),
    modcod("QPSK 4/5", 468, 1_587_196),
    modcod("QPSK 5/6", 518, 1_654_663),
    modcod("QPSK 8/9", 620, 1_766_451),
    modcod("QPSK 9/10", 642, 1_788_612),
    modcod("8PSK 3/5", 550, 1_779_991),
    modcod("8PSK 2/3", 662, 1_980_636),
    modcod("8PSK 3/4", 791, 2_228_124),
    modcod("8PSK 5/6", 935, 2_478_562),
    modcod("8PSK 8/9", 1069, 2_646_012),
    modcod("8PSK 9/10", 1098, 2_679_207),
    modcod("16APSK 2/3", 897, 2_637_201),
    modcod("16APSK 3/4", 1021, 2_966_728),
    modcod("16APSK 4/5", 1103, 3_165_623),
    modcod("16APSK 5/6", 1161, 3_300_184),
    modcod("16APSK 8/9", 1289, 3_523_143),
    modcod("16APSK 9/10", 1313, 3_567_342),
    modcod("32APSK 3/4", 1273, 3_703_295),
    modcod("32APSK 4/5", 1364, 3_951_571),
    modcod("32APSK 5/6", 1428, 4_119_540),
    modcod("32APSK 8/9", 1569, 4_397_854),
    modcod("32APSK 9/10", 1605, 4_453_027),
];

/// ETSI EN 302 307-2 table 20a: normal frames, no pilots, a frame error rate of 1e-5, white noise. Modes for very low Es/N0 are left out:
/// their frames have headers of their own.
const DVB_S2X: [Modcod; 38] = [
    modcod("QPSK 13/45", -203, 567_805),
    modcod("QPSK 9/20", 22, 889_135),
    modcod("QPSK 11/20", 145, 1_088_581),
    modcod("8APSK 5/9-L", 473, 1_647_211),
    modcod("8APSK 26/45-L", 513, 1_713_601),
    modcod("8PSK 23/36", 612, 1_896_173),
    modcod("8PSK 25/36", 702, 2_062_148),
    modcod("8PSK 13/18", 749, 2_145_136),
    modcod("16APSK 1/2-L", 597, 1_972_253),
    modcod("16APSK 8/15-L", 655, 2_104_850),
    modcod("16APSK 5/9-L", 684, 2_193_247),
    modcod("16APSK 26/45", 751, 2_281_645),
    modcod("16APSK 3/5", 780, 2_370_043),
    modcod("16APSK 3/5-L", 741, 2_370_043),
    modcod("16APSK 28/45", 810, 2_458_441),
    modcod("16APSK 23/36", 838, 2_524_739),
    modcod("16APSK 2/3-L", 843, 2_635_236),
    modcod("16APSK 25/36", 927, 2_745_734),
    modcod("16APSK 13/18", 971, 2_856_231),
    modcod("16APSK 7/9", 1065, 3_077_225),
    modcod("16APSK 77/90", 1199, 3_386_618),
    modcod("32APSK 2/3-L", 1110, 3_291_954),
    modcod("32APSK 32/45", 1175, 3_510_192),
    modcod("32APSK 11/15", 1217, 3_620_536),
    modcod("32APSK 7/9", 1305, 3_841_226),
    modcod("64APSK 32/45-L", 1398, 4_206_428),
    modcod("64APSK 11/15", 1481, 4_338_659),
    modcod("64APSK 7/9", 1547, 4_603_122),
    modcod("64APSK 4/5", 1587, 4_735_354),
    modcod("64APSK 5/6", 1655, 4_936_639),
    modcod("128APSK 3/4", 1773, 5_163_248),
    modcod("128APSK 7/9", 1853, 5_355_556),
    modcod("256APSK 29/45-L", 1698, 5_065_690),
    modcod("256APSK 2/3-L", 1724, 5_241_514),
    modcod("256APSK 31/45-L", 1810, 5_417_338),
    modcod("256APSK 32/45", 1859, 5_593_162),
    modcod("256APSK 11/15-L", 1884, 5_768_987),
    modcod("256APSK 3/4", 1957, 5_900_855),
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

    fn named(name: &str) -> Modcod {
        Codes::DvbS2x.all().find(|code| code.name == name).expect("it is in a table")
    }

    /// Both tables follow from the lengths of a frame: 64800 coded bits, in which the outer code takes 16 for each error that it corrects and
    /// the frame's header 80; symbols in slots of 90, after a header of 90.
    #[test]
    fn efficiencies_follow_from_the_lengths_of_frames() {
        for code in Codes::DvbS2x.all() {
            let (modulation, rate) = code.name.split_once(' ').expect("modulation and rate");
            let (above, below) = rate.trim_end_matches("-L").split_once('/').expect("a fraction");
            let [above, below]: [f64; 2] = [above, below].map(|number| number.parse().expect("a number"));
            let bits_per_symbol = match modulation {
                "QPSK" => 2.0,
                "8PSK" | "8APSK" => 3.0,
                "16APSK" => 4.0,
                "32APSK" => 5.0,
                "64APSK" => 6.0,
                "128APSK" => 7.0,
                "256APSK" => 8.0,
                other => panic!("{other}"),
            };
            let corrected_errors = match (modulation, rate) {
                (_, "8/9" | "9/10") => 8.0,
                (_, "2/3" | "5/6") | ("32APSK", "2/3-L") => 10.0,
                _ => 12.0,
            };
            let bits = 64_800.0 * above / below - 16.0 * corrected_errors - 80.0;
            let symbols = 90.0 * (64_800.0_f64 / bits_per_symbol / 90.0).ceil() + 90.0;
            let efficiency = 1e6 * bits / symbols;
            assert!((code.efficiency as f64 - efficiency).abs() < 1.0, "{code:?}: {efficiency}");
        }
    }

    #[test]
    fn no_code_needs_less_than_shannons_bound_and_each_is_there_once() {
        let all: Vec<_> = Codes::DvbS2x.all().collect();
        assert_eq!((Codes::DvbS2.all().count(), all.len()), (28, 66));
        for (place, code) in all.iter().enumerate() {
            let shannon = 10.0 * (2.0_f64.powf(code.efficiency as f64 / 1e6) - 1.0).log10();
            let distance = code.threshold as f64 / 100.0 - shannon;
            assert!((0.3..3.8).contains(&distance), "{code:?} is {distance:.2} dB from Shannon's bound");
            assert!(all[..place].iter().all(|other| other.name != code.name), "{code:?}");
        }
    }

    #[test]
    fn a_code_stands_what_is_left_above_its_threshold() {
        assert_eq!(named("QPSK 1/4").stands(Decibels(10_000)), Some(Decibels(12_350)));
        assert_eq!(named("32APSK 9/10").stands(Decibels(16_050)), Some(Decibels(0)));
        assert_eq!(named("32APSK 9/10").stands(Decibels(16_049)), None);
    }
}
