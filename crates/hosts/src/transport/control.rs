//! External window laws, provided by name: the engine reads no files and calls no other languages.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use longfat_foundation::config::{Node, Numbers, Parameter, Reader, Shape, Value};
use serde_json::Value as Json;

use super::Window;
use super::law::{Classical, WindowLaw};

/// Factory of the window laws of an external congestion control.
pub trait Control: Send + Sync {
    /// Hash of the control's text, which identifies its version.
    fn digest(&self) -> &str;
    /// Creates the law of one connection from the parameters in the scenario.
    fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw>;
}

/// Registry of external controls: every version of each, and the latest by name.
#[derive(Clone, Default)]
pub struct Controls {
    versions: BTreeMap<(String, String), Arc<dyn Control>>,
    latest: BTreeMap<String, String>,
}

impl Controls {
    /// Adds a control; the bare name refers to the version added last.
    pub fn provide(&mut self, name: &str, control: Arc<dyn Control>) {
        let digest = control.digest().to_owned();
        self.latest.insert(name.to_owned(), digest.clone());
        self.versions.insert((name.to_owned(), digest), control);
    }

    /// Names, each with the digest of the latest version.
    pub fn latest(&self) -> impl Iterator<Item = (&str, &str)> {
        self.latest.iter().map(|(name, digest)| (name.as_str(), digest.as_str()))
    }

    /// Returns the version with `digest`, or the latest if there is no digest.
    fn find(&self, name: &str, digest: Option<&str>) -> Option<Arc<dyn Control>> {
        let digest = digest.or_else(|| self.latest.get(name).map(String::as_str))?;
        self.versions.get(&(name.to_owned(), digest.to_owned())).cloned()
    }
}

impl fmt::Debug for Controls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.latest()).finish()
    }
}

/// Name of the control that the engine has built in.
pub const CLASSICAL: &str = "classical";

/// Separates name and digest in a resolved scenario.
const AT: char = '@';

/// A control named by a scenario. The digest, once known, distinguishes runs of different versions.
#[derive(Clone)]
pub struct NamedControl {
    name: String,
    digest: Option<String>,
    provided: Option<Arc<dyn Control>>,
}

impl NamedControl {
    /// Name without the digest.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Digest of the version, if known.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref().or_else(|| self.provided.as_deref().map(Control::digest))
    }

    /// True if its law can be created.
    #[must_use]
    pub fn is_provided(&self) -> bool {
        self.provided.is_some() || self.name == CLASSICAL
    }

    /// Creates the law of one connection.
    ///
    /// # Panics
    /// If the control is not provided; check `Scenario::missing_controls` first.
    #[must_use]
    pub fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw> {
        match &self.provided {
            Some(control) => control.law(parameters),
            None if self.name == CLASSICAL => Box::new(Classical),
            None => panic!("the control \"{}\" is not provided", self.name),
        }
    }

    fn is_well_named(&self) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !self.name.is_empty() && self.name.chars().all(is_plain)
    }
}

impl fmt::Debug for NamedControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.resolved())
    }
}

impl Parameter for NamedControl {
    fn shape() -> Shape {
        Shape::Text
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected the name of a control, found {}", node.describe()));
            return None;
        };
        let (name, digest) = match text.split_once(AT) {
            Some((name, digest)) => (name, Some(digest.to_owned())),
            None => (text.as_str(), None),
        };
        let provided = reader.provision.of::<Controls>().and_then(|controls| controls.find(name, digest.as_deref()));
        let control = Self { name: name.to_owned(), digest, provided };
        if !control.is_well_named() {
            reader.reject(node, "expected the name of a control: letters, digits, \"-\", \"_\" and \".\"");
            return None;
        }
        Some(control)
    }

    fn resolved(&self) -> Json {
        match self.digest() {
            Some(digest) => format!("{}{AT}{digest}", self.name).into(),
            None => self.name.as_str().into(),
        }
    }
}

/// Setters for controls, which validate their arguments.
impl Window {
    /// Sets the congestion window to `bytes`, at least one segment and at most the scenario's limit.
    ///
    /// # Errors
    /// If `bytes` is negative or not finite.
    pub fn ask_for_cwnd(&mut self, bytes: f64) -> Result<(), String> {
        if !(bytes.is_finite() && bytes >= 0.0) {
            return Err(format!("cwnd is a number of bytes, not {bytes}"));
        }
        self.set(bytes.max(self.mss()));
        Ok(())
    }

    /// Sets ssthresh to `bytes`, which may be infinite.
    ///
    /// # Errors
    /// If `bytes` is negative or not a number.
    pub fn ask_for_ssthresh(&mut self, bytes: f64) -> Result<(), String> {
        if bytes.is_nan() || bytes < 0.0 {
            return Err(format!("ssthresh is a number of bytes or infinite, not {bytes}"));
        }
        self.ssthresh = bytes;
        Ok(())
    }
}

/// Panic payload that ends the run of a failed control.
struct ControlFailed(String);

/// Ends the run with an error: the control `name` has failed for the reason `why`.
pub fn fail(name: &str, why: impl fmt::Display) -> ! {
    resume_unwind(Box::new(ControlFailed(format!("the congestion control \"{name}\" failed: {why}"))))
}

/// Runs `work`; converts a failure of a control, or a panic, into an error.
///
/// # Errors
/// The message of the failure.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<ControlFailed>() {
        Ok(failed) => failed.0,
        Err(panic) => format!("the engine panicked: {}", panic_text(&*panic)),
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
