//! The licences of the libraries that are parts of the program.

use std::sync::LazyLock;

use serde::Deserialize;

/// All libraries on all platforms.
#[derive(Debug, Default, Deserialize)]
pub struct Licences {
    pub packages: Vec<LicensedPackage>,
    /// The texts, to which packages refer by their index.
    pub texts: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct LicensedPackage {
    pub name: String,
    pub version: String,
    /// An expression of names, such as `MIT OR Apache-2.0`.
    pub licence: String,
    pub repository: String,
    pub texts: Vec<usize>,
}

/// Returns the list that comes with the program.
pub fn licences() -> &'static Licences {
    static ALL: LazyLock<Licences> =
        LazyLock::new(|| serde_json::from_str(include_str!("../../../assets/licences.json")).unwrap_or_default());
    &ALL
}
