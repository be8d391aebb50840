//! Remote blocks with workers in this process, which can be lost: what goes through the border, and what it costs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use simulate::block::{Cancel, Registry};
use simulate::engine::{
    Context, Engine, Engines, Execute, Program, Remote, RemoteError, RemoteService, RemoteSession, RemoteWorkers,
    RunError, Samples, Solver, TierUp, compile,
};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::Simulation;

/// Workers in this process. Each compiles the model again, as one elsewhere does.
#[derive(Debug, Default)]
pub struct Inside {
    /// How many sessions were opened, and whether every second one is lost after some requests.
    opened: AtomicU64,
    are_mortal: bool,
}

impl Inside {
    pub fn lasting() -> Inside {
        Inside::default()
    }

    pub fn mortal() -> Inside {
        Inside { are_mortal: true, ..Inside::default() }
    }
}

#[derive(Debug)]
struct InsideSession {
    service: RemoteService,
    answers: VecDeque<Vec<u8>>,
    /// Requests until it is lost.
    left: u64,
    /// Whether it is lost before it has executed the last one, not after that.
    is_early: bool,
}

impl RemoteWorkers for Inside {
    fn knows(&self, _: &str) -> bool {
        true
    }

    fn open(&self, program: &Arc<Program>, block: usize) -> Result<Box<dyn RemoteSession>, RemoteError> {
        let remote = program.remote.as_ref().expect("remote blocks");
        let own = Arc::new(compile(&remote.simulation, &remote.registry).expect("the same model"));
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        // Some change over to machine code at once, some do not come to it.
        let tier_up = if number % 3 == 2 { TierUp::Background } else { TierUp::Wait };
        let service = RemoteService::with(&own, block, tier_up).expect("the same blocks");
        let left = match self.are_mortal && number.is_multiple_of(2) {
            true => 2 + (number + 1) * 7 % 23,
            false => u64::MAX,
        };
        Ok(Box::new(InsideSession { service, answers: VecDeque::new(), left, is_early: number.is_multiple_of(4) }))
    }

    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

fn lost() -> RemoteError {
    RemoteError::Lost("it was killed".to_owned())
}

impl RemoteSession for InsideSession {
    fn send(&mut self, request: &[u8]) -> Result<(), RemoteError> {
        if self.left == 0 {
            return Err(lost());
        }
        self.left -= 1;
        if self.left > 0 || !self.is_early {
            let answer = self.service.answer(request).expect("a request");
            self.answers.extend((self.left > 0).then_some(answer));
        }
        Ok(())
    }

    fn receive(&mut self, _: Duration) -> Result<Option<Vec<u8>>, RemoteError> {
        if self.left == 0 { Err(lost()) } else { Ok(self.answers.pop_front()) }
    }

    fn ready(&mut self, _: Duration) -> Result<Option<u64>, RemoteError> {
        Ok(Some(self.service.fingerprint()))
    }

    fn worker(&self) -> String {
        "inside".to_owned()
    }
}

/// What sessions did, in order: `s0` sends a request to block 0, `r0` gets its answer.
type Journal<T = String> = Arc<Mutex<Vec<T>>>;

/// Workers that tell what is sent, and may misbehave.
#[derive(Debug, Default)]
struct Watched {
    inside: Inside,
    journal: Journal,
    /// Answers after so many requests are never sent.
    silent_after: Option<u64>,
    /// Cancels the run as soon as somebody waits for such an answer.
    cancel: Option<Cancel>,
    /// No session is opened after so many.
    sessions: Option<u64>,
    has_other_program: bool,
    refusal: Option<&'static str>,
}

#[derive(Debug)]
struct WatchedSession {
    session: Box<dyn RemoteSession>,
    block: usize,
    journal: Journal,
    left: u64,
    cancel: Option<Cancel>,
    has_other_program: bool,
}

impl RemoteWorkers for Watched {
    fn knows(&self, pool: &str) -> bool {
        pool == "pool"
    }

