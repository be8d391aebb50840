//! The conformance tests on the included formats, and on defective ones.

use simulate::conformance;
use simulate::format::{Formats, Json, LoadError, LoadOptions, Loaded, Loader, SaveError};
use simulate::model::Simulation;

#[test]
fn every_format_conforms() {
    for loader in Formats::standard().iter() {
        assert_eq!(conformance::format(loader), [""; 0]);
    }
}

/// JSON with a defect.
struct Broken {
    write: fn(Simulation) -> Simulation,
    read: fn(&[u8]),
}

impl Loader for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn title(&self) -> &'static str {
        "Broken"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["broken"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        Json.recognizes(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        (self.read)(bytes);
        Json.read(bytes, options)
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        Json.write(&(self.write)(simulation.clone()))
    }
}

#[test]
fn a_format_that_loses_something_is_found() {
    let forgetful = Broken {
        write: |mut simulation| {
            simulation.prolog.clear();
            simulation
        },
        read: |_| {},
    };
    assert_eq!(conformance::format(&forgetful), ["broken: everything: the loaded simulation differs"]);
}

#[test]
fn a_format_that_panics_is_found() {
    let panicking = Broken { write: |simulation| simulation, read: |bytes| assert!(bytes.len() > 3, "too short") };
    let errors = conformance::format(&panicking);
    assert_eq!(errors.last().unwrap(), "broken: everything: it panics on a file cut off at byte 0");
}
