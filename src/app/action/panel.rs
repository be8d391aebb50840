//! The panels and tours that commands show.

use crate::listed::listed;

listed! {
    /// Tours through the window.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Tour {
        FirstModel,
        Laboratory,
    }
}

impl Tour {
    /// The text of the button that starts the tour.
    pub fn title(self) -> &'static str {
        match self {
            Tour::FirstModel => "Tour: your first model",
            Tour::Laboratory => "Tour: the laboratory",
        }
    }
}

listed! {
    /// The panels that can be shown and hidden; settings hold the names in quotation marks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    pub enum Panel {
        #[serde(rename = "Blocks")]
        Blocks,
        #[serde(rename = "Models")]
        Models,
        #[serde(rename = "Canvas")]
        Canvas,
        #[serde(rename = "Inspector")]
        Inspector,
        #[serde(rename = "Plots")]
        Plots,
        #[serde(rename = "Problems")]
        Problems,
        #[serde(rename = "Help")]
        Help,
        #[serde(rename = "Find")]
        Find,
        #[serde(rename = "History")]
        History,
        #[serde(rename = "Runs")]
        Runs,
        #[serde(rename = "Dashboard")]
        Dashboard,
        #[serde(rename = "Step")]
        Step,
        #[serde(rename = "Analysis")]
        Analysis,
        #[serde(rename = "Tuner")]
        Tuner,
        #[serde(rename = "Fit")]
        Fit,
        #[serde(rename = "Response")]
        Response,
        #[serde(rename = "Sweep")]
        Sweep,
        #[serde(rename = "Import")]
        Import,
        #[serde(rename = "Review")]
        Review,
    }
}

impl Panel {
    pub fn title(self) -> &'static str {
        match self {
            Panel::Blocks => "Blocks",
            Panel::Models => "Models",
            Panel::Canvas => "Diagram",
            Panel::Inspector => "Inspector",
            Panel::Plots => "Plots",
            Panel::Problems => "Problems",
            Panel::Help => "Help",
            Panel::Find => "Find",
            Panel::History => "History",
            Panel::Runs => "Runs",
            Panel::Dashboard => "Dashboard",
            Panel::Step => "Step",
            Panel::Analysis => "Analysis",
            Panel::Tuner => "PID tuner",
            Panel::Fit => "Fit to data",
            Panel::Response => "Optimizer",
            Panel::Sweep => "Sweep",
            Panel::Import => "Import",
            Panel::Review => "Review",
        }
    }
}
