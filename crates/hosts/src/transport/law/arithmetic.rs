//! How a law computes: as its source defines it, or as the kernel's module does.

longfat_foundation::choice! {
    /// Arithmetic of a law.
    pub enum Arithmetic {
        /// Real numbers, as the source of the law defines it.
        Real = "real",
        /// As the module of the Linux kernel: whole segments, scaled integers, time in ticks of the kernel.
        Kernel = "linux",
    }
    absent Real
}
