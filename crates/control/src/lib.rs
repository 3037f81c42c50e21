//! Congestion controls in shared libraries, with the C interface of `include/longfat_control.h`.
//!
//! Only this crate calls code of others. By exporting `longfat_control`, a library promises what the header requires; its return values are
//! validated.

mod interface;
mod law;

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use interface::{Methods, Parameter, VERSION};
use law::LibraryLaw;
use libloading::Library;
use longfat_engine::config::Numbers;
use longfat_engine::transport::control::{Control, fail};
use longfat_engine::transport::law::WindowLaw;

/// C header of the interface.
pub const HEADER: &str = include_str!("../include/longfat_control.h");

/// Entry function, which returns a library's methods.
const ENTRY: &[u8] = b"longfat_control\0";

/// A control in a library. The library is loaded before the first connection that it controls.
pub struct LibraryControl {
    name: String,
    digest: String,
    path: PathBuf,
    loaded: OnceLock<Result<Loaded, String>>,
}

/// A loaded library, which is unloaded with its last control.
struct Loaded {
    methods: Methods,
    code: Arc<Library>,
}

impl LibraryControl {
    /// Control called `name` in the library at `path`; `digest` is the hash of its file.
    #[must_use]
    pub fn at(name: &str, path: PathBuf, digest: String) -> Self {
        Self { name: name.to_owned(), digest, path, loaded: OnceLock::new() }
    }

    /// Loads the library, unless it is loaded.
    ///
    /// # Errors
    /// If it cannot be loaded, or does not meet the header's requirements.
    pub fn load(&self) -> Result<(), String> {
        self.loaded().map(drop)
    }

    fn loaded(&self) -> Result<&Loaded, String> {
        let load = || Loaded::from(&self.path).map_err(|problem| format!("{}: {problem}", self.path.display()));
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

impl Loaded {
    fn from(path: &Path) -> Result<Self, String> {
        // Without a folder in its name, a library would be searched for in those of the system.
        let whole = std::path::absolute(path).map_err(|error| error.to_string())?;
        // SAFETY: loading a library executes its initialization, as the user has requested.
        let library = unsafe { Library::new(&whole) }.map_err(|error| error.to_string())?;
        Ok(Self { methods: methods_of(&library)?, code: Arc::new(library) })
    }
}

fn methods_of(library: &Library) -> Result<Methods, String> {
    // SAFETY: the header declares the function so.
    let entry = unsafe { library.get::<unsafe extern "C" fn() -> *const Methods>(ENTRY) };
    let entry = entry.map_err(|_| "no function longfat_control; see longfat_control.h".to_owned())?;
    // SAFETY: the pointer is null or, as the header says, valid forever; the first field is the version in every version.
    let version = unsafe {
        let methods = entry();
        if methods.is_null() {
            return Err("longfat_control returns null".into());
        }
        let version = (*methods).version;
        if version == VERSION {
            return checked(*methods);
        }
        version
    };
    Err(format!("made for version {version} of longfat_control.h; this is version {VERSION}"))
}

/// Checks that the mandatory methods are present.
fn checked(methods: Methods) -> Result<Methods, String> {
    let needed = [
        ("create", methods.create.is_some()),
        ("destroy", methods.destroy.is_some()),
        ("on_acknowledgment", methods.on_acknowledgment.is_some()),
        ("on_loss", methods.on_loss.is_some()),
        ("on_timeout", methods.on_timeout.is_some()),
    ];
    match needed.iter().find(|(_, is_there)| !is_there) {
        Some((method, _)) => Err(format!("the control has no {method}")),
        None => Ok(methods),
    }
}

impl Control for LibraryControl {
    fn digest(&self) -> &str {
        &self.digest
    }

    fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw> {
        let numbers = parameters.0.iter();
        let named: Vec<_> =
            numbers.map(|(name, &value)| (CString::new(name.as_str()).unwrap_or_default(), value)).collect();
        let given: Vec<_> =
            named.iter().map(|(name, value)| Parameter { name: name.as_ptr(), value: *value }).collect();
        let loaded = self.loaded().unwrap_or_else(|problem| fail(&self.name, problem));
        let create = loaded.methods.create.expect("looked for when the library was loaded");
        // SAFETY: the parameters are valid until it returns.
        let state = unsafe { create(given.as_ptr(), given.len()) };
        if state.is_null() {
            fail(&self.name, "it rejects these parameters");
        }
        Box::new(LibraryLaw::new(self.name.clone(), loaded.methods, state, Arc::clone(&loaded.code)))
    }
}
