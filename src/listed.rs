//! Enums that know all their values, so that no list of them is kept by hand.

/// Declares an enum with a function `all`, which returns its values in the order of declaration. A variant may hold one
/// value of a type that has such a function, too.
macro_rules! listed {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$of:meta])* $value:ident $(($held:ty))?),* $(,)? }
    ) => {
        $(#[$about])*
        pub enum $name { $($(#[$of])* $value $(($held))?),* }

        impl $name {
            /// All values, in the order of their declaration.
            pub fn all() -> Vec<$name> {
                [$(listed!(@values $name, $value $(, $held)?)),*].concat()
            }
        }
    };
    (@values $name:ident, $value:ident) => { vec![$name::$value] };
    (@values $name:ident, $value:ident, $held:ty) => {
        <$held>::all().into_iter().map($name::$value).collect::<Vec<$name>>()
    };
}

pub(crate) use listed;