    fn open(&self, program: &Arc<Program>, block: usize) -> Result<Box<dyn RemoteSession>, RemoteError> {
        if let Some(refusal) = self.refusal {
            return Err(RemoteError::Refused(refusal.to_owned()));
        }
        if self.sessions.is_some_and(|sessions| self.inside.opened.load(Ordering::Relaxed) >= sessions) {
            return Err(RemoteError::Lost("nobody answers".to_owned()));
        }
        let session = self.inside.open(program, block)?;
        let (journal, left) = (Arc::clone(&self.journal), self.silent_after.unwrap_or(u64::MAX));
        let (cancel, has_other_program) = (self.cancel.clone(), self.has_other_program);
        Ok(Box::new(WatchedSession { session, block, journal, left, cancel, has_other_program }))
    }

    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

impl RemoteSession for WatchedSession {
    fn send(&mut self, request: &[u8]) -> Result<(), RemoteError> {
        self.journal.lock().unwrap().push(format!("s{}", self.block));
        self.session.send(request)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, RemoteError> {
        if self.left == 0 {
            self.cancel.iter().for_each(Cancel::cancel);
            return Ok(None);
        }
        self.left -= 1;
        self.journal.lock().unwrap().push(format!("r{}", self.block));
        self.session.receive(wait)
    }

    fn ready(&mut self, wait: Duration) -> Result<Option<u64>, RemoteError> {
        let fingerprint = self.session.ready(wait)?;
        Ok(fingerprint.map(|fingerprint| fingerprint ^ u64::from(self.has_other_program)))
    }

    fn worker(&self) -> String {
        "watched".to_owned()
    }
}

fn simulation(text: &str) -> Simulation {
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it is well formed");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    loaded.simulation
}

fn program(text: &str) -> Arc<Program> {
    Arc::new(compile(&simulation(text), &Registry::standard()).expect("it compiles"))
}

/// A child with two ways through: `y` follows from `b` alone, and `x` from `a`; outside `a` follows from `y`.
fn crossing(solver: &str) -> String {
    format!(
        r#"<simulation steps="20" delta="0.1" root="Main" solver="{solver}"><model name="Main">
    <block id="1" group="Var" name="Ramp"/>
    <model id="2" model="Child" on="pool"/>
    <block id="3" group="Math" name="Gain"><option name="Gain"><value>3</value></option></block>
    <exit id="4" name="x"/>
    <connection from="1" output="Output" to="2" input="b"/>
    <connection from="2" output="y" to="3" input="Input"/>
    <connection from="3" output="Output" to="2" input="a"/>
    <connection from="2" output="x" to="4" input="Input"/>
    </model><model name="Child">
    <entry id="0" name="a"/><entry id="1" name="b"/><exit id="2" name="x"/><exit id="3" name="y"/>
    <block id="4" group="Math" name="Gain"><option name="Gain"><value>0.7</value></option></block>
    <block id="5" group="Math" name="Gain"><option name="Gain"><value>-1.3</value></option></block>
    <connection from="0" output="Output" to="4" input="Input"/>
    <connection from="4" output="Output" to="2" input="Input"/>
    <connection from="1" output="Output" to="5" input="Input"/>
    <connection from="5" output="Output" to="3" input="Input"/>
    </model></simulation>"#
    )
}

/// Two children that do not know each other: in each an integrator of its input, and a delay.
fn twins(solver: &str) -> String {
    format!(
        r#"<simulation steps="20" delta="0.1" root="Main" solver="{solver}"><model name="Main">
    <block id="1" group="Var" name="Ramp"/>
    <model id="2" model="Child" on="pool"/><model id="3" model="Child" on="pool"/>
    <block id="4" group="Math" name="Gain"><option name="Gain"><value>-2</value></option></block>
    <exit id="5" name="p"/><exit id="6" name="q"/>
    <connection from="1" output="Output" to="2" input="u"/>
    <connection from="1" output="Output" to="4" input="Input"/>
    <connection from="4" output="Output" to="3" input="u"/>
    <connection from="2" output="y" to="5" input="Input"/>
    <connection from="3" output="y" to="6" input="Input"/>
    </model><model name="Child">
    <entry id="0" name="u"/><exit id="1" name="y"/>
    <block id="2" group="Math" name="Integrate"/>
    <block id="3" group="Math" name="Multiply"/>
    <connection from="0" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="3" input="Multiplicand 1"/>
    <connection from="0" output="Output" to="3" input="Multiplicand 2"/>
    <connection from="3" output="Product" to="1" input="Input"/>
    </model></simulation>"#
    )
}

/// A child with vectors that are long enough for machine code, of which one is integrated.
const LONG: &str = r#"<simulation steps="20" delta="0.1" root="Main" solver="heun"><model name="Main">
    <block id="1" group="Var" name="Ramp"/>
    <model id="2" model="Child" on="pool"/>
    <exit id="3" name="y"/>
    <connection from="1" output="Output" to="2" input="u"/>
    <connection from="2" output="y" to="3" input="Input"/>
    </model><model name="Child">
    <entry id="0" name="u"/><exit id="1" name="y"/>
    <block id="2" group="Var" name="Static"><option name="Value"><value>linspace(0, 1, 50)</value></option></block>
    <block id="3" group="Math" name="Sum"/>
    <block id="4" group="Math" name="Gain"><option name="Gain"><value>0.7</value></option></block>
    <block id="5" group="Math" name="Integrate"/>
    <block id="6" group="Math" name="Multiply"/>
    <block id="7" group="Math" name="Sum"><option name="Signs"><value>+</value></option></block>
    <connection from="0" output="Output" to="3" input="Input 1"/>
    <connection from="2" output="Output" to="3" input="Input 2"/>
    <connection from="3" output="Output" to="4" input="Input"/>
    <connection from="4" output="Output" to="5" input="Input"/>
    <connection from="5" output="Output" to="6" input="Multiplicand 1"/>
    <connection from="4" output="Output" to="6" input="Multiplicand 2"/>
    <connection from="6" output="Product" to="7" input="Input 1"/>
    <connection from="7" output="Output" to="1" input="Input"/>
    </model></simulation>"#;

/// A run in workers, beside the same run here.
struct Trial {
    program: Arc<Program>,
    execute: Box<dyn Execute>,
    journal: Journal,
    context: Context,
}

impl Trial {
    fn new(text: &str, workers: Watched) -> Trial {
        let program = program(text);
        let journal = Arc::clone(&workers.journal);
        let execute = Remote::new(Arc::new(workers)).prepare(&program).expect("it can run this");
        let context = Context::new(&program);
        Trial { program, execute, journal, context }
    }

