//! The functions of FMI 2.0.
#![expect(unsafe_code, reason = "the functions are those of a library")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use super::groups::{Truth, VariableGroup};
use super::library::{DISCARD, DiscardedStep, check, function, functions, load, logger_two};
use super::service::{EventUpdate, FmuInstance, text};
use crate::format::fmu::{FmuType, Simulated};
use crate::worker::message::Load;
use crate::worker::serve::ServiceError;

type Component = *mut c_void;
type SavedState = *mut c_void;

#[repr(C)]
struct Callbacks {
    logger: unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char),
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    step_finished: *const c_void,
    environment: *mut c_void,
}

#[repr(C)]
#[derive(Default)]
struct EventInfoTwo {
    needs_more: c_int,
    ends: c_int,
    nominals_changed: c_int,
    states_changed: c_int,
    has_next_time: c_int,
    next_time: f64,
}

functions!(CommonFunctionsTwo {
    instantiate: "fmi2Instantiate"(
        *const c_char, c_int, *const c_char, *const c_char, *const Callbacks, c_int, c_int,
    ) -> Component;
    free: "fmi2FreeInstance"(Component);
    setup: "fmi2SetupExperiment"(Component, c_int, f64, f64, c_int, f64) -> c_int;
    enter_initialization: "fmi2EnterInitializationMode"(Component) -> c_int;
    exit_initialization: "fmi2ExitInitializationMode"(Component) -> c_int;
    terminate: "fmi2Terminate"(Component) -> c_int;
    set_real: "fmi2SetReal"(Component, *const u32, usize, *const f64) -> c_int;
    set_integer: "fmi2SetInteger"(Component, *const u32, usize, *const i32) -> c_int;
    set_boolean: "fmi2SetBoolean"(Component, *const u32, usize, *const c_int) -> c_int;
    set_string: "fmi2SetString"(Component, *const u32, usize, *const *const c_char) -> c_int;
    get_real: "fmi2GetReal"(Component, *const u32, usize, *mut f64) -> c_int;
    get_integer: "fmi2GetInteger"(Component, *const u32, usize, *mut i32) -> c_int;
    get_boolean: "fmi2GetBoolean"(Component, *const u32, usize, *mut c_int) -> c_int;
});

functions!(StepFunctionsTwo {
    do_step: "fmi2DoStep"(Component, f64, f64, c_int) -> c_int;
});

// Functions that say more of a step; an FMU that never discards one may lack them.
functions!(StatusFunctionsTwo {
    real: "fmi2GetRealStatus"(Component, c_int, *mut f64) -> c_int;
    boolean: "fmi2GetBooleanStatus"(Component, c_int, *mut c_int) -> c_int;
});

/// The kinds of status: the time up to which a step was computed, and whether the FMU has ended the simulation.
const LAST_TIME: c_int = 2;
const TERMINATED: c_int = 3;

functions!(SaveFunctionsTwo {
    get: "fmi2GetFMUstate"(Component, *mut SavedState) -> c_int;
    set: "fmi2SetFMUstate"(Component, SavedState) -> c_int;
    free: "fmi2FreeFMUstate"(Component, *mut SavedState) -> c_int;
});

functions!(ExchangeFunctionsTwo {
    enter_event: "fmi2EnterEventMode"(Component) -> c_int;
    new_discrete: "fmi2NewDiscreteStates"(Component, *mut EventInfoTwo) -> c_int;
    enter_continuous: "fmi2EnterContinuousTimeMode"(Component) -> c_int;
    completed: "fmi2CompletedIntegratorStep"(Component, c_int, *mut c_int, *mut c_int) -> c_int;
    set_time: "fmi2SetTime"(Component, f64) -> c_int;
    set_states: "fmi2SetContinuousStates"(Component, *const f64, usize) -> c_int;
    get_derivatives: "fmi2GetDerivatives"(Component, *mut f64, usize) -> c_int;
    get_indicators: "fmi2GetEventIndicators"(Component, *mut f64, usize) -> c_int;
    get_states: "fmi2GetContinuousStates"(Component, *mut f64, usize) -> c_int;
});

/// An instance of FMI 2.0.
///
/// All its calls are sound as far as the FMU keeps to FMI: the component is the one that the library returned, buffers
/// are as long as the count that is given with them, and all is used by one thread. If the FMU does not, this process
/// ends or gives wrong numbers, which is what it is for.
pub struct FmuTwo {
    component: Component,
    common: CommonFunctionsTwo,
    stepping: Option<StepFunctionsTwo>,
    status: Option<StatusFunctionsTwo>,
    saving: Option<SaveFunctionsTwo>,
    exchange: Option<ExchangeFunctionsTwo>,
}

