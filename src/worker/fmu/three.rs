//! The functions of FMI 3.0.
#![expect(unsafe_code, reason = "the functions are those of a library")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use super::groups::{Truth, VariableElement, VariableGroup};
use super::library::{DISCARD, DiscardedStep, check, function, functions, load, logger_three};
use super::service::{EventUpdate, FmuInstance, text};
use crate::format::fmu::{FmuType, Simulated};
use crate::worker::message::Load;
use crate::worker::serve::ServiceError;

type Component = *mut c_void;
type SavedState = *mut c_void;
type Logger = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
/// `fmi3SetFloat64` and its kin: references and their number, values and their number.
type Set<T> = unsafe extern "C" fn(Component, *const u32, usize, *const T, usize) -> c_int;
type Get<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T, usize) -> c_int;

functions!(CommonFunctionsThree {
    free: "fmi3FreeInstance"(Component);
    enter_initialization: "fmi3EnterInitializationMode"(Component, bool, f64, f64, bool, f64) -> c_int;
    exit_initialization: "fmi3ExitInitializationMode"(Component) -> c_int;
    terminate: "fmi3Terminate"(Component) -> c_int;
    set_string: "fmi3SetString"(Component, *const u32, usize, *const *const c_char, usize) -> c_int;
});

functions!(StepFunctionsThree {
    instantiate: "fmi3InstantiateCoSimulation"(
        *const c_char, *const c_char, *const c_char, bool, bool, bool, bool, *const u32, usize, *mut c_void, Logger,
        *const c_void,
    ) -> Component;
    do_step: "fmi3DoStep"(Component, f64, f64, bool, *mut Truth, *mut Truth, *mut Truth, *mut f64) -> c_int;
});

functions!(SaveFunctionsThree {
    get: "fmi3GetFMUState"(Component, *mut SavedState) -> c_int;
    set: "fmi3SetFMUState"(Component, SavedState) -> c_int;
    free: "fmi3FreeFMUState"(Component, *mut SavedState) -> c_int;
});

functions!(ExchangeFunctionsThree {
    instantiate: "fmi3InstantiateModelExchange"(
        *const c_char, *const c_char, *const c_char, bool, bool, *mut c_void, Logger,
    ) -> Component;
    enter_event: "fmi3EnterEventMode"(Component) -> c_int;
    update_discrete: "fmi3UpdateDiscreteStates"(
        Component, *mut Truth, *mut Truth, *mut Truth, *mut Truth, *mut Truth, *mut f64,
    ) -> c_int;
    enter_continuous: "fmi3EnterContinuousTimeMode"(Component) -> c_int;
    completed: "fmi3CompletedIntegratorStep"(Component, bool, *mut Truth, *mut Truth) -> c_int;
    set_time: "fmi3SetTime"(Component, f64) -> c_int;
    set_states: "fmi3SetContinuousStates"(Component, *const f64, usize) -> c_int;
    get_derivatives: "fmi3GetContinuousStateDerivatives"(Component, *mut f64, usize) -> c_int;
    get_indicators: "fmi3GetEventIndicators"(Component, *mut f64, usize) -> c_int;
    get_states: "fmi3GetContinuousStates"(Component, *mut f64, usize) -> c_int;
});

/// An instance of FMI 3.0; the notes on `FmuTwo` apply here too. A Boolean of the FMU is a `Truth`.
pub struct FmuThree {
    component: Component,
    library: &'static Library,
    common: CommonFunctionsThree,
    stepping: Option<StepFunctionsThree>,
    saving: Option<SaveFunctionsThree>,
    exchange: Option<ExchangeFunctionsThree>,
}

impl FmuThree {
    /// Loads the library and instantiates the FMU.
    pub fn instantiate(of: &Load) -> Result<FmuThree, ServiceError> {
        let library = load(Path::new(&of.library))?;
        let common = CommonFunctionsThree::of(library)?;
        let (stepping, exchange) = match of.simulated {
            Simulated::CoSimulation => (Some(StepFunctionsThree::of(library)?), None),
            Simulated::ModelExchange => (None, Some(ExchangeFunctionsThree::of(library)?)),
        };
        let saving = if of.can_save { Some(SaveFunctionsThree::of(library)?) } else { None };
        let (name, token) = (text(&of.name)?, text(&of.token)?);
        let resources = text(&format!("{}/", of.resources))?;
        let [about, key, place] = [name.as_ptr(), token.as_ptr(), resources.as_ptr()];
        let nothing = ptr::null_mut();
        let (component, called) = match (&stepping, &exchange) {
            (Some(stepping), _) => {
                let make = stepping.instantiate;
                // No event mode, no early return, no intermediate updates.
                // SAFETY: see `FmuTwo`.
                let component = unsafe {
                    make(
                        about,
                        key,
                        place,
                        false,
                        false,
                        false,
                        false,
                        ptr::null(),
                        0,
                        nothing,
                        logger_three,
                        ptr::null(),
                    )
                };
                (component, "fmi3InstantiateCoSimulation")
            }
            (None, Some(exchange)) => {
                let make = exchange.instantiate;
                // SAFETY: see `FmuTwo`.
                let component = unsafe { make(about, key, place, false, false, nothing, logger_three) };
                (component, "fmi3InstantiateModelExchange")
            }
            (None, None) => (ptr::null_mut(), "fmi3Instantiate"),
        };
        if component.is_null() {
            check(called, 3)?;
        }
        Ok(FmuThree { component, library, common, stepping, saving, exchange })
    }

