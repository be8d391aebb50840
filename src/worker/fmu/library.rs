//! Loads the library of an FMU and finds its functions.
#![expect(unsafe_code, reason = "functions of a library are found by name, and call back with texts")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use crate::worker::serve::ServiceError;

/// Loads a library, which stays loaded until the process ends.
pub fn load(path: &Path) -> Result<&'static Library, ServiceError> {
    // SAFETY: the library's initialization may do anything at all. That is why it runs in a process of its own, which
    // has nothing to lose: no data but its own, and no thread that depends on it.
    let library = unsafe { open(path) };
    let library = library.map_err(|error| ServiceError::new(format!("the FMU's library cannot be loaded: {error}")))?;
    Ok(Box::leak(Box::new(library)))
}

unsafe fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix;
    // Missing functions are found now, not in the middle of a run, and names stay within the library.
    // SAFETY: see the caller.
    unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }.map(Library::from)
}

/// Finds a function.
///
/// # Safety
/// `T` is the type of a pointer to a function as FMI defines the one of this name.
pub unsafe fn function<T: Copy>(library: &'static Library, name: &str) -> Result<T, ServiceError> {
    let missing = |_| ServiceError::new(format!("the FMU's library has no function {name}"));
    // SAFETY: the caller vouches for the type; the library is never unloaded.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(missing)
}

/// Declares a table of functions of a library, by their names in FMI.
macro_rules! functions {
    ($name:ident { $($field:ident: $symbol:literal ($($argument:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        struct $name {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $name {
            fn of(library: &'static Library) -> Result<$name, ServiceError> {
                Ok($name {
                    // SAFETY: the types are those of the headers of FMI.
                    $($field: unsafe { function(library, $symbol) }?,)*
                })
            }
        }
    };
}
pub(super) use functions;

/// The last message of the FMU that was no mere information.
static LAST_MESSAGE: Mutex<String> = Mutex::new(String::new());
const MAX_MESSAGE: usize = 1000;
/// The states of FMI from which on a message is kept: warnings are not.
pub const DISCARD: c_int = 2;

fn keep_message(status: c_int, message: *const c_char) {
    if status < DISCARD || message.is_null() {
        return;
    }
    // SAFETY: FMI says that it is a text that ends with 0. An FMU that lies ends this process, and no other.
    let text = unsafe { CStr::from_ptr(message) };
    let mut text = text.to_string_lossy().into_owned();
    let end = (0..=MAX_MESSAGE.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    *LAST_MESSAGE.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// The logger of FMI 2. The arguments of the format are not read, since Rust cannot define variadic functions. On the
/// platforms of FMI the named arguments arrive in the same places.
pub unsafe extern "C" fn logger_two(
    _environment: *mut c_void,
    _instance: *const c_char,
    status: c_int,
    _category: *const c_char,
    message: *const c_char,
) {
    keep_message(status, message);
}

/// The logger of FMI 3.
pub unsafe extern "C" fn logger_three(
    _environment: *mut c_void,
    status: c_int,
    _category: *const c_char,
    message: *const c_char,
) {
    keep_message(status, message);
}

/// Returns the error of a call that returned this status, if it is one.
pub fn check(function: &str, status: c_int) -> Result<(), ServiceError> {
    let name = match status {
        0 | 1 => return Ok(()),
        2 => "Discard",
        3 => "Error",
        4 => "Fatal",
        5 => "Pending: it goes on in the background, which Simulate does not support",
        _ => "an unknown status",
    };
    Err(ServiceError::new(format!("the FMU's function {function} returned {name}{}", last_message())))
}

/// Returns the last message of the FMU, as the end of a sentence.
fn last_message() -> String {
    let message = std::mem::take(&mut *LAST_MESSAGE.lock().unwrap_or_else(PoisonError::into_inner));
    if message.is_empty() { String::new() } else { format!("; it says: {}", message.trim()) }
}

/// A step in co-simulation that an FMU has not computed to its end.
pub struct DiscardedStep {
    pub function: &'static str,
    /// In seconds.
    pub time: f64,
    pub length: f64,
    /// The time in seconds up to which it was computed, where the FMU says it.
    pub last: Option<f64>,
    /// Whether the FMU has ended the simulation.
    pub ends: bool,
}

impl DiscardedStep {
    /// Returns the error of a step for which the FMU returned Discard.
    pub fn error(&self) -> ServiceError {
        self.error_with("returned Discard")
    }

    /// Returns the error of a step from which the FMU returned early, which it must not.
    pub fn early(&self) -> ServiceError {
        self.error_with("returned early, which it is not allowed to")
    }

    fn error_with(&self, what: &str) -> ServiceError {
        let DiscardedStep { function, time, length, last, ends } = self;
        let says = last_message();
        // Some say that they have come to the end.
        let up_to = last.filter(|last| last >= time && *last < time + length * (1.0 - 1e-9));
        if *ends {
            let at = up_to.map(|last| format!(" at {last} s")).unwrap_or_default();
            return ServiceError::new(format!("the FMU ended the simulation{at}, in the step from {time} s{says}"));
        }
        let up_to = up_to.map(|last| format!(", but only up to {last} s")).unwrap_or_default();
        ServiceError::new(format!(
            "the FMU's function {function} {what}: it did not compute the step of {length} s from {time} s to its \
             end{up_to}; set a shorter Step Size of the block, or a shorter step of the simulation{says}"
        ))
    }
}
