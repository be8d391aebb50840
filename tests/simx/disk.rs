//! Files on disk: formats by content and extension, and saving without leftovers.

use std::fs;
use std::path::{Path, PathBuf};

use simulate::format::{Formats, LoadError, LoadOptions, Loaded, Loader, SaveError};
use simulate::model::{Block, BlockId, BlockKind, Simulation};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

fn unwritable() -> Simulation {
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").unwrap();
    model.add_block(Block::new(BlockId(0), BlockKind::entry("bell \u{7}")));
    simulation
}

#[test]
fn saved_and_opened() {
    let folder = folder();
    let path = folder.path().join("new.SIMX");
    Formats::standard().save(&path, &Simulation::new("Main")).unwrap();
    assert_eq!(Formats::standard().open(&path, &LoadOptions::default()).unwrap().simulation, Simulation::new("Main"));
    assert_eq!(names(folder.path()), ["new.SIMX"]);
}

#[test]
fn content_comes_before_extension() {
    let folder = folder();
    let path = folder.path().join("picture.png");
    fs::write(&path, "<simulation root=\"Main\"/>").unwrap();
    assert_eq!(&*Formats::standard().open(&path, &LoadOptions::default()).unwrap().simulation.root, "Main");
    fs::write(&path, "no markup").unwrap();
    let error = Formats::standard().open(&path, &LoadOptions::default()).unwrap_err();
    let starts = |known: &str| known.starts_with(".simx, .simt, .simb, .json, .bson");
    assert!(matches!(&error, LoadError::UnknownFormat { known } if starts(known)), "{error}");
    let error = Formats::standard().open(&folder.path().join("missing.simx"), &LoadOptions::default()).unwrap_err();
    assert!(matches!(error, LoadError::Unreadable(_)), "{error}");
}

#[test]
fn a_failed_save_leaves_the_old_file_alone() {
    let folder = folder();
    let path = folder.path().join("a.simx");
    fs::write(&path, "old").unwrap();
    let error = Formats::standard().save(&path, &unwritable()).unwrap_err();
    assert_eq!(error.to_string(), "the character U+0007 in “bell \\u{7}” cannot be written in this format");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let into_folder = folder.path().join("folder.simx");
    fs::create_dir(&into_folder).unwrap();
    assert!(matches!(Formats::standard().save(&into_folder, &Simulation::new("Main")), Err(SaveError::Unwritable(_))));
    assert_eq!(names(folder.path()), ["a.simx", "folder.simx"]);
    let error = Formats::standard().save(&folder.path().join("a.txt"), &Simulation::new("Main")).unwrap_err();
    assert!(matches!(error, SaveError::UnknownFormat { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn links_stay_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let target = inner.join("target.simx");
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link.simx");
    symlink(Path::new("inner/second.simx"), &link).unwrap();
    symlink(PathBuf::from("target.simx"), inner.join("second.simx")).unwrap();
    Formats::standard().save(&link, &Simulation::new("Main")).unwrap();
    assert!(link.is_symlink() && inner.join("second.simx").is_symlink() && !target.is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("Main"));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&inner), ["second.simx", "target.simx"]);

    // Saving to a link to a missing file creates the file.
    let early = folder.path().join("early.simx");
    symlink("late.simx", &early).unwrap();
    Formats::standard().save(&early, &Simulation::new("Main")).unwrap();
    assert!(early.is_symlink() && folder.path().join("late.simx").is_file());

    let ring = folder.path().join("ring.simx");
    symlink("ring.simx", &ring).unwrap();
    assert!(matches!(Formats::standard().save(&ring, &Simulation::new("Main")), Err(SaveError::Unwritable(_))));
}

#[test]
fn a_write_protected_file_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("a.simx");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(matches!(Formats::standard().save(&path, &Simulation::new("Main")), Err(SaveError::Unwritable(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

/// A custom format that contains only the name of the root.
struct RootOnly;

impl Loader for RootOnly {
    fn name(&self) -> &'static str {
        "root"
    }

    fn title(&self) -> &'static str {
        "Root only"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["root"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(b"root ")
    }

    fn read(&self, bytes: &[u8], _: &LoadOptions) -> Result<Loaded, LoadError> {
        let root = String::from_utf8_lossy(bytes).replace("root ", "");
        Ok(Loaded { simulation: Simulation::new(&root), ..Loaded::default() })
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        Ok(format!("root {}", simulation.root).into_bytes())
    }
}

#[test]
fn a_format_from_outside_takes_part() {
    let mut formats = Formats::standard();
    formats.add(std::sync::Arc::new(RootOnly));
    let of_content = |bytes: &[u8], path: &str| formats.of_content(bytes, Path::new(path)).map(Loader::name);
    assert_eq!(of_content(b"root Main", "a.simx"), Some("root"));
    assert_eq!(of_content(b"<simulation/>", "a.root"), Some("simx"));
    assert_eq!(of_content(b"?", "a.root"), Some("root"));
    assert_eq!(of_content(b"?", "a"), None);
}

/// Whatever a model is called, its name without what file names may not contain is one.
#[test]
fn names_of_models_become_names_of_files() {
    assert_eq!(simulate::format::file_stem("a/b:c*d-e_f g.1é\n"), "a_b_c_d-e_f g_1é_");
}

#[test]
fn a_file_may_be_as_long_as_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.bin");
    std::fs::write(&path, [7; 100]).expect("a file");
    assert_eq!(simulate::format::read_bounded(&path, 100).expect("it fits").len(), 100);
    assert!(simulate::format::read_bounded(&path, 99).is_err());
}
