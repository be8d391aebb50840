//! Conflicts that a user settles.

use simulate::Registry;
use simulate::model::{
    Change, Conflict, Document, Holder, Property, Settlement, Simulation, conflicts, conflicts_in, conflicts_text,
    settle, settle_all,
};

use super::{MOTOR, applied, changed, merged, parsed, written};

/// A merge with a conflict, and our state and theirs.
fn conflicted(ours: &[(&str, &str)], theirs: &[(&str, &str)]) -> [Simulation; 3] {
    let [base, ours, theirs] = [&[][..], ours, theirs].map(|replaced| parsed(&changed(MOTOR, replaced)));
    let found = merged(&base, &ours, &theirs).simulation;
    [found, ours, theirs]
}

/// Settles all conflicts with each side, which gives the states of the sides, in one step that can be undone.
#[track_caller]
fn check(ours: &[(&str, &str)], theirs: &[(&str, &str)]) {
    let [found, ours, theirs] = conflicted(ours, theirs);
    let registry = Registry::standard();
    assert_ne!(conflicts(&found), []);
    for (settlement, wanted) in
        [(Settlement::Ours, &ours), (Settlement::Theirs, &theirs), (Settlement::Base, &parsed(MOTOR))]
    {
        let edits = settle_all(&found, &registry, &settlement).expect("settled");
        let mut document = Document::new(found.clone(), registry.clone());
        document.apply(&Change::new("Settle", edits)).expect("an edit");
        let sorted = |simulation: &Simulation| {
            // A wire that is connected again is the last in its model.
            let text = written(simulation);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(document.simulation()), sorted(wanted), "{settlement:?}");
        document.undo();
        assert_eq!(written(document.simulation()), written(&found));
    }
}

#[test]
fn values_names_and_wires_are_those_of_the_side() {
    check(&[("<value>5</value>", "<value>7</value>")], &[("<value>5</value>", "<value>8</value>")]);
    check(&[("value=\"2\"", "value=\"7\"")], &[("value=\"2\"", "value=\"8\"")]);
    check(&[("steps=\"100\"", "steps=\"7\"")], &[("steps=\"100\"", "steps=\"8\"")]);
    check(&[("delta=\"0.01\"", "delta=\"7\"")], &[("delta=\"0.01\"", "delta=\"8\"")]);
    check(&[("label=\"Motor\"", "label=\"A\"")], &[("label=\"Motor\"", "label=\"B\"")]);
    check(&[("name=\"Step\"", "name=\"Ramp\"")], &[("name=\"Step\"", "name=\"Static\"")]);
    let renamed = |to: &str| [("\"Controller\"".to_owned(), format!("\"{to}\""))];
    let [ours, theirs] = [renamed("A"), renamed("B")];
    fn pairs(list: &[(String, String); 1]) -> [(&str, &str); 1] {
        list.each_ref().map(|(from, to)| (from.as_str(), to.as_str()))
    }
    check(&pairs(&ours), &pairs(&theirs));
    let port = |to: &str| [("\"e\"".to_owned(), format!("\"{to}\""))];
    check(&pairs(&port("a")), &pairs(&port("b")));
    let from = |id: &str| format!("<connection from=\"{id}\" output=\"Output\" to=\"6\" input=\"Input\"/>");
    check(&[(&from("4"), &from("1"))], &[(&from("4"), &from("5"))]);
    check(&[(&format!("\t\t{}\n", from("4")), "")], &[(&from("4"), &from("5"))]);
}

#[test]
fn a_block_that_one_side_deleted_is_deleted_or_stays() {
    let [found, ours, theirs] = conflicted(
        &[
            (
                "\t\t<block id=\"5\" group=\"Math\" name=\"Gain\" label=\"Sensor\"><option name=\"Gain\"><value>1</value></option></block>\n",
                "",
            ),
            ("\t\t<connection from=\"5\" output=\"Output\" to=\"2\" input=\"Input 2\"/>\n", ""),
            ("\t\t<connection from=\"4\" output=\"Output\" to=\"5\" input=\"Input\"/>\n", ""),
        ],
        &[("<value>1</value>", "<value>9</value>")],
    );
    let registry = Registry::standard();
    let settled =
        |settlement: &Settlement| applied(&found, settle_all(&found, &registry, settlement).expect("settled"));
    assert_eq!(written(&settled(&Settlement::Ours)), written(&ours));
    assert_eq!(written(&settled(&Settlement::Theirs)), written(&theirs));
}

#[test]
fn one_of_several_conflicts_is_settled_alone() {
    let [found, ..] = conflicted(
        &[("<value>5</value>", "<value>7</value>"), ("label=\"Wanted\"", "label=\"A\"")],
        &[("<value>5</value>", "<value>8</value>"), ("label=\"Wanted\"", "label=\"B\"")],
    );
    let all = conflicts(&found);
    assert_eq!(all.len(), 2);
    let of_option = all.iter().find(|(_, conflict)| matches!(conflict.property, Property::Option(_))).expect("one");
    let typed = applied(&found, settle(&found, &of_option.0, &of_option.1, &Settlement::Value("2*pi".to_owned())));
    assert!(written(&typed).contains("<value>2*pi</value>"));
    assert_eq!(conflicts(&typed).len(), 1);
    let as_it_is = applied(&found, settle(&found, &of_option.0, &of_option.1, &Settlement::AsItIs));
    assert!(written(&as_it_is).contains("<value>7</value>"));
    assert_eq!(conflicts(&as_it_is).len(), 1);
}

#[test]
fn conflicts_are_read_as_they_were_written() {
    let texts = |list: &[&str]| Some(list.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>());
    let all = [
        Conflict::new(Property::Option("a|b=[c]".to_owned()), texts(&["1;2", "%"]), texts(&[]), texts(&[""])),
        Conflict::new(Property::Presence, texts(&["unchanged"]), None, texts(&["changed"])),
        Conflict::new(Property::Attribute("x:y".to_owned()), None, texts(&["a,b"]), texts(&["two\nlines", ""])),
    ];
    let text = conflicts_text(&all).expect("a text");
    let attributes = [("conflicts", text.as_str())].into_iter().collect();
    assert_eq!(conflicts_in(&attributes), all);
    // A text that is no conflict is one, too, so that the file does not run.
    let attributes = [("conflicts", "what[")].into_iter().collect();
    let found = conflicts_in(&attributes);
    assert_eq!(found[0].property, Property::Other("what[".to_owned()));
    assert_eq!(conflicts_text(&found).as_deref(), Some("what["));
    let base = parsed(&changed(MOTOR, &[("root=\"Main\"", "root=\"Main\" conflicts=\"what[\"")]));
    let settled = settle_all(&base, &Registry::standard(), &Settlement::Ours).expect("settled");
    assert_eq!(written(&applied(&base, settled)), MOTOR);
    assert_eq!(conflicts(&base)[0].0, Holder::Simulation);
}
