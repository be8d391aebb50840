//! The list of mutants fits the program: the tool takes none of them where one is out of date.

#[test]
fn each_mutant_of_the_list_stands_in_its_file_once() {
    let list = std::fs::read_to_string("tests/mutants/list.txt").expect("the list is there");
    let mutants = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    for line in mutants {
        let parts: Vec<&str> = line.split(" ;; ").collect();
        let [file, before, after] = parts[..] else { panic!("{line}: it has not three parts") };
        let source = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(source.matches(before).count(), 1, "{file}: {before}");
        assert_ne!(before, after, "{file}");
    }
}