    fn run(&mut self, steps: u64) -> Result<(), RunError> {
        let mut samples = Samples::new(self.program.outputs.keys());
        self.execute.run(&mut self.context, steps, &mut samples)
    }

    /// The bytes of the same run here.
    #[track_caller]
    fn check(&self) {
        let mut context = Context::new(&self.program);
        let mut execute = Engines::reference().prepare(&self.program).expect("it can run this");
        execute.run(&mut context, self.context.step, &mut Samples::default()).expect("it runs");
        assert!(context.to_bytes(&self.program) == self.context.to_bytes(&self.program), "other bits");
    }

    fn exchanges_per_step(&self) -> f64 {
        self.execute.remote_costs().iter().map(|cost| cost.exchanges_per_step()).fold(0.0, f64::max)
    }
}

/// One exchange brings `y`, from which `a` follows; the second one brings `x`. The few more fetch all values and states.
#[test]
fn what_depends_on_an_output_takes_a_second_exchange() {
    let mut trial = Trial::new(&crossing("euler"), Watched::default());
    trial.run(1000).expect("it runs");
    trial.check();
    assert!((2.0..2.1).contains(&trial.exchanges_per_step()), "{}", trial.exchanges_per_step());
}

/// What nobody reads before the end of a call is brought then: requests are kept until an answer is needed.
#[test]
fn what_nobody_reads_takes_no_exchange() {
    let mut trial = Trial::new(&twins("rk4"), Watched::default());
    trial.execute.run(&mut trial.context, 1000, &mut Samples::default()).expect("it runs");
    trial.check();
    assert!(trial.exchanges_per_step() < 0.1, "{}", trial.exchanges_per_step());
}

/// Machine code leaves in memory what is watched; of all else the last step of a call brings the values.
#[test]
fn what_code_keeps_to_itself_is_there_when_it_is_watched_and_when_a_call_ends() {
    let mut trial = Trial::new(LONG, Watched::default());
    let mut execute = Engines::reference().prepare(&trial.program).expect("it can run this");
    let mut context = Context::new(&trial.program);
    let count = trial.program.outputs.len();
    for (steps, watched) in [(9, 0..0), (9, 0..count), (1, 0..0), (9, 0..count / 2), (9, 0..0), (9, count / 2..count)] {
        let watched = || trial.program.outputs.keys().take(watched.end).skip(watched.start);
        let [mut there, mut here] = [(); 2].map(|()| Samples::new(watched()));
        trial.execute.run(&mut trial.context, steps, &mut there).expect("it runs");
        execute.run(&mut context, steps, &mut here).expect("it runs");
        for (there, here) in there.watches().iter().zip(here.watches()) {
            let bits = |values: &[f64]| -> Vec<u64> { values.iter().map(|value| value.to_bits()).collect() };
            assert_eq!(bits(&there.values), bits(&here.values), "output {:?}", there.output);
        }
        trial.check();
    }
}

#[test]
fn independent_blocks_are_asked_at_the_same_time() {
    let mut trial = Trial::new(&twins("euler"), Watched::default());
    trial.run(1000).expect("it runs");
    trial.check();
    assert!((1.0..1.1).contains(&trial.exchanges_per_step()), "{}", trial.exchanges_per_step());
    let journal = trial.journal.lock().unwrap();
    assert!(journal.len() > 4000);
    for round in journal.chunks(4) {
        assert_eq!(round, ["s0", "s1", "r0", "r1"]);
    }
}

#[test]
fn every_solver_gives_the_same_bits() {
    for solver in Solver::ALL {
        for text in [crossing(solver.name()), twins(solver.name())] {
            for inside in [Inside::lasting(), Inside::mortal()] {
                let are_mortal = inside.are_mortal;
                let mut trial = Trial::new(&text, Watched { inside, ..Watched::default() });
                [1, 7, 60].iter().for_each(|&steps| trial.run(steps).expect("it runs"));
                trial.check();
                let restarts: u64 = trial.execute.remote_costs().iter().map(|cost| cost.restarts).sum();
                assert_eq!(restarts > 0, are_mortal, "{}", solver.name());
            }
        }
    }
}

/// The context is then that of the begin of a step, and the run can go on here.
#[test]
fn a_run_without_workers_ends_and_can_go_on_here() {
    let inside = Inside::mortal();
    let mut trial = Trial::new(&crossing("rk4"), Watched { inside, sessions: Some(1), ..Watched::default() });
    let error = trial.run(1000).expect_err("nobody is left");
    assert_eq!(error.problem, "no worker for the pool “pool”: nobody answers");
    assert_eq!(error.step, trial.context.step);
    assert!(error.block.is_some());
    trial.check();
    let mut here = Engines::standard().get("auto").expect("the engine").prepare(&trial.program).expect("it can run it");
    here.run(&mut trial.context, 100, &mut Samples::default()).expect("it runs");
    trial.check();
}

#[test]
fn stop_is_heard_while_a_worker_hangs() {
    let mut cancel = Cancel::new();
    let workers = Watched { silent_after: Some(90), cancel: Some(cancel.clone()), ..Watched::default() };
    let mut trial = Trial::new(&crossing("rk4"), workers);
    let mut samples = Samples::default();
    samples.set_cancel(&cancel);
    trial.execute.run(&mut trial.context, 1000, &mut samples).expect("a cancelled run has no error");
    assert!((1..1000).contains(&trial.context.step), "{}", trial.context.step);
    trial.check();
    cancel.hear();
}

#[test]
fn another_program_and_a_refusal_end_the_run() {
    let mut trial = Trial::new(&crossing("rk4"), Watched { has_other_program: true, ..Watched::default() });
    let error = trial.run(3).expect_err("it is another program");
    assert!(error.problem.contains("has compiled the model in another way"), "{error}");
    assert_eq!(trial.context.step, 0);
    let refusal = Some("the worker has version 0.0");
    let mut trial = Trial::new(&crossing("rk4"), Watched { refusal, ..Watched::default() });
    let error = trial.run(3).expect_err("it is another version");
    assert_eq!(error.problem, "no worker for the pool “pool”: the worker has version 0.0");
}

#[test]
fn without_workers_blocks_run_here_and_an_unknown_pool_is_refused() {
    let text = crossing("rk4").replace("on=\"pool\"", "on=\"other\"");
    let program = program(&text);
    let engines = Engines::standard();
    assert_eq!(engines.get("auto").expect("the engine").prepare(&program).expect("it runs").engine(), "compiled");
    let engines = engines.with_remote(Arc::new(Remote::new(Arc::new(Watched::default()))));
    let declined = engines.get("auto").expect("the engine").prepare(&program).err().expect("the pool is unknown");
    assert_eq!(declined.reason, "the pool “other” is unknown here");
    let known = super::remote::program(&crossing("rk4"));
    assert_eq!(engines.get("auto").expect("the engine").prepare(&known).expect("it runs").engine(), Remote::NAME);
    // Who chooses an engine by its name gets it.
    assert_eq!(engines.get("simple").expect("the engine").prepare(&known).expect("it runs").engine(), "simple");
}

#[test]
fn an_address_is_no_name_of_a_pool() {
    let text = crossing("rk4").replace("on=\"pool\"", "on=\"nats://host\"");
    let found = simulate::engine::diagnose(&simulation(&text), &Registry::standard());
    assert!(
        found.iter().any(|found| found.is_error() && found.message.contains("not the name of a pool")),
        "{found:?}"
    );
}

/// A session whose answers are damaged now and then.
#[derive(Debug)]
struct Damaged {
    inside: Inside,
    /// The requests that were sent.
    requests: Journal<Vec<u8>>,
    random: Arc<AtomicU64>,
}

#[derive(Debug)]
struct DamagedSession {
    session: Box<dyn RemoteSession>,
    requests: Journal<Vec<u8>>,
    random: Arc<AtomicU64>,
}

/// Changes some bytes behind the sequence number, or cuts the rest off.
fn damage(bytes: &mut Vec<u8>, random: &AtomicU64) {
    let next = || {
        let raw = random.load(Ordering::Relaxed).wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        random.store(raw, Ordering::Relaxed);
        (raw >> 33) as usize
    };
    if bytes.len() < 10 {
        return;
    }
    match next() % 4 {
        0 => bytes.truncate(8 + next() % (bytes.len() - 8)),
        count => {
            for _ in 0..count {
                let at = 8 + next() % (bytes.len() - 8);
                bytes[at] = if next() % 3 == 0 { next() as u8 } else { bytes[at] ^ (1 << (next() % 8)) };
            }
        }
    }
}

impl RemoteWorkers for Damaged {
    fn knows(&self, _: &str) -> bool {
        true
    }