impl FmuTwo {
    /// Loads the library and instantiates the FMU.
    pub fn instantiate(of: &Load) -> Result<FmuTwo, ServiceError> {
        let library = load(Path::new(&of.library))?;
        let common = CommonFunctionsTwo::of(library)?;
        let (stepping, exchange, kind) = match of.simulated {
            Simulated::CoSimulation => (Some(StepFunctionsTwo::of(library)?), None, 1),
            Simulated::ModelExchange => (None, Some(ExchangeFunctionsTwo::of(library)?), 0),
        };
        let saving = if of.can_save { Some(SaveFunctionsTwo::of(library)?) } else { None };
        let (name, token) = (text(&of.name)?, text(&of.token)?);
        let resources = text(&format!("file://{}", escaped(&of.resources)))?;
        // The FMU may keep the address.
        let callbacks: &'static Callbacks = Box::leak(Box::new(Callbacks {
            logger: logger_two,
            allocate: libc::calloc,
            free: libc::free,
            step_finished: ptr::null(),
            environment: ptr::null_mut(),
        }));
        // SAFETY: see `FmuTwo`.
        let component =
            unsafe { (common.instantiate)(name.as_ptr(), kind, token.as_ptr(), resources.as_ptr(), callbacks, 0, 0) };
        if component.is_null() {
            check("fmi2Instantiate", 3)?;
        }
        let status = StatusFunctionsTwo::of(library).ok();
        Ok(FmuTwo { component, common, stepping, status, saving, exchange })
    }

    /// Returns the error of a step that the FMU has discarded.
    fn discarded(&self, time: f64, length: f64) -> ServiceError {
        let (mut last, mut ends): (f64, c_int) = (f64::NAN, 0);
        if let Some(status) = &self.status {
            // SAFETY: see `FmuTwo`. What is not known is left as it is.
            unsafe {
                (status.real)(self.component, LAST_TIME, &raw mut last);
                (status.boolean)(self.component, TERMINATED, &raw mut ends);
            }
        }
        let last = Some(last).filter(|last| !last.is_nan());
        DiscardedStep { function: "fmi2DoStep", time, length, last, ends: ends != 0 }.error()
    }

    fn exchange(&self) -> Result<&ExchangeFunctionsTwo, ServiceError> {
        self.exchange.as_ref().ok_or_else(|| ServiceError::new("the FMU is not used for model exchange"))
    }

    fn saving(&self) -> Result<&SaveFunctionsTwo, ServiceError> {
        self.saving.as_ref().ok_or_else(|| ServiceError::new("the FMU cannot save its state"))
    }
}

