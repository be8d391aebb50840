//! WebAssembly by wasmi: modules, their imports and limits, and instances.

use std::fmt;

use wasmi::{
    Caller, CompilationMode, Config, EnforcedLimits, Engine, Error, Extern, ExternType, Linker, Memory, Module, Store,
    StoreLimits, StoreLimitsBuilder, TrapCode, TypedFunc, ValType,
};

use super::description::{BlockText, Description, DescriptionError, StateTextKind};
use super::guest::{CALL_LIMIT, ELEMENT_LIMIT, Function, Guest, GuestError, MEMORY_LIMIT, Shape};
use crate::block::language::{FUNCTIONS, FunctionKind};

/// The maximum size of a plug-in's file in bytes.
pub const MAX_FILE: u64 = 16 << 20;

/// The name of the custom section with the description, and of the module of all imports.
const SIMULATE: &str = "simulate";
const MEMORY: &str = "memory";
const LOG: &str = "print";
/// The maximum length of the log of a call, in bytes.
const MAX_LOG: usize = 1024;
const PAGE: usize = 1 << 16;

/// Why the file of a plug-in cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error("this is not a WebAssembly module that this program can run: {0}")]
    Module(String),
    #[error("the module has no custom section “simulate” with a description: it is not a plug-in")]
    NoDescription,
    #[error("the module has {0} custom sections “simulate”; it must have one")]
    SeveralDescriptions(usize),
    #[error(transparent)]
    Description(#[from] DescriptionError),
    #[error(
        "the module imports {0}, which a plug-in must not: it may import functions of formulas and “print” of “simulate”"
    )]
    Import(String),
    #[error("the module imports {0} with another type than it has here")]
    ImportType(String),
    #[error("the module does not export {0}")]
    Export(&'static str),
    #[error("the module needs {0:.1} MB of memory at its start; a plug-in may have 16 MB")]
    Memory(f64),
}

/// Code that is ready to be instantiated.
pub struct Code {
    engine: Engine,
    module: Module,
    linker: Linker<Host>,
}

/// The state that the imported functions of a module may access.
struct Host {
    limits: StoreLimits,
    log: String,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Code").finish_non_exhaustive()
    }
}

impl Code {
    /// Reads a module and its description. Nothing of it runs.
    ///
    /// # Errors
    /// Fails if this is not a plug-in.
    pub fn read(bytes: &[u8]) -> Result<(Code, Description), LoadError> {
        let engine = Engine::new(&config());
        // wasmi validates while it translates, and panics at operators behind the end of a function.
        let valid = wasmparser::Validator::new().validate_all(bytes);
        valid.map_err(|error| LoadError::Module(error.to_string()))?;
        let module = Module::new(&engine, bytes).map_err(|error| LoadError::Module(error.to_string()))?;
        let sections: Vec<&[u8]> = module
            .custom_sections()
            .filter(|section| section.name() == SIMULATE)
            .map(|section| section.data())
            .collect();
        let description = match sections[..] {
            [] => return Err(LoadError::NoDescription),
            [section] => Description::read(section)?,
            _ => return Err(LoadError::SeveralDescriptions(sections.len())),
        };
        let linker = linker(&engine);
        check_imports(&module)?;
        check_exports(&module, &description.blocks)?;
        Ok((Code { engine, module, linker }, description))
    }

    /// Creates an instance for a shape of the block with this index.
    ///
    /// # Errors
    /// Fails if the memory is too small, or the code cannot be started.
    pub fn instance(&self, block: usize, shape: &Shape) -> Result<Box<dyn Guest>, GuestError> {
        Instance::new(self, block, shape).map(|instance| Box::new(instance) as Box<dyn Guest>)
    }
}

fn config() -> Config {
    let mut config = Config::default();
    // Modules that take long to compile are refused: those with very many functions, or very many tiny ones.
    config.wasm_multi_memory(false).enforced_limits(EnforcedLimits::strict());
    config.consume_fuel(true).compilation_mode(CompilationMode::Eager);
    config
}

/// The functions that modules may import: those of formulas with one or two numbers, and the log.
fn linker(engine: &Engine) -> Linker<Host> {
    let mut linker = Linker::new(engine);
    for function in FUNCTIONS.iter() {
        // The names of the table are unique, so that no definition replaces another.
        let _ = match function.kind {
            FunctionKind::Unary(op) => {
                linker.func_wrap(SIMULATE, function.name, move |a: f64| canonical(op.value(a))).map(drop)
            }
            FunctionKind::Binary(op) | FunctionKind::Row(op) => {
                linker.func_wrap(SIMULATE, function.name, move |a: f64, b: f64| canonical(op.value(a, b))).map(drop)
            }
            _ => Ok(()),
        };
    }
    let _ = linker.func_wrap(SIMULATE, LOG, |mut caller: Caller<Host>, text: u32, length: u32| {
        let Some(memory) = caller.get_export(MEMORY).and_then(Extern::into_memory) else { return };
        let (bytes, host) = memory.data_and_store_mut(&mut caller);
        let length = (length as usize).min(MAX_LOG - host.log.len().min(MAX_LOG));
        let text = bytes.get(text as usize..).map(|bytes| &bytes[..length.min(bytes.len())]).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        host.log.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
    });
    linker
}