    fn open(&self, program: &Arc<Program>, block: usize) -> Result<Box<dyn RemoteSession>, RemoteError> {
        let session = self.inside.open(program, block)?;
        let (requests, random) = (Arc::clone(&self.requests), Arc::clone(&self.random));
        Ok(Box::new(DamagedSession { session, requests, random }))
    }

    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

impl RemoteSession for DamagedSession {
    fn send(&mut self, request: &[u8]) -> Result<(), RemoteError> {
        self.requests.lock().unwrap().push(request.to_vec());
        self.session.send(request)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, RemoteError> {
        let mut answer = self.session.receive(wait)?;
        if self.random.load(Ordering::Relaxed).is_multiple_of(3) {
            answer.iter_mut().for_each(|answer| damage(answer, &self.random));
        } else {
            self.random.fetch_add(0x9E37_79B9, Ordering::Relaxed);
        }
        Ok(answer)
    }

    fn ready(&mut self, wait: Duration) -> Result<Option<u64>, RemoteError> {
        self.session.ready(wait)
    }

    fn worker(&self) -> String {
        "damaged".to_owned()
    }
}

/// A run may have other numbers then, or end; a worker may refuse. Neither breaks.
#[test]
fn damaged_messages_break_neither_side() {
    for (seed, text) in [(1, crossing("rk4")), (2, twins("dopri45")), (3, twins("heun"))] {
        let (requests, random) = (Journal::default(), Arc::new(AtomicU64::new(seed)));
        let workers = Damaged { inside: Inside::lasting(), requests: Arc::clone(&requests), random: random.clone() };
        let program = program(&text);
        let mut execute = Remote::new(Arc::new(workers)).prepare(&program).expect("it can run this");
        for _ in 0..40 {
            let (mut context, mut samples) = (Context::new(&program), Samples::new(program.outputs.keys()));
            // Whether it ends with an error depends on what was damaged.
            let _ = execute.run(&mut context, 20, &mut samples);
        }
        let mut service = RemoteService::new(&program, 0).expect("a remote block");
        let requests = requests.lock().unwrap().clone();
        assert!(requests.len() > 100);
        let mut refused = 0;
        for request in requests.iter().cycle().take(5000) {
            let mut request = request.clone();
            damage(&mut request, &random);
            refused += u32::from(service.answer(&request).is_err());
        }
        assert!((500..5000).contains(&refused), "{refused}");
    }
}

/// A begin that breaks off may have set anything: nothing runs before a whole one.
#[test]
fn a_begin_that_breaks_off_ends_what_was_begun() {
    let mut service = RemoteService::new(&program(&crossing("rk4")), 0).expect("a remote block");
    let sequence = 7u64.to_le_bytes();
    let begin = [&sequence[..], &[2, 0, 0, 0], &0u32.to_le_bytes()].concat();
    let values = [&sequence[..], &[3]].concat();
    assert!(service.answer(&values).is_err());
    for _ in 0..2 {
        assert!(service.answer(&begin).is_ok() && service.answer(&values).is_ok());
        assert!(service.answer(&begin[..begin.len() - 1]).is_err());
        assert!(service.answer(&values).is_err());
    }
}
