//! Values that a document mentions by name and the caller provides, such as congestion controls.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// At most one value of any type; the parameters that use it know the type.
#[derive(Clone, Default)]
pub struct Provision(Option<Arc<dyn Any + Send + Sync>>);

impl Provision {
    /// Wraps `value`.
    pub fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Some(Arc::new(value)))
    }

    /// The value, if it has type `T`.
    #[must_use]
    pub fn of<T: Any>(&self) -> Option<&T> {
        self.0.as_deref().and_then(|value| value.downcast_ref())
    }
}

impl fmt::Debug for Provision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Provision(..)" } else { "Provision(none)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provision_gives_its_value_only_as_the_type_that_was_put_in() {
        let provision = Provision::new(7_u64);
        assert_eq!(provision.of::<u64>(), Some(&7));
        assert_eq!(provision.of::<u32>(), None);
        assert_eq!(Provision::default().of::<u64>(), None);
    }
}
