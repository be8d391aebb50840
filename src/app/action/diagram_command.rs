//! The commands of the diagram.

use crate::listed::listed;
use crate::model::Direction;

listed! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DiagramCommand {
        /// Connects the selected blocks from left to right.
        Connect,
        /// Edits the main value of the selected block in place.
        EditValue,
        /// Edits the signal name of the selected wire in place.
        NameSignal,
        Align(Align),
        Distribute(DistributionAxis),
        /// Makes the selected blocks as large as the largest.
        SameSize(Size),
        /// Resets the selected blocks to their natural size.
        OwnSize,
        Rotate,
        Flip,
        /// Leaves the selected blocks out of runs, or includes them again.
        CommentOut,
        /// The same, and lets their inputs through to their outputs.
        CommentThrough,
        /// Lays out the selection, or everything.
        Arrange,
        /// Adds an area around the selection.
        AddArea,
        /// Creates a subsystem from the selection.
        Group,
        /// Replaces the selected model block by the contents of its model.
        Expand,
        /// Replaces the selected wires by Goto and From blocks.
        ToTags,
        /// Replaces the selected Goto and From blocks by wires.
        ToWires,
        /// Highlights the sources or the destinations of the selected signals.
        Trace(Direction),
        /// Starts a wire at the selected block, controlled by keys.
        WireByKeys,
        /// Gives the diagram the keyboard focus.
        Focus,
        ToggleMinimap,
        ToggleGrid,
        /// Shows or hides the buttons over the diagram.
        ToggleStrip,
        /// Colours wires and blocks by sample time.
        ToggleRates,
        /// Shows values beside the wires.
        ToggleValues,
        /// Adds or removes a breakpoint on the selected wire.
        ToggleBreakpoint,
    }
}

listed! {
    /// The edge or centre line on which blocks are aligned.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Align {
        Left,
        Centre,
        Right,
        Top,
        Middle,
        Bottom,
    }
}

listed! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DistributionAxis {
        Across,
        Down,
    }
}

listed! {
    /// Which dimensions of blocks are made equal.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Size {
        Width,
        Height,
        Both,
    }
}