    fn exchange(&self) -> Result<&ExchangeFunctionsThree, ServiceError> {
        self.exchange.as_ref().ok_or_else(|| ServiceError::new("the FMU is not used for model exchange"))
    }

    fn saving(&self) -> Result<&SaveFunctionsThree, ServiceError> {
        self.saving.as_ref().ok_or_else(|| ServiceError::new("the FMU cannot save its state"))
    }

    fn set_as<T: VariableElement>(&self, name: &str, group: &VariableGroup, all: &[f64]) -> Result<(), ServiceError> {
        let name = format!("fmi3Set{name}");
        let values = group.gather::<T>(all)?;
        // SAFETY: the type is that of the headers of FMI: the caller names the function of the type `T`.
        let set: Set<T> = unsafe { function(self.library, &name) }?;
        let (references, count) = (group.references.as_ptr(), group.references.len());
        // SAFETY: see `FmuTwo`.
        check(&name, unsafe { set(self.component, references, count, values.as_ptr(), values.len()) })
    }

    fn get_as<T: VariableElement>(
        &self,
        name: &str,
        group: &VariableGroup,
        all: &mut [f64],
    ) -> Result<(), ServiceError> {
        let name = format!("fmi3Get{name}");
        let mut values = group.room::<T>();
        // SAFETY: as in `set_as`.
        let get: Get<T> = unsafe { function(self.library, &name) }?;
        let (references, count) = (group.references.as_ptr(), group.references.len());
        // SAFETY: see `FmuTwo`.
        check(&name, unsafe { get(self.component, references, count, values.as_mut_ptr(), values.len()) })?;
        group.scatter(&values, all);
        Ok(())
    }
}

/// Calls a method for the Rust type of a variable's type, with the end of the function's name.
macro_rules! of_type {
    ($self:ident . $method:ident ( $group:expr, $all:expr )) => {
        match $group.kind {
            FmuType::Float64 => $self.$method::<f64>("Float64", $group, $all),
            FmuType::Float32 => $self.$method::<f32>("Float32", $group, $all),
            FmuType::Int8 => $self.$method::<i8>("Int8", $group, $all),
            FmuType::UInt8 => $self.$method::<u8>("UInt8", $group, $all),
            FmuType::Int16 => $self.$method::<i16>("Int16", $group, $all),
            FmuType::UInt16 => $self.$method::<u16>("UInt16", $group, $all),
            FmuType::Int32 => $self.$method::<i32>("Int32", $group, $all),
            FmuType::UInt32 => $self.$method::<u32>("UInt32", $group, $all),
            FmuType::Int64 | FmuType::Enumeration => $self.$method::<i64>("Int64", $group, $all),
            FmuType::UInt64 => $self.$method::<u64>("UInt64", $group, $all),
            FmuType::Boolean => $self.$method::<Truth>("Boolean", $group, $all),
            FmuType::String | FmuType::Binary | FmuType::Clock => {
                Err(ServiceError::new("a variable that is no number has no value in a signal"))
            }
        }
    };
}

impl FmuInstance for FmuThree {
    fn set(&mut self, group: &VariableGroup, values: &[f64]) -> Result<(), ServiceError> {
        of_type!(self.set_as(group, values))
    }

    fn get(&mut self, group: &VariableGroup, all: &mut [f64]) -> Result<(), ServiceError> {
        of_type!(self.get_as(group, all))
    }

