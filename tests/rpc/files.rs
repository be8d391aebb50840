//! What calls read and write: files in the folder, and nothing else.

use serde_json::json;

use super::{done, refused, session_on, session_with};

#[test]
fn nothing_outside_the_folder_is_read_or_written() {
    let (outer, _) = session_with(&["dc_motor.simx"]);
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    let mut session = session_on(&inner);
    let outside = outer.path().join("dc_motor.simx");
    let absolute = outside.to_str().expect("a path").to_owned();
    let mut ways = vec!["../dc_motor.simx".to_owned(), absolute.clone(), "x/../../dc_motor.simx".to_owned()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, inner.join("link.simx")).expect("a link");
        ways.push("link.simx".to_owned());
    }
    for way in &ways {
        let said = refused(&mut session, "overview", json!({"file": way}));
        assert!(
            said.ends_with("is outside the folder whose simulations may be read and written")
                || said.contains("No such file")
                || said.contains("cannot be found"),
            "{way}: {said}"
        );
    }
    done(&mut session, "create", json!({"file": "new.simx"}));
    let bytes = std::fs::read(&outside).expect("a file");
    for way in ["../dc_motor.simx", "../new.simx", &absolute, "../../new.simx"] {
        refused(&mut session, "save", json!({"file": "new.simx", "to": way, "overwrite": true}));
        refused(&mut session, "create", json!({"file": way}));
        refused(&mut session, "diff", json!({"file": "new.simx", "with": way}));
    }
    assert_eq!(std::fs::read(&outside).expect("a file"), bytes);
    assert!(!outer.path().join("new.simx").exists());
}

/// A file that becomes a link out of the folder while it is open is neither read again nor written.
#[cfg(unix)]
#[test]
fn a_link_that_replaces_an_open_file_is_not_followed() {
    let (folder, mut session) = session_with(&["dc_motor.simx"]);
    done(&mut session, "overview", json!({"file": "dc_motor.simx"}));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (own, secret) = (folder.path().join("dc_motor.simx"), elsewhere.path().join("secret.simx"));
    std::fs::write(&secret, "<simulation root=\"Secret\"><model name=\"Secret\"/></simulation>").expect("written");
    std::fs::remove_file(&own).expect("removed");
    std::os::unix::fs::symlink(&secret, &own).expect("a link");
    let outside = "is outside the folder whose simulations may be read and written";
    assert!(refused(&mut session, "overview", json!({"file": "dc_motor.simx"})).ends_with(outside));
    assert!(refused(&mut session, "save", json!({"file": "dc_motor.simx", "overwrite": true})).ends_with(outside));
    assert!(std::fs::read_to_string(&secret).expect("a file").contains("Secret"));
}

#[test]
fn a_file_that_others_have_written_is_not_replaced() {
    let (folder, mut session) = session_with(&["dc_motor.simx", "lorenz.simx"]);
    let edit = json!({"file": "dc_motor.simx", "operations": [{"op": "settings", "values": {"steps": 10}}]});
    done(&mut session, "edit", edit);
    assert_eq!(
        refused(&mut session, "save", json!({"file": "dc_motor.simx", "to": "lorenz.simx"})),
        "“lorenz.simx” exists already: set “overwrite” to replace it"
    );
    let file = folder.path().join("dc_motor.simx");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text + "\n<!-- mine -->\n").expect("written");
    assert_eq!(
        refused(&mut session, "save", json!({})),
        "“dc_motor.simx” has been changed by another program since it was read: set “overwrite” to replace it"
    );
    assert!(std::fs::read_to_string(&file).expect("a file").contains("mine"));
    assert_eq!(done(&mut session, "save", json!({"overwrite": true})), json!({"saved": "dc_motor.simx"}));
    assert!(std::fs::read_to_string(&file).expect("a file").contains("steps=\"10\""));
    // Its own file is no longer another's.
    done(&mut session, "undo", json!({}));
    done(&mut session, "save", json!({}));
}

/// Until it is saved, nothing is on the disk; a file that is opened again has what another program has written.
#[test]
fn changes_are_kept_in_memory_until_they_are_saved() {
    let (folder, mut session) = session_with(&["dc_motor.simx"]);
    let file = folder.path().join("dc_motor.simx");
    let bytes = std::fs::read(&file).expect("a file");
    let edit = json!({"file": "dc_motor.simx", "operations": [{"op": "settings", "values": {"steps": 10}}]});
    done(&mut session, "edit", edit);
    done(&mut session, "run", json!({}));
    assert_eq!(std::fs::read(&file).expect("a file"), bytes);
    let open = done(&mut session, "files", json!({}));
    assert_eq!(open["open"], json!([{"file": "dc_motor.simx", "unsaved_changes": true}]));
    let changes = done(&mut session, "diff", json!({}));
    assert_eq!(changes["changes"], json!(["~ simulation, steps: 3000 → 10"]));
    done(&mut session, "undo", json!({}));
    let other = String::from_utf8(bytes).expect("text").replace("steps=\"3000\"", "steps=\"17\"");
    std::fs::write(&file, other).expect("written");
    let run = done(&mut session, "run", json!({}));
    assert_eq!(run["steps"], 17);
}
