#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| longfat_untrusted::orbit(bytes));