    fn set_text(&mut self, reference: u32, value: &str) -> Result<(), ServiceError> {
        let value: CString = text(value)?;
        let texts = [value.as_ptr()];
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.common.set_string)(self.component, &raw const reference, 1, texts.as_ptr(), 1) };
        check("fmi3SetString", status)
    }

    fn enter_initialization(&mut self, time: f64) -> Result<(), ServiceError> {
        let enter = self.common.enter_initialization;
        // SAFETY: see `FmuTwo`.
        check("fmi3EnterInitializationMode", unsafe { enter(self.component, false, 0.0, time, false, 0.0) })
    }

    fn exit_initialization(&mut self) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.common.exit_initialization)(self.component) };
        check("fmi3ExitInitializationMode", status)
    }

    fn do_step(&mut self, time: f64, length: f64) -> Result<(), ServiceError> {
        let stepping = self.stepping.as_ref();
        let stepping = stepping.ok_or_else(|| ServiceError::new("the FMU is not used for co-simulation"))?;
        let [mut needs_event, mut ends, mut is_early] = [Truth::default(); 3];
        let mut last = time;
        // SAFETY: see `FmuTwo`.
        let status = unsafe {
            (stepping.do_step)(
                self.component,
                time,
                length,
                false,
                &raw mut needs_event,
                &raw mut ends,
                &raw mut is_early,
                &raw mut last,
            )
        };
        let step = DiscardedStep { function: "fmi3DoStep", time, length, last: Some(last), ends: ends.is_true() };
        if status == DISCARD {
            return Err(step.error());
        }
        check("fmi3DoStep", status)?;
        match ends.is_true() || is_early.is_true() {
            true => Err(step.early()),
            false => Ok(()),
        }
    }

    fn save(&mut self) -> Result<SavedState, ServiceError> {
        let mut state = ptr::null_mut();
        // SAFETY: see `FmuTwo`.
        check("fmi3GetFMUState", unsafe { (self.saving()?.get)(self.component, &raw mut state) })?;
        Ok(state)
    }

    fn restore(&mut self, state: SavedState) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`; the state is one that `save` returned.
        check("fmi3SetFMUState", unsafe { (self.saving()?.set)(self.component, state) })
    }

    fn forget(&mut self, mut state: SavedState) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`; the state is one that `save` returned, and is not used again.
        check("fmi3FreeFMUState", unsafe { (self.saving()?.free)(self.component, &raw mut state) })
    }

    fn set_time(&mut self, time: f64) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi3SetTime", unsafe { (self.exchange()?.set_time)(self.component, time) })
    }

    fn set_states(&mut self, states: &[f64]) -> Result<(), ServiceError> {
        let set = self.exchange()?.set_states;
        // SAFETY: see `FmuTwo`.
        check("fmi3SetContinuousStates", unsafe { set(self.component, states.as_ptr(), states.len()) })
    }

    fn states(&mut self, out: &mut [f64]) -> Result<(), ServiceError> {
        let get = self.exchange()?.get_states;
        // SAFETY: see `FmuTwo`.
        check("fmi3GetContinuousStates", unsafe { get(self.component, out.as_mut_ptr(), out.len()) })
    }

    fn derivatives(&mut self, out: &mut [f64]) -> Result<(), ServiceError> {
        let get = self.exchange()?.get_derivatives;
        // SAFETY: see `FmuTwo`.
        check("fmi3GetContinuousStateDerivatives", unsafe { get(self.component, out.as_mut_ptr(), out.len()) })
    }

    fn indicators(&mut self, out: &mut [f64]) -> Result<(), ServiceError> {
        let get = self.exchange()?.get_indicators;
        // SAFETY: see `FmuTwo`.
        check("fmi3GetEventIndicators", unsafe { get(self.component, out.as_mut_ptr(), out.len()) })
    }

    fn enter_event_mode(&mut self) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi3EnterEventMode", unsafe { (self.exchange()?.enter_event)(self.component) })
    }

    fn update_discrete(&mut self) -> Result<EventUpdate, ServiceError> {
        let [mut more, mut ends, mut nominals, mut states, mut has_next] = [Truth::default(); 5];
        let mut next_time = 0.0;
        // SAFETY: see `FmuTwo`.
        let status = unsafe {
            (self.exchange()?.update_discrete)(
                self.component,
                &raw mut more,
                &raw mut ends,
                &raw mut nominals,
                &raw mut states,
                &raw mut has_next,
                &raw mut next_time,
            )
        };
        check("fmi3UpdateDiscreteStates", status)?;
        let next_time = has_next.is_true().then_some(next_time);
        Ok(EventUpdate { needs_more: more.is_true(), ends: ends.is_true(), next_time })
    }

    fn enter_continuous_mode(&mut self) -> Result<(), ServiceError> {
        // SAFETY: see `FmuTwo`.
        check("fmi3EnterContinuousTimeMode", unsafe { (self.exchange()?.enter_continuous)(self.component) })
    }

    fn complete_step(&mut self) -> Result<bool, ServiceError> {
        let [mut enters, mut ends] = [Truth::default(); 2];
        // SAFETY: see `FmuTwo`.
        let status = unsafe { (self.exchange()?.completed)(self.component, false, &raw mut enters, &raw mut ends) };
        check("fmi3CompletedIntegratorStep", status)?;
        if ends.is_true() { Err(ServiceError::new("the FMU ended the simulation")) } else { Ok(enters.is_true()) }
    }

    fn end(&mut self) {
        // SAFETY: see `FmuTwo`; the component is not used again.
        unsafe {
            (self.common.terminate)(self.component);
            (self.common.free)(self.component);
        }
    }
}