fn check_imports(module: &Module) -> Result<(), LoadError> {
    for import in module.imports() {
        let name = format!("“{}” of “{}”", import.name(), import.module());
        let function = FUNCTIONS.iter().find(|function| function.name == import.name()).map(|function| function.kind);
        let params = match function {
            _ if import.module() != SIMULATE => return Err(LoadError::Import(name)),
            Some(FunctionKind::Unary(_)) => vec![ValType::F64],
            Some(FunctionKind::Binary(_) | FunctionKind::Row(_)) => vec![ValType::F64; 2],
            None if import.name() == LOG => vec![ValType::I32; 2],
            _ => return Err(LoadError::Import(name)),
        };
        let results = if import.name() == LOG && function.is_none() { Vec::new() } else { vec![ValType::F64] };
        if !matches!(import.ty(), ExternType::Func(of) if of.params() == params && of.results() == results) {
            return Err(LoadError::ImportType(name));
        }
    }
    Ok(())
}

fn check_exports(module: &Module, blocks: &[BlockText]) -> Result<(), LoadError> {
    let Some(ExternType::Memory(memory)) = module.get_export(MEMORY) else {
        return Err(LoadError::Export("its memory as “memory”"));
    };
    if memory.minimum() > (MEMORY_LIMIT / PAGE) as u64 {
        return Err(LoadError::Memory((memory.minimum() * PAGE as u64) as f64 / f64::from(1 << 20)));
    }
    let has_state = |kind: StateTextKind| blocks.iter().flat_map(|block| &block.states).any(|state| state.kind == kind);
    let functions = [
        (Function::Outputs, "simulate_outputs(i32, i32) → i32", true),
        (
            Function::Update,
            "simulate_update(i32, i32) → i32, which discrete states need",
            has_state(StateTextKind::Discrete),
        ),
        (
            Function::Derivatives,
            "simulate_derivatives(i32, i32) → i32, which continuous states need",
            has_state(StateTextKind::Continuous),
        ),
    ];
    for (function, text, _) in functions.into_iter().filter(|(_, _, is_needed)| *is_needed) {
        let is_it = matches!(module.get_export(function.export()), Some(ExternType::Func(of))
            if of.params() == [ValType::I32; 2] && of.results() == [ValType::I32]);
        if !is_it {
            return Err(LoadError::Export(text));
        }
    }
    Ok(())
}

/// Returns the number with the one not-a-number that the program knows, so that no bits of a processor pass.
fn canonical(number: f64) -> f64 {
    if number.is_nan() { f64::NAN } else { number }
}

/// The frame of a call: a structure in the memory of the instance, in pages behind its own. See `simulate_plugin.h`.
struct Frame {
    /// The offset of the structure in the memory.
    base: usize,
    /// The offset of the elements that a function reads.
    read: usize,
    read_count: usize,
    outputs: usize,
    states: usize,
}

/// The numbers of the clock, six pointers, and four counts.
const HEAD: usize = 3 * 8 + 6 * 4 + 4 * 4;
/// A pointer and a count.
const SIGNAL: usize = 8;

struct Instance {
    store: Store<Host>,
    memory: Memory,
    frame: Frame,
    block: i32,
    /// The instructions that a call may take.
    limit: u64,
    functions: [Option<TypedFunc<(i32, i32), i32>>; 3],
}

impl Instance {
    fn new(code: &Code, block: usize, shape: &Shape) -> Result<Instance, GuestError> {
        let limits =
            StoreLimitsBuilder::new().memory_size(MEMORY_LIMIT).table_elements(10_000).instances(1).memories(1);
        let host = Host { limits: limits.build(), log: String::new() };
        let mut store = Store::new(&code.engine, host);
        store.limiter(|host| &mut host.limits);
        let start = |error: Error| GuestError::Start(error.to_string());
        store.set_fuel(CALL_LIMIT).map_err(start)?;
        let instance = code.linker.instantiate_and_start(&mut store, &code.module).map_err(|error| {
            match error.as_trap_code() {
                Some(TrapCode::OutOfFuel) => GuestError::Endless,
                Some(TrapCode::GrowthOperationLimited) => GuestError::Memory,
                _ => GuestError::Start(error.to_string()),
            }
        })?;
        let Some(memory) = instance.get_memory(&store, MEMORY) else {
            return Err(GuestError::Start("it has no memory".to_owned()));
        };
        let functions = [Function::Outputs, Function::Update, Function::Derivatives]
            .map(|function| instance.get_typed_func(&store, function.export()).ok());
        let (frame, head) = frame(memory.data_size(&store), shape);
        let pages = head.len().saturating_add(shape_bytes(shape)).div_ceil(PAGE);
        memory.grow(&mut store, pages as u64).map_err(|_| GuestError::Memory)?;
        memory.write(&mut store, frame.base, &head).map_err(|error| GuestError::Start(error.to_string()))?;
        let limit = CALL_LIMIT + ELEMENT_LIMIT * (shape_bytes(shape) / 8) as u64;
        Ok(Instance { store, memory, frame, block: block as i32, limit, functions })
    }

