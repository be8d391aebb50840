//! The example simulations that come with the program.

use std::sync::OnceLock;

/// A simulation in `assets/examples`.
pub struct Example {
    /// The name of the file.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! example {
    ($name:literal) => {
        Example { name: $name, text: include_str!(concat!("../../../assets/examples/", $name)) }
    };
}

/// The examples in the order of the welcome page: those of one field together.
pub const EXAMPLES: &[Example] = &[
    example!("dc_motor.simx"),
    example!("inverted_pendulum.simx"),
    example!("antiwindup.simx"),
    example!("servo.simx"),
    example!("pedestrian_crossing.simx"),
    example!("mass_spring_chain.simx"),
    example!("quarter_car.simx"),
    example!("robot.simx"),
    example!("robot_arm.simx"),
    example!("bouncing_ball.simx"),
    example!("double_pendulum.simx"),
    example!("halley.simx"),
    example!("buck_converter.simx"),
    example!("phase_locked_loop.simx"),
    example!("van_der_pol.simx"),
    example!("am_radio.simx"),
    example!("aliasing.simx"),
    example!("bicycle_computer.simx"),
    example!("plucked_string.simx"),
    example!("predator_prey.simx"),
    example!("epidemic.simx"),
    example!("theophylline.simx"),
    example!("robertson.simx"),
    example!("thermostat.simx"),
    example!("heat_rod.simx"),
    example!("queue.simx"),
    example!("supply_chain.simx"),
    example!("lorenz.simx"),
    example!("fibonacci.simx"),
];

/// The description of an example on the welcome page and in the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub title: String,
    /// A sentence that describes it.
    pub about: String,
    /// The field that it is from, such as “Control”.
    pub field: String,
}

impl Example {
    /// Returns the title in the file, or its name.
    pub fn title(&self) -> String {
        let fallback = self.name.trim_end_matches(".simx").replace('_', " ");
        attribute(self.text, "title").unwrap_or(fallback)
    }

    fn summary(&self) -> Summary {
        let text = |name| attribute(self.text, name).unwrap_or_default();
        Summary { title: self.title(), about: text("about"), field: text("field") }
    }
}

impl Summary {
    /// Returns whether title, description or field contain each word of a search.
    pub fn contains(&self, search: &str) -> bool {
        let text = format!("{} {} {}", self.title, self.about, self.field).to_lowercase();
        search.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }
}

/// Returns one summary per example, in their order.
pub fn summaries() -> &'static [Summary] {
    static SUMMARIES: OnceLock<Vec<Summary>> = OnceLock::new();
    SUMMARIES.get_or_init(|| EXAMPLES.iter().map(Example::summary).collect())
}

/// Returns the fields, each once, in the order of the examples.
pub fn fields() -> Vec<&'static str> {
    let mut fields: Vec<&str> = Vec::new();
    for summary in summaries() {
        if !summary.field.is_empty() && !fields.contains(&&*summary.field) {
            fields.push(&summary.field);
        }
    }
    fields
}

/// Reads an attribute of the root tag without parsing the whole file, for the welcome page.
fn attribute(text: &str, name: &str) -> Option<String> {
    let start = text.find("<simulation")?;
    let tag = text.get(start..)?;
    let tag = tag.get(..tag.find('>')?)?;
    let value = tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_a_title_a_sentence_and_a_field() {
        for (example, summary) in EXAMPLES.iter().zip(summaries()) {
            for text in [&summary.title, &summary.about, &summary.field] {
                assert!(!text.is_empty(), "{}: {summary:?}", example.name);
            }
        }
    }

    #[test]
    fn the_examples_of_a_field_stand_together() {
        let mut order: Vec<&str> = summaries().iter().map(|summary| &*summary.field).collect();
        order.dedup();
        assert_eq!(order, fields());
    }

    #[test]
    fn a_search_finds_all_its_words_anywhere() {
        let summary =
            Summary { title: "Speed of a DC motor".into(), about: "A PID controller".into(), field: "Control".into() };
        assert!(summary.contains("") && summary.contains("motor pid") && summary.contains("CONTROL"));
        assert!(!summary.contains("motor chemistry"));
    }
}
