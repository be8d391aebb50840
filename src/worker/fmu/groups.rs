//! Values of signals as values of typed variables, in few calls.

use crate::format::fmu::FmuType;
use crate::worker::message::Slot;
use crate::worker::serve::ServiceError;

/// Variables of one type, with the offsets of their elements in the sequence of all values.
pub struct VariableGroup {
    pub kind: FmuType,
    pub is_continuous: bool,
    pub references: Vec<u32>,
    offsets: Vec<usize>,
}

/// Groups variables by type.
pub fn groups(slots: &[Slot]) -> Vec<VariableGroup> {
    let mut groups: Vec<VariableGroup> = Vec::new();
    let mut offset = 0;
    for slot in slots {
        let width = slot.width as usize;
        let known =
            groups.iter().position(|group| (group.kind, group.is_continuous) == (slot.kind, slot.is_continuous));
        let index = known.unwrap_or_else(|| {
            let (kind, is_continuous) = (slot.kind, slot.is_continuous);
            groups.push(VariableGroup { kind, is_continuous, references: Vec::new(), offsets: Vec::new() });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(index) {
            group.references.push(slot.reference);
            group.offsets.extend(offset..offset + width);
        }
        offset += width;
    }
    groups
}

/// A number as the value of a variable and back.
pub trait VariableElement: Copy + Default {
    /// # Errors
    /// If the number has no such value.
    fn of_number(number: f64) -> Result<Self, ServiceError>;
    fn to_number(self) -> f64;
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl VariableElement for $float {
            fn of_number(number: f64) -> Result<$float, ServiceError> {
                Ok(number as $float)
            }

            fn to_number(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}
floats!(f64 f32);

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl VariableElement for $integer {
            fn of_number(number: f64) -> Result<$integer, ServiceError> {
                let rounded = number.round();
                // The type's limits as floating-point numbers; a limit that is not one is rounded up, to the next.
                let fits = rounded >= <$integer>::MIN as f64 && rounded <= <$integer>::MAX as f64;
                let wrong = || ServiceError::new(format!("{number} is no value of an integer variable of the FMU"));
                if fits { Ok(rounded as $integer) } else { Err(wrong()) }
            }

            fn to_number(self) -> f64 {
                self as f64
            }
        }
    )*};
}
integers!(i8 u8 i16 u16 i32 u32 i64 u64);

/// A truth value as FMI 3 has it. What a library writes to a `bool` must be 0 or 1; this may be any byte.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Truth(pub u8);

impl Truth {
    pub fn is_true(self) -> bool {
        self.0 != 0
    }
}

impl VariableElement for Truth {
    fn of_number(number: f64) -> Result<Truth, ServiceError> {
        Ok(Truth(u8::from(number != 0.0)))
    }

    fn to_number(self) -> f64 {
        f64::from(u8::from(self.is_true()))
    }
}

impl VariableGroup {
    /// Returns the values of the group's elements.
    pub fn gather<T: VariableElement>(&self, all: &[f64]) -> Result<Vec<T>, ServiceError> {
        self.offsets.iter().map(|offset| T::of_number(all.get(*offset).copied().unwrap_or_default())).collect()
    }

    /// Returns room for the values of the group's elements.
    pub fn room<T: VariableElement>(&self) -> Vec<T> {
        vec![T::default(); self.offsets.len()]
    }

    /// Writes the values of the group's elements to their offsets.
    pub fn scatter<T: VariableElement>(&self, values: &[T], all: &mut [f64]) {
        for (offset, value) in self.offsets.iter().zip(values) {
            if let Some(number) = all.get_mut(*offset) {
                *number = value.to_number();
            }
        }
    }
}