    fn trap(&mut self, error: &Error) -> GuestError {
        match error.as_trap_code() {
            Some(TrapCode::OutOfFuel) => GuestError::Endless,
            Some(TrapCode::GrowthOperationLimited) => GuestError::Memory,
            _ => GuestError::Trap { reason: error.to_string(), log: self.take_log() },
        }
    }

    fn take_log(&mut self) -> String {
        std::mem::take(&mut self.store.data_mut().log)
    }
}

impl Guest for Instance {
    fn call(&mut self, function: Function, args: &[f64], out: &mut [f64]) -> Result<(), GuestError> {
        let Some(code) = &self.functions[function as usize] else {
            return Err(GuestError::Start(format!("it does not export {}", function.export())));
        };
        let code = *code;
        let Frame { base, read, read_count, outputs, states } = self.frame;
        let results = if function == Function::Outputs { outputs } else { states };
        let memory = self.memory.data_mut(&mut self.store);
        let (clock, elements) = args.split_at(3.min(args.len()));
        if elements.len() != read_count {
            return Err(GuestError::Start("a call has another shape than its instance".to_owned()));
        }
        write(memory, base, clock);
        write(memory, read, elements);
        // A result that the code does not set must not be that of the call before.
        if let Some(bytes) = memory.get_mut(results..results + 8 * out.len()) {
            bytes.chunks_exact_mut(8).for_each(|bytes| bytes.copy_from_slice(&f64::NAN.to_le_bytes()));
        }
        self.store.data_mut().log.clear();
        if let Err(error) = self.store.set_fuel(self.limit) {
            return Err(GuestError::Start(error.to_string()));
        }
        match code.call(&mut self.store, (self.block, base as i32)) {
            Ok(0) => {}
            Ok(code) => return Err(GuestError::Failed { code, log: self.take_log() }),
            Err(error) => return Err(self.trap(&error)),
        }
        let memory = self.memory.data(&self.store);
        let bytes = memory.get(results..results + 8 * out.len()).unwrap_or_default();
        for (out, bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
            *out = canonical(f64::from_le_bytes(*bytes));
        }
        Ok(())
    }
}

fn write(memory: &mut [u8], at: usize, numbers: &[f64]) {
    let Some(bytes) = memory.get_mut(at..at + 8 * numbers.len()) else { return };
    for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
        *bytes = canonical(*number).to_le_bytes();
    }
}

/// Returns the bytes of all elements of a shape.
fn shape_bytes(shape: &Shape) -> usize {
    let written = shape.written(Function::Outputs).saturating_add(shape.written(Function::Update));
    shape.read().saturating_add(written).saturating_mul(8)
}

/// Returns the frame at the end of a memory of this size, and its structure with the tables of its signals.
fn frame(base: usize, shape: &Shape) -> (Frame, Vec<u8>) {
    let Shape { inputs, params, states, outputs } = shape;
    let signals = inputs.len() + params.len() + 2 * states.len() + outputs.len();
    let head = HEAD + signals * SIGNAL;
    let read = base + head;
    let read_count = shape.read();
    let outputs_at = read + 8 * read_count;
    let states_at = outputs_at + 8 * shape.written(Function::Outputs);
    // Both next values and rates go where the last table leads.
    let next: &Vec<usize> = states;
    let (mut pointers, mut tables) = (Vec::new(), Vec::new());
    let (mut table_at, mut element_at) = (base + HEAD, read);
    for widths in [inputs, params, states, outputs, next] {
        pointers.push(table_at as u32);
        for &width in widths {
            tables.extend([element_at as u32, width as u32]);
            element_at += 8 * width;
            table_at += SIGNAL;
        }
    }
    // The table of the rates is that of the next values.
    pointers.extend(pointers.last().copied());
    pointers.extend([inputs, params, states, outputs].map(|widths| widths.len() as u32));
    let mut bytes = vec![0; 3 * 8];
    bytes.extend(pointers.into_iter().chain(tables).flat_map(u32::to_le_bytes));
    (Frame { base, read, read_count, outputs: outputs_at, states: states_at }, bytes)
}
