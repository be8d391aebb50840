//! The catalogue of diagnostics: for each code its meaning, the remedy, and an example that has it.
//!
//! `simulate explain CODE` prints an entry. A test runs all examples and finds each code of the source in this table.

/// The explanation of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeDef {
    /// The code, as in [`Diagnostic::code`](super::Diagnostic::code).
    pub code: &'static str,
    /// The problem, in whole sentences.
    pub cause: &'static str,
    /// The remedy.
    pub remedy: &'static str,
    pub example: CodeExample,
}

/// An example of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeExample {
    /// The content of the root model of a simulation of ten steps of 0.1 s.
    Root(&'static str),
    /// A whole file.
    File(&'static str),
    /// A mistake that the content of a file cannot show.
    Situation(&'static str),
}

use CodeExample::{File, Root, Situation};

/// All codes, sorted.
pub const CODES: &[CodeDef] = &[
    CodeDef {
        code: "approximated",
        cause: "A block of a model of another program has no exact counterpart; the message says in which way results differ.",
        remedy: "Look whether the difference matters for this model, and change the block by hand if it does.",
        example: Situation(
            "a model with a source of random numbers is opened: the law is the same, the numbers are others",
        ),
    },
    CodeDef {
        code: "bad-attribute",
        cause: "An attribute has a value that it cannot have.",
        remedy: "Write one of the values that the message lists.",
        example: Root(r#"<entry id="1" name="on" role="trigger" edge="sideways"/>"#),
    },
    CodeDef {
        code: "bad-delta",
        cause: "The step length of the simulation is not above 0 seconds.",
        remedy: "Set the step length in the panel Simulation, or delta=\"…\" in the file.",
        example: File(r#"<simulation steps="10" delta="0" root="Main"><model name="Main"/></simulation>"#),
    },
    CodeDef {
        code: "bad-id",
        cause: "The id of a block is not an integer, or is beyond the range of ids.",
        remedy: "Give the block an integer that no other block of its model has.",
        example: Root(r#"<block id="1.5" group="Math" name="Gain"/>"#),
    },
    CodeDef {
        code: "bad-name",
        cause: "The name of a model, an entry or an exit is empty, longer than 1000 characters, or has control characters.",
        remedy: "Give it a name of one line.",
        example: Root(r#"<entry id="1" name="two&#10;lines"/>"#),
    },
    CodeDef {
        code: "bad-number",
        cause: "An attribute of the simulation is not a number, or is out of range, such as a tolerance below 0.",
        remedy: "Correct the number in the panel Simulation.",
        example: File(r#"<simulation steps="ten" delta="0.1" root="Main"><model name="Main"/></simulation>"#),
    },
    CodeDef {
        code: "bad-option",
        cause: "A parameter of a block has a value that it does not accept: not a number, an unknown variable, or a value \
                outside its limits.",
        remedy: "Select the block and correct the parameter in the inspector, which shows its limits.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"><option name="Gain"><value>two</value></option></block>"#,
        ),
    },
    CodeDef {
        code: "bad-variable",
        cause: "The value of a variable cannot be computed: its expression has a mistake, uses an unknown name, or \
                depends on itself.",
        remedy: "Correct the expression among the variables in the Inspector.",
        example: Root(r#"<variable name="a" value="b + 1"/><variable name="b" value="a"/>"#),
    },
    CodeDef {
        code: "bad-variant",
        cause: "A variant of a model block is a model that does not exist, or its condition cannot be evaluated to one \
                number: it has a mistake, or uses a name that is no variable of the simulation.",
        remedy: "Correct the variant in the inspector of the model block.",
        example: File(
            r#"<simulation steps="10" delta="0.1" root="Main">
  <model name="Main"><model id="1" model="A" variants="A if mode == 1; B"/></model>
  <model name="A"/>
  <model name="B"/>
</simulation>"#,
        ),
    },
    CodeDef {
        code: "bus-mismatch",
        cause: "Two buses are to be one signal, as at a Switch, but their elements differ in names, widths or order.",
        remedy: "Give both the same elements in the same order, with a Bus Selector whose output is a bus.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"/><block id="2" group="Var" name="Static"/>
    <block id="3" group="Routing" name="Bus Creator"><option name="Names"><value>speed force</value></option></block>
    <connection from="1" output="Output" to="3" input="speed"/><connection from="2" output="Output" to="3" input="force"/>
    <block id="4" group="Routing" name="Bus Creator"><option name="Names"><value>force speed</value></option></block>
    <connection from="1" output="Output" to="4" input="force"/><connection from="2" output="Output" to="4" input="speed"/>
    <block id="5" group="Routing" name="Manual Switch"/>
    <connection from="3" output="Bus" to="5" input="Input 1"/><connection from="4" output="Bus" to="5" input="Input 2"/>"#,
        ),
    },
    CodeDef {
        code: "continuous-in-loop",
        cause: "A block whose state is integrated over time is in a model that runs several times in a step, in which no \
                time passes.",
        remedy: "Use a discrete block, or move the block out of the iterated model.",
        example: File(
            r#"<simulation steps="10" delta="0.1" solver="rk4" root="Main">
  <model name="Main">
    <block id="1" group="Var" name="Static"/>
    <model id="2" model="Loop"/>
    <connection from="1" output="Output" to="2" input="n"/>
  </model>
  <model name="Loop">
    <entry id="1" name="n" role="for"/>
    <block id="2" group="Math" name="Integrate"/>
  </model>
</simulation>"#,
        ),
    },
    CodeDef {
        code: "contradiction",
        cause: "The file is well formed, but its records are no simulation: two models have one name, or a block lacks \
                a field.",
        remedy: "Repair the file, or export it again from the program that wrote it.",
        example: Situation("a .json file in which two models are called Main"),
    },
    CodeDef {
        code: "damaged",
        cause: "The file does not have the structure of its format, or its checksum does not match: it was cut off or changed.",
        remedy: "Check that it is the right file. Export it again, or restore a backup.",
        example: Situation("a .simb file of which a download has only the first half"),
    },
    CodeDef {
        code: "dangling-connection",
        cause: "A wire comes from or leads to a block that is not in the model.",
        remedy: "Remove the wire, or connect it to a block.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"/><connection from="7" output="Output" to="1" input="Input"/>"#,
        ),
    },
    CodeDef {
        code: "declined",
        cause: "The selected engine cannot run this simulation.",
        remedy: "Select another engine; “auto” runs every simulation.",
        example: Situation("an engine of an extension that knows only some blocks"),
    },
    CodeDef {
        code: "duplicate-connection",
        cause: "An input has two wires, but can have only one source.",
        remedy: "Remove one of the wires, or join the signals with a block such as Sum.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"/><block id="2" group="Math" name="Gain"/>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="1" output="Output" to="2" input="Input"/>"#,
        ),
    },
    CodeDef {
        code: "duplicate-exit",
        cause: "Two exits of a model have one name.",
        remedy: "Rename one of them.",
        example: Root(r#"<exit id="1" name="y"/><exit id="2" name="y"/>"#),
    },
    CodeDef {
        code: "duplicate-id",
        cause: "Two blocks of a model have one id.",
        remedy: "Give one of them another id; the second is kept in the file but not loaded.",
        example: Root(r#"<block id="1" group="Math" name="Gain"/><block id="1" group="Math" name="Abs"/>"#),
    },
    CodeDef {
        code: "duplicate-model",
        cause: "Two models have one name.",
        remedy: "Rename one of them; the second is kept in the file but not loaded.",
        example: File(
            r#"<simulation steps="10" delta="0.1" root="Main"><model name="Main"/><model name="Main"/></simulation>"#,
        ),
    },
    CodeDef {
        code: "duplicate-option",
        cause: "A block has two values of one parameter in the file.",
        remedy: "Remove one of them; the first is used.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain">
      <option name="Gain"><value>2</value></option>
      <option name="Gain"><value>3</value></option>
    </block>"#,
        ),
    },
    CodeDef {
        code: "duplicate-role",
        cause: "A model has two entries of one role, or two entries that make it a loop.",
        remedy: "Nest two models, each with one of the roles.",
        example: Root(r#"<entry id="1" name="a" role="enable"/><entry id="2" name="b" role="enable"/>"#),
    },
    CodeDef {
        code: "duplicate-tag",
        cause: "Two Goto blocks, or two data stores, of a model have one name.",
        remedy: "Rename one of them, with the blocks that read it.",
        example: Root(
            r#"<block id="1" group="Routing" name="Goto"><option name="Tag"><value>speed</value></option></block>
    <block id="2" group="Routing" name="Goto"><option name="Tag"><value>speed</value></option></block>"#,
        ),
    },
    CodeDef {
        code: "duplicate-variable",
        cause: "Two variables of the simulation, or of a model, have one name.",
        remedy: "Rename one of them; the second is kept in the file but not loaded.",
        example: Root(r#"<variable name="k" value="1"/><variable name="k" value="2"/>"#),
    },
    CodeDef {
        code: "element-in-text",
        cause: "A tag is inside another that contains only text.",
        remedy: "Remove it, or write < as &lt; where it is meant as text.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"><option name="Gain"><value><b>2</b></value></option></block>"#,
        ),
    },
    CodeDef {
        code: "encoding",
        cause: "The text of the file is not UTF-8, although its first line does not name another encoding.",
        remedy: "Save the file as UTF-8 in a text editor.",
        example: Situation("a file in which é is the single byte E9"),
    },
    CodeDef {
        code: "endless-nesting",
        cause: "A model contains itself, directly or through other models.",
        remedy: "Remove one of the model blocks, or open the file with --skip-invalid-models.",
        example: Root(r#"<model id="1" model="Main"/>"#),
    },
    CodeDef {
        code: "loop",
        cause: "Blocks depend on each other within one step: an algebraic loop.",
        remedy: "Insert a delay or an integrator, or let the loop be solved in each step: Algebraic loops in the panel \
                 Simulation, loops=\"solve\" in the file.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"/><connection from="1" output="Output" to="1" input="Input"/>"#,
        ),
    },
    CodeDef {
        code: "lost-address",
        cause: "A plot, the list of recorded signals or a widget has the address of a signal or parameter that does not \
                exist, such as that of a removed block.",
        remedy: "Click “Bind to” beside the problem and choose another signal, or remove it there.",
        example: File(
            r##"<simulation steps="10" delta="0.1" root="Main" view:plot="#9.Output" xmlns:view="urn:simulate:view"><model name="Main"/></simulation>"##,
        ),
    },
    CodeDef {
        code: "malformed",
        cause: "The file is not well-formed XML or JSON.",
        remedy: "Repair the marked place in a text editor.",
        example: File(r#"<simulation steps="10" delta="0.1" root="Main"><model name="Main"></simulation>"#),
    },
    CodeDef {
        code: "merge-conflict",
        cause: "Two people changed the same thing in different ways, or a merge has caused a problem that neither side had.",
        remedy: "Open the file in the window, where the panel Review lists both sides; or use simulate settle.",
        example: Root(r#"<block id="1" group="Math" name="Gain" conflicts="option:Gain[base=1,ours=2,theirs=3]"/>"#),
    },
    CodeDef {
        code: "missing-attribute",
        cause: "A tag lacks an attribute that it needs.",
        remedy: "Add the attribute that the message names; until then the tag is kept in the file but not loaded.",
        example: Root(r#"<block group="Math" name="Gain"/>"#),
    },
    CodeDef {
        code: "missing-root",
        cause: "The simulation does not say which of its models is the root.",
        remedy: "Select the root in the panel Models, or write root=\"…\" in the file.",
        example: File(r#"<simulation steps="10" delta="0.1"><model name="Main"/></simulation>"#),
    },
    CodeDef {
        code: "missing-value",
        cause: "A variable has no value: the model of another program uses a name that its files do not set.",
        remedy: "Set it in the Import panel, or for one run with --set NAME=VALUE.",
        example: Root(r#"<variable name="a" value=""/>"#),
    },
    CodeDef {
        code: "mixed-roles",
        cause: "A model runs for each element of a vector and has a loop condition, of which each iteration would have its own.",
        remedy: "Nest two models: the outer one for the elements, the inner one for the loop.",
        example: Root(r#"<entry id="1" name="u" role="each"/><exit id="2" name="go" role="while"/>"#),
    },
    CodeDef {
        code: "mixed-units",
        cause: "A block combines signals of different units, or a wire declares another unit than its signal has.",
        remedy: "Insert a unit conversion, or correct the unit of the wire.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"/><block id="2" group="Var" name="Static"/>
    <block id="3" group="Math" name="Sum"/>
    <connection from="1" output="Output" to="3" input="Input 1" unit="m"/>
    <connection from="2" output="Output" to="3" input="Input 2" unit="s"/>"#,
        ),
    },
    CodeDef {
        code: "model-with-id",
        cause: "A definition of a model has an id, or an instance of a model is outside of any model.",
        remedy: "Remove the id of a definition; move an instance into a model.",
        example: File(
            r#"<simulation steps="10" delta="0.1" root="Main"><model name="Main"/><model name="Part" id="1"/></simulation>"#,
        ),
    },
    CodeDef {
        code: "no-variant",
        cause: "None of the conditions of a model block's variants holds, so that no model is chosen.",
        remedy: "Change the variables that the conditions use, or add a last variant without a condition.",
        example: File(
            r#"<simulation steps="10" delta="0.1" root="Main">
  <variable name="mode" value="3"/>
  <model name="Main"><model id="1" model="A" variants="A if mode == 1; B if mode == 2"/></model>
  <model name="A"/>
  <model name="B"/>
</simulation>"#,
        ),
    },
    CodeDef {
        code: "no-while-exit",
        cause: "A model has an entry with the first condition of a loop, but no exit with the condition of the next iterations.",
        remedy: "Give the exit with the condition the role “while”.",
        example: Root(r#"<entry id="1" name="go" role="while"/>"#),
    },
    CodeDef {
        code: "no-worker",
        cause: "A run needs a worker of a pool for a model block with the attribute “on”, and there is none: the pool cannot be \
                reached, no worker of this version of the program runs there, or the last one was lost.",
        remedy: "Start a worker (simulate worker --pool …) and resume the run, which goes on where it was; or run all blocks on \
                 this computer: “Run here” in the window, --here on the command line.",
        example: Situation("A block runs on=\"lab\", and the only worker of that pool is switched off during the run."),
    },
    CodeDef {
        code: "not-a-bus",
        cause: "A block takes elements of its input by name, but the input is a scalar or a vector without names. Arithmetic \
                drops the names of a bus.",
        remedy: "Make a bus with a Bus Creator, or name the elements in the parameter Input Names of the block.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"/><block id="2" group="Routing" name="Bus Selector"/>
    <connection from="1" output="Output" to="2" input="Bus"/>"#,
        ),
    },
    CodeDef {
        code: "not-a-simulation",
        cause: "The outermost tag of the file is not <simulation>.",
        remedy: "Check that it is the right file.",
        example: File(r"<html/>"),
    },
    CodeDef {
        code: "paired-role",
        cause: "An entry with a role has the name of an exit, and would therefore take the value that the exit had in the previous step.",
        remedy: "Rename the entry or the exit.",
        example: Root(r#"<entry id="1" name="x" role="enable"/><exit id="2" name="x"/>"#),
    },
    CodeDef {
        code: "placeholder",
        cause: "The block stands for one of another program that has no counterpart here. It keeps its parameters and wires.",
        remedy: "Replace it by a block or a model, which keeps its wires, or comment it out.",
        example: Root(r#"<block id="1" group="Placeholder" name="S-Function"/>"#),
    },
    CodeDef {
        code: "plugin-broken",
        cause: "The block is of a plug-in whose file cannot be used: it cannot be read, is no plug-in, or is for another \
                version of the program. The block is kept as it is.",
        remedy: "Install the plug-in again. simulate plugins lists all plug-ins and what is wrong with each.",
        example: Situation("a block of a plug-in of which the download was cut off"),
    },
    CodeDef {
        code: "plugin-off",
        cause: "The block is of a plug-in that is there and is switched off. A file never switches a plug-in on, and a \
                plug-in whose file has changed is off again. The block is kept as it is.",
        remedy: "If you trust the author of the plug-in, switch it on in Help › Plug-ins, or with simulate plugins enable.",
        example: Situation("a simulation with a folder “plugins” beside it, opened for the first time"),
    },
    CodeDef {
        code: "shared-file",
        cause: "Two blocks, or two instances of a model, write one file.",
        remedy: "Give each of them a file of its own; a variable of the model can be part of the name.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"/>
    <block id="2" group="Sink" name="To File"><option name="File"><value>a.csv</value></option></block>
    <block id="3" group="Sink" name="To File"><option name="File"><value>a.csv</value></option></block>
    <connection from="1" output="Output" to="2" input="Input 1"/>
    <connection from="1" output="Output" to="3" input="Input 1"/>"#,
        ),
    },
    CodeDef {
        code: "skipped-model",
        cause: "A model block was removed while the file was loaded, since its models are nested endlessly.",
        remedy: "Nothing, if you do not need the block: saving the file makes the removal permanent.",
        example: Situation("simulate check --skip-invalid-models, with the example of endless-nesting"),
    },
    CodeDef {
        code: "store-in-each",
        cause: "A model that runs for each element of a vector writes a data store outside, which each iteration would overwrite.",
        remedy: "Connect the value to an exit, and write the store outside of the model.",
        example: File(
            r#"<simulation steps="10" delta="0.1" root="Main">
  <model name="Main">
    <block id="1" group="Routing" name="Data Store Memory"><option name="Store"><value>s</value></option></block>
    <block id="2" group="Var" name="Static"/>
    <model id="3" model="Each"/>
    <connection from="2" output="Output" to="3" input="u"/>
  </model>
  <model name="Each">
    <entry id="1" name="u" role="each"/>
    <block id="2" group="Routing" name="Data Store Write"><option name="Store"><value>s</value></option></block>
    <connection from="1" output="Output" to="2" input="Input"/>
  </model>
</simulation>"#,
        ),
    },
    CodeDef {
        code: "stray-text",
        cause: "There is text where the file has only tags.",
        remedy: "Remove it, or write it as <option name=\"…\"><value>…</value></option> of a block.",
        example: Root("Gain = 2"),
    },
    CodeDef {
        code: "too-large",
        cause: "A signal, a block or the whole simulation is beyond a limit of size, checked before memory is allocated.",
        remedy: "Use shorter vectors, shorter delays, or fewer instances; the message names the limit.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"><option name="Value"><value>ones(100000)</value></option></block>
    <block id="2" group="Discrete" name="Delay"><option name="Length"><value>100000</value></option></block>
    <connection from="1" output="Output" to="2" input="Input"/>"#,
        ),
    },
    CodeDef {
        code: "unconnected-each",
        cause: "A model runs for each element of an input that is not connected, so it runs once.",
        remedy: "Connect the input to a vector.",
        example: File(
            r#"<simulation steps="10" delta="0.1" root="Main">
  <model name="Main"><model id="1" model="Each"/></model>
  <model name="Each"><entry id="1" name="u" role="each"/></model>
</simulation>"#,
        ),
    },
    CodeDef {
        code: "unconnected-input",
        cause: "An input is not connected, so the block never runs, or runs with a default value.",
        remedy: "Connect the input, or remove the block.",
        example: Root(r#"<block id="1" group="Math" name="Gain"/>"#),
    },
    CodeDef {
        code: "unknown-block",
        cause: "The library has no block of this group and name.",
        remedy: "Compare the spelling with “simulate blocks”; a block of an extension needs the program that has it.",
        example: Root(r#"<block id="1" group="Math" name="Gian"/>"#),
    },
    CodeDef {
        code: "unknown-bus-element",
        cause: "A parameter names an element that the bus does not have.",
        remedy: "Write one of the names that the message lists, the most similar first.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"/><block id="2" group="Var" name="Static"/>
    <block id="3" group="Routing" name="Bus Creator"><option name="Names"><value>speed force</value></option></block>
    <connection from="1" output="Output" to="3" input="speed"/><connection from="2" output="Output" to="3" input="force"/>
    <block id="4" group="Routing" name="Bus Selector"><option name="Elements"><value>sped</value></option></block>
    <connection from="3" output="Bus" to="4" input="Bus"/>"#,
        ),
    },
    CodeDef {
        code: "unknown-element",
        cause: "The file has a tag that this program does not know.",
        remedy: "Nothing, if another program needs it: it is kept unchanged. Otherwise check its name and where it is.",
        example: Root(r#"<note text="drawn in 2019"/>"#),
    },
    CodeDef {
        code: "unknown-format",
        cause: "The extension of the file's name is not one of a known format.",
        remedy: "Give the file the extension of its format.",
        example: Situation("simulate check model.txt"),
    },
    CodeDef {
        code: "unknown-input",
        cause: "A wire leads to an input that the block does not have.",
        remedy: "Connect it to one of the inputs that the message lists, or set the parameter for the number of inputs.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"/><block id="2" group="Math" name="Gain"/>
    <connection from="1" output="Output" to="2" input="In"/>"#,
        ),
    },
    CodeDef {
        code: "unknown-model",
        cause: "A block is an instance of a model that the file does not have.",
        remedy: "Add the model, or select another one for the block.",
        example: Root(r#"<model id="1" model="Motor"/>"#),
    },
    CodeDef {
        code: "unknown-option",
        cause: "A block has a value for a parameter that it does not have.",
        remedy: "Check the name; the value is kept in the file but not used.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"><option name="Factor"><value>2</value></option></block>"#,
        ),
    },
    CodeDef {
        code: "unknown-output",
        cause: "A wire comes from an output that the block does not have.",
        remedy: "Connect it to one of the outputs that the message lists.",
        example: Root(
            r#"<block id="1" group="Math" name="Gain"/><block id="2" group="Math" name="Gain"/>
    <connection from="1" output="Out" to="2" input="Input"/>"#,
        ),
    },
    CodeDef {
        code: "unknown-role",
        cause: "An entry or exit has a role that does not exist.",
        remedy: "Select one of the roles that the message lists.",
        example: Root(r#"<entry id="1" name="u" role="start"/>"#),
    },
    CodeDef {
        code: "unknown-root",
        cause: "The root of the simulation is a model that the file does not have.",
        remedy: "Select the root in the panel Models.",
        example: File(r#"<simulation steps="10" delta="0.1" root="Mian"><model name="Main"/></simulation>"#),
    },
    CodeDef {
        code: "unknown-solver",
        cause: "There is no solver of this name.",
        remedy: "Select one of the solvers that the message lists, in the panel Simulation.",
        example: File(
            r#"<simulation steps="10" delta="0.1" solver="rk9" root="Main"><model name="Main"/></simulation>"#,
        ),
    },
    CodeDef {
        code: "unknown-tag",
        cause: "A block reads a name that no Goto or data store of its model, or of an outer model, provides.",
        remedy: "Add a block that provides the name, or correct the name; a Goto of an outer model needs the visibility “inside”.",
        example: Root(
            r#"<block id="1" group="Routing" name="From"><option name="Tag"><value>speed</value></option></block>"#,
        ),
    },
    CodeDef {
        code: "unreadable",
        cause: "The file cannot be read: it does not exist, is a folder, or access is denied.",
        remedy: "Check the path and the permissions.",
        example: Situation("simulate check of a folder"),
    },
    CodeDef {
        code: "unwritable-file",
        cause: "A file that a block writes cannot be created: the folder does not exist, is outside the simulation's \
                folder, or access is denied.",
        remedy: "Correct the path, or allow the folder: asked in the window, --allow-write DIR on the command line.",
        example: Situation("a To File block with the file /results.csv"),
    },
    CodeDef {
        code: "width",
        cause: "Signals of different widths meet, or a block gets a vector where it takes one element.",
        remedy: "Give both signals the same width, or select an element with Demux. A scalar fits every vector.",
        example: Root(
            r#"<block id="1" group="Var" name="Static"><option name="Value"><value>1</value><value>2</value></option></block>
    <block id="2" group="Var" name="Static">
      <option name="Value"><value>1</value><value>2</value><value>3</value></option>
    </block>
    <block id="3" group="Math" name="Sum"/>
    <connection from="1" output="Output" to="3" input="Input 1"/>
    <connection from="2" output="Output" to="3" input="Input 2"/>"#,
        ),
    },
];

/// Returns the explanation of a code.
pub fn explanation(code: &str) -> Option<&'static CodeDef> {
    CODES.iter().find(|def| def.code == code)
}

impl CodeExample {
    /// Returns the file of the example; none for a situation.
    pub fn file(&self) -> Option<String> {
        match self {
            Root(content) => Some(format!(
                "<simulation steps=\"10\" delta=\"0.1\" root=\"Main\">\n  <model name=\"Main\">\n    {content}\n  \
                 </model>\n</simulation>\n"
            )),
            File(content) => Some(format!("{content}\n")),
            Situation(_) => None,
        }
    }
}
