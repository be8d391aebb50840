//! Plug-ins for Simulate in Rust: blocks that are compiled to WebAssembly.
//!
//! A plug-in is a `cdylib` with a description in JSON, and a function for each thing that its blocks compute:
//!
//! ```ignore
//! simulate_plugin::plugin! { "description.json", outputs }
//!
//! fn outputs(block: usize, call: &mut Call) -> Outcome {
//!     let gain = call.param(0)[0];
//!     for i in 0..call.output(0).len() {
//!         call.output(0)[i] = gain * call.input(0)[i];
//!     }
//!     Ok(())
//! }
//! ```
//!
//! `block` is the number of the block in the description, from 0. The functions are pure: they compute their results
//! from the call alone and keep no values between calls. What must last is a state. `README.md`, two folders above,
//! describes the rest.

/// What a function returns: nothing, or a sentence why there is no result. The run then ends and shows it.
pub type Outcome = Result<(), &'static str>;

/// The elements of a vector; a scalar has one.
#[repr(C)]
struct Signal {
    at: *mut f64,
    width: u32,
}

/// A call: what a function reads, and where its results go. All signals are in the order of the description, from 0.
///
/// The methods panic if there is no signal of that number; the run then ends.
#[repr(C)]
pub struct Call {
    /// The time in seconds; 0 if the description does not say `"time": true`. In a block with a sample time it is that
    /// of the sample.
    pub time: f64,
    /// The step size or the sample time in seconds.
    pub delta: f64,
    /// The number of the step or the sample from 0; 0 if the description does not say `"time": true`.
    pub step: f64,
    input: *const Signal,
    param: *const Signal,
    state: *const Signal,
    output: *const Signal,
    next: *const Signal,
    rate: *const Signal,
    inputs: u32,
    params: u32,
    states: u32,
    outputs: u32,
}

impl Call {
    /// Returns the elements of an input.
    pub fn input(&self, index: usize) -> &[f64] {
        self.read(self.input, self.inputs, index)
    }

    /// Returns the values of a parameter: a choice is its number from 0, a flag is 0 or 1.
    pub fn param(&self, index: usize) -> &[f64] {
        self.read(self.param, self.params, index)
    }

    /// Returns the elements of a state.
    pub fn state(&self, index: usize) -> &[f64] {
        self.read(self.state, self.states, index)
    }

    /// Returns the elements of an output, which are not-a-number until they are set.
    pub fn output(&mut self, index: usize) -> &mut [f64] {
        self.write(self.output, self.outputs, index)
    }

    /// Returns the next values of a discrete state.
    pub fn next(&mut self, index: usize) -> &mut [f64] {
        self.write(self.next, self.states, index)
    }

    /// Returns the rates of change of a continuous state, per second.
    pub fn rate(&mut self, index: usize) -> &mut [f64] {
        self.write(self.rate, self.states, index)
    }

    fn read(&self, table: *const Signal, count: u32, index: usize) -> &[f64] {
        assert!(index < count as usize, "there is no signal of this number");
        // SAFETY: the program gives tables of these lengths, whose vectors have these widths and do not overlap with
        // the results.
        unsafe {
            let signal = &*table.add(index);
            std::slice::from_raw_parts(signal.at, signal.width as usize)
        }
    }

    fn write(&mut self, table: *const Signal, count: u32, index: usize) -> &mut [f64] {
        assert!(index < count as usize, "there is no signal of this number");
        // SAFETY: as in `read`; a call is borrowed while its results are.
        unsafe {
            let signal = &*table.add(index);
            std::slice::from_raw_parts_mut(signal.at, signal.width as usize)
        }
    }
}

/// Exports the functions of a plug-in, `outputs` and if they are needed `update` and `derivatives`, and its description,
/// whose path is relative to the source file.
#[macro_export]
macro_rules! plugin {
    ($description:literal, $outputs:path $(, update: $update:path)? $(, derivatives: $derivatives:path)? $(,)?) => {
        const _: () = {
            const BYTES: &[u8] = include_bytes!($description);
            #[cfg(target_arch = "wasm32")]
            #[link_section = "simulate"]
            #[used]
            static DESCRIPTION: [u8; BYTES.len()] = *include_bytes!($description);

            #[no_mangle]
            extern "C" fn simulate_outputs(block: i32, call: &mut $crate::Call) -> i32 {
                $crate::code($outputs(block as usize, call))
            }
            $(#[no_mangle]
            extern "C" fn simulate_update(block: i32, call: &mut $crate::Call) -> i32 {
                $crate::code($update(block as usize, call))
            })?
            $(#[no_mangle]
            extern "C" fn simulate_derivatives(block: i32, call: &mut $crate::Call) -> i32 {
                $crate::code($derivatives(block as usize, call))
            })?
        };
    };
}

/// Converts an outcome to the number that the program reads. For [`plugin`] only.
#[doc(hidden)]
pub fn code(outcome: Outcome) -> i32 {
    match outcome {
        Ok(()) => 0,
        Err(reason) => {
            print(reason);
            1
        }
    }
}

/// Adds to the text that the user reads if the call fails; at most 1,024 bytes of a call are kept.
pub fn print(text: &str) {
    #[cfg(target_arch = "wasm32")]
    // SAFETY: the program reads the text within the call.
    unsafe {
        imports::print(text.as_ptr(), text.len() as u32);
    }
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("{text}");
}

#[cfg(target_arch = "wasm32")]
mod imports {
    #[link(wasm_import_module = "simulate")]
    extern "C" {
        pub fn print(text: *const u8, length: u32);
    }
}

/// The mathematics of the program, with the same bits as its own blocks. On another target than WebAssembly, as in unit
/// tests, it is that of the standard library.
pub mod math {
    macro_rules! functions {
        ($($(#[$doc:meta])* $name:ident($($arg:ident),+) = $std:expr;)*) => {
            #[cfg(target_arch = "wasm32")]
            mod imports {
                #[link(wasm_import_module = "simulate")]
                extern "C" {
                    $(pub fn $name($($arg: f64),+) -> f64;)*
                }
            }
            $($(#[$doc])*
            pub fn $name($($arg: f64),+) -> f64 {
                // SAFETY: the function computes a number from numbers.
                #[cfg(target_arch = "wasm32")]
                return unsafe { imports::$name($($arg),+) };
                #[cfg(not(target_arch = "wasm32"))]
                return $std;
            })*
        };
    }

    functions! {
        /// The sine of an angle in radians.
        sin(x) = x.sin();
        /// The cosine of an angle in radians.
        cos(x) = x.cos();
        /// The tangent of an angle in radians.
        tan(x) = x.tan();
        /// The angle in radians of which this is the sine.
        asin(x) = x.asin();
        /// The angle in radians of which this is the cosine.
        acos(x) = x.acos();
        /// The angle in radians of which this is the tangent.
        atan(x) = x.atan();
        /// The angle in radians of the point (x, y).
        atan2(y, x) = y.atan2(x);
        /// The hyperbolic sine.
        sinh(x) = x.sinh();
        /// The hyperbolic cosine.
        cosh(x) = x.cosh();
        /// The hyperbolic tangent.
        tanh(x) = x.tanh();
        /// e to the power of x.
        exp(x) = x.exp();
        /// The natural logarithm.
        ln(x) = x.ln();
        /// The logarithm to the base 10.
        log10(x) = x.log10();
        /// a to the power of b.
        pow(a, b) = a.powf(b);
    }
}
