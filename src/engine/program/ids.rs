//! A type of its own for each kind of number that the parts of a program are known by, so that one cannot stand for
//! another.

use std::fmt::{self, Debug, Formatter};
use std::ops::{Add, Sub};

use cranelift_codegen::entity::entity_impl;
pub(crate) use cranelift_codegen::entity::{EntityRef, IterEntityRange, Keys, PrimaryMap, iter_entity_range};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name);

        impl Debug for $name {
            fn fmt(&self, f: &mut Formatter) -> fmt::Result {
                Debug::fmt(&self.0, f)
            }
        }

        impl Add<usize> for $name {
            type Output = $name;

            fn add(self, count: usize) -> $name {
                $name::new(self.index() + count)
            }
        }

        impl Sub for $name {
            type Output = usize;

            fn sub(self, first: $name) -> usize {
                self.index() - first.index()
            }
        }
    )*};
}

ids! {
    /// Counts the units of a program.
    UnitId,
    /// Counts the outputs of all units of a program.
    OutputId,
    /// Counts the conditional and iterated subsystems of a program.
    SubsystemId,
    /// Counts the different kernels of a program.
    KernelId,
}

/// A value for each unit.
pub type UnitMap<T> = PrimaryMap<UnitId, T>;

/// A value for each subsystem.
pub type SubsystemMap<T> = PrimaryMap<SubsystemId, T>;

/// A value for each kernel.
pub type KernelMap<T> = PrimaryMap<KernelId, T>;

/// A value for each output.
pub type OutputMap<T> = PrimaryMap<OutputId, T>;