/// Writes a path as a part of a URI.
fn escaped(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

impl FmuInstance for FmuTwo {
    fn set(&mut self, group: &VariableGroup, values: &[f64]) -> Result<(), ServiceError> {
        let (references, count) = (group.references.as_ptr(), group.references.len());
        let (component, common) = (self.component, &self.common);
        match group.kind {
            FmuType::Float64 => {
                let values = group.gather::<f64>(values)?;
                // SAFETY: see `FmuTwo`.
                check("fmi2SetReal", unsafe { (common.set_real)(component, references, count, values.as_ptr()) })
            }
            FmuType::Int32 | FmuType::Enumeration => {
                let values = group.gather::<i32>(values)?;
                // SAFETY: see `FmuTwo`.
                check("fmi2SetInteger", unsafe { (common.set_integer)(component, references, count, values.as_ptr()) })
            }
            FmuType::Boolean => {
                let values: Vec<c_int> =
                    group.gather::<Truth>(values)?.iter().map(|value| c_int::from(value.0)).collect();
                // SAFETY: see `FmuTwo`.
                check("fmi2SetBoolean", unsafe { (common.set_boolean)(component, references, count, values.as_ptr()) })
            }
            _ => Err(ServiceError::new("a variable is of a type that FMI 2 does not have")),
        }
    }

    fn get(&mut self, group: &VariableGroup, all: &mut [f64]) -> Result<(), ServiceError> {
        let (references, count) = (group.references.as_ptr(), group.references.len());
        let (component, common) = (self.component, &self.common);
        match group.kind {
            FmuType::Float64 => {
                let mut values = group.room::<f64>();
                // SAFETY: see `FmuTwo`.
                let status = unsafe { (common.get_real)(component, references, count, values.as_mut_ptr()) };
                check("fmi2GetReal", status)?;
                group.scatter(&values, all);
            }
            FmuType::Int32 | FmuType::Enumeration => {
                let mut values = group.room::<i32>();
                // SAFETY: see `FmuTwo`.
                let status = unsafe { (common.get_integer)(component, references, count, values.as_mut_ptr()) };
                check("fmi2GetInteger", status)?;
                group.scatter(&values, all);
            }
            FmuType::Boolean => {
                let mut values = group.room::<c_int>();
                // SAFETY: see `FmuTwo`.
                let status = unsafe { (common.get_boolean)(component, references, count, values.as_mut_ptr()) };
                check("fmi2GetBoolean", status)?;
                group.scatter(&values.iter().map(|value| Truth(u8::from(*value != 0))).collect::<Vec<_>>(), all);
            }
            _ => return Err(ServiceError::new("a variable is of a type that FMI 2 does not have")),
        }
        Ok(())
    }

    fn set_text(&mut self, reference: u32, value: &str) -> Result<(), ServiceError> {
        let value: CString = text(value)?;
        let texts = [value.as_ptr()];
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.common.set_string)(self.component, &raw const reference, 1, texts.as_ptr()) };
        check("fmi2SetString", status)
    }

    fn enter_initialization(&mut self, time: f64) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi2SetupExperiment", unsafe { (self.common.setup)(self.component, 0, 0.0, time, 0, 0.0) })?;
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.common.enter_initialization)(self.component) };
        check("fmi2EnterInitializationMode", status)
    }

    fn exit_initialization(&mut self) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.common.exit_initialization)(self.component) };
        check("fmi2ExitInitializationMode", status)
    }

    fn do_step(&mut self, time: f64, length: f64) -> Result<(), ServiceError> {
        let stepping = self.stepping.as_ref();
        let stepping = stepping.ok_or_else(|| ServiceError::new("the FMU is not used for co-simulation"))?;
        // A saved state is restored at times before this one.
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (stepping.do_step)(self.component, time, length, 0) };
        if status == DISCARD { Err(self.discarded(time, length)) } else { check("fmi2DoStep", status) }
    }

    fn save(&mut self) -> Result<SavedState, ServiceError> {
        let mut state = ptr::null_mut();
        // SAFETY: see `FmuTwo`.
        check("fmi2GetFMUstate", unsafe { (self.saving()?.get)(self.component, &raw mut state) })?;
        Ok(state)
    }

    fn restore(&mut self, state: SavedState) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`; the state is one that `save` returned.
        check("fmi2SetFMUstate", unsafe { (self.saving()?.set)(self.component, state) })
    }

    fn forget(&mut self, mut state: SavedState) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`; the state is one that `save` returned, and is not used again.
        check("fmi2FreeFMUstate", unsafe { (self.saving()?.free)(self.component, &raw mut state) })
    }

    fn set_time(&mut self, time: f64) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi2SetTime", unsafe { (self.exchange()?.set_time)(self.component, time) })
    }

    fn set_states(&mut self, states: &[f64]) -> Result<(), ServiceError> {
        let set = self.exchange()?.set_states;
        // SAFETY: see `FmuTwo`.
        check("fmi2SetContinuousStates", unsafe { set(self.component, states.as_ptr(), states.len()) })
    }

    fn states(&mut self, out: &mut [f64]) -> Result<(), ServiceError> {
        let get = self.exchange()?.get_states;
        // SAFETY: see `FmuTwo`.
        check("fmi2GetContinuousStates", unsafe { get(self.component, out.as_mut_ptr(), out.len()) })
    }

    fn derivatives(&mut self, out: &mut [f64]) -> Result<(), ServiceError> {
        let get = self.exchange()?.get_derivatives;
        // SAFETY: see `FmuTwo`.
        check("fmi2GetDerivatives", unsafe { get(self.component, out.as_mut_ptr(), out.len()) })
    }

    fn indicators(&mut self, out: &mut [f64]) -> Result<(), ServiceError> {
        let get = self.exchange()?.get_indicators;
        // SAFETY: see `FmuTwo`.
        check("fmi2GetEventIndicators", unsafe { get(self.component, out.as_mut_ptr(), out.len()) })
    }

    fn enter_event_mode(&mut self) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi2EnterEventMode", unsafe { (self.exchange()?.enter_event)(self.component) })
    }

    fn update_discrete(&mut self) -> Result<EventUpdate, ServiceError> {
        let mut info = EventInfoTwo::default();
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.exchange()?.new_discrete)(self.component, &raw mut info) };
        check("fmi2NewDiscreteStates", status)?;
        Ok(EventUpdate {
            needs_more: info.needs_more != 0,
            ends: info.ends != 0,
            next_time: (info.has_next_time != 0).then_some(info.next_time),
        })
    }

    fn enter_continuous_mode(&mut self) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi2EnterContinuousTimeMode", unsafe { (self.exchange()?.enter_continuous)(self.component) })
    }

    fn complete_step(&mut self) -> Result<bool, ServiceError> {
        let (mut enters, mut ends): (c_int, c_int) = (0, 0);
        // SAFETY: see `FmuTwo`. The state before this step may be restored.
        let status = unsafe { (self.exchange()?.completed)(self.component, 0, &raw mut enters, &raw mut ends) };
        check("fmi2CompletedIntegratorStep", status)?;
        if ends != 0 { Err(ServiceError::new("the FMU ended the simulation")) } else { Ok(enters != 0) }
    }

    fn end(&mut self) {
        // SAFETY: see `FmuTwo`; the component is not used again.
        unsafe {
            (self.common.terminate)(self.component);
            (self.common.free)(self.component);
        }
    }
}
