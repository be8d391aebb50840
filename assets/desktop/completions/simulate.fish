# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_simulate_global_optspecs
    string join \n new-window h/help V/version
end

function __fish_simulate_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_simulate_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_simulate_using_subcommand
    set -l cmd (__fish_simulate_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c simulate -n "__fish_simulate_needs_command" -l new-window -d 'Opens a new window even if one is open'
complete -c simulate -n "__fish_simulate_needs_command" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_needs_command" -s V -l version -d 'Print version'
complete -c simulate -n "__fish_simulate_needs_command" -a "run" -d 'Runs a simulation without a window; the exit code is 0 on success, 1 if it cannot run or a step fails, 2 if the file is unreadable, 3 if a check stopped or paused it, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_needs_command" -a "sweep" -d 'Runs a simulation many times with different values, in parallel'
complete -c simulate -n "__fish_simulate_needs_command" -a "linearize" -d 'Linearizes a simulation at an operating point: matrices, poles, zeros, margins, frequency response'
complete -c simulate -n "__fish_simulate_needs_command" -a "design" -d 'Computes systems and their coefficients: continuous ones made discrete'
complete -c simulate -n "__fish_simulate_needs_command" -a "fit" -d 'Fits parameters of a simulation to measured curves, with confidence intervals; the exit code is 0 if the fit has converged, 1 if not, 2 if a file is unreadable, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_needs_command" -a "optimize" -d 'Chooses parameters so that runs meet all requirements and a figure is best; the exit code is 0 if all are met, 1 if not, 2 if a file is unreadable, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_needs_command" -a "falsify" -d 'Searches inputs and parameters with which a check or another requirement is violated, and writes a test of them; the exit code is 0 if none was found, 1 if one was, 2 if a file is unreadable, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_needs_command" -a "check" -d 'Checks files for errors, and prints the description of an FMU; the exit code is 0 if all are valid, 1 if one is not, 2 if one is unreadable. simulate explain CODE says more about a code such as unknown-block'
complete -c simulate -n "__fish_simulate_needs_command" -a "test" -d 'Runs simulations and compares their signals with the expected results beside them; the exit code is 0 if all are as expected, 1 if one is not, 2 if one is unreadable'
complete -c simulate -n "__fish_simulate_needs_command" -a "merge" -d 'Merges what two people have made of one state of a simulation, by its meaning; the exit code is 0 if all is merged, 1 if the result has conflicts, 2 if a file is unreadable'
complete -c simulate -n "__fish_simulate_needs_command" -a "settle" -d 'Settles all conflicts of a merge with one side, and replaces the file'
complete -c simulate -n "__fish_simulate_needs_command" -a "git-setup" -d 'Lets git compare and merge simulations by their meaning: writes .gitattributes and the configuration'
complete -c simulate -n "__fish_simulate_needs_command" -a "fmt" -d 'Writes files in canonical form, in which equal simulations have equal bytes'
complete -c simulate -n "__fish_simulate_needs_command" -a "explain" -d 'Explains a code of a diagnostic, or lists all codes'
complete -c simulate -n "__fish_simulate_needs_command" -a "blocks" -d 'Lists the blocks of the library'
complete -c simulate -n "__fish_simulate_needs_command" -a "convert" -d 'Converts a file to the format of another extension'
complete -c simulate -n "__fish_simulate_needs_command" -a "export" -d 'Writes a simulation as C code that computes the same results to the last bit, or as an FMU of this code'
complete -c simulate -n "__fish_simulate_needs_command" -a "plugins" -d 'Lists plug-ins (blocks in WebAssembly), switches them on and off, and tests them'
complete -c simulate -n "__fish_simulate_needs_command" -a "completions" -d 'Prints the completion script of a shell'
complete -c simulate -n "__fish_simulate_needs_command" -a "worker" -d 'Computes runs of sweeps for others, as a worker of a pool, until it is stopped; without a pool it is a child of another process of this program, for the code of FMUs'
complete -c simulate -n "__fish_simulate_needs_command" -a "diff" -d 'Lists the changes from one state of a simulation to another, by their meaning; the exit code is 0 if there are none, 1 if there are some, 2 if a file is unreadable'
complete -c simulate -n "__fish_simulate_needs_command" -a "serve" -d 'Answers calls of scripts in JSON-RPC on standard input and output: edits, checks, runs, pictures'
complete -c simulate -n "__fish_simulate_needs_command" -a "mcp" -d 'The same in the Model Context Protocol, for assistants'
complete -c simulate -n "__fish_simulate_needs_command" -a "picture" -d 'Draws a model as .svg, .pdf or .png'
complete -c simulate -n "__fish_simulate_needs_command" -a "play" -d 'Opens a window with only the dashboard of a file: controls, displays, Run and Stop'
complete -c simulate -n "__fish_simulate_needs_command" -a "report" -d 'Writes a report: all diagrams, parameters, the curves of a run, and where they come from'
complete -c simulate -n "__fish_simulate_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l steps -d 'The number of steps [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l delta -d 'The step length in seconds [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l engine -d 'The engine: auto, compiled, threaded, flat or simple' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l threads -d 'The maximum number of threads of the engine “threaded” [default: one more than the processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l set -d 'Sets an option: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l signals -d 'The signals to record: exits, all, or paths such as Plant/Motor#3.Output, separated by commas [default: exits, inputs of scopes and displays, named signals, blocks that show their curve]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l sensitivity -d 'Computes the derivatives of the recorded signals by options of blocks: Plant/Motor#3.Gain, or Motor.Gain[0] for an element; separate several by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l out -d 'Writes the recorded signals, one row for each step (.csv, .parquet, .npz or .mat)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l separator -d 'The separator of values in .csv files: ",", ";" or "tab" [default: ","]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l decimal -d 'The decimal mark in .csv files: "." or ",", which needs another separator [default: "."]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l resume -d 'Resumes from a checkpoint, up to the total number of steps' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l checkpoint -d 'Writes a checkpoint at the end, or at the start of a failed step' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l format -d 'The output format of the exit values' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand run" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l pool -d 'The pool: addresses of NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l creds -d 'Who you are, for the pool: a file with a token and a key, as nsc writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l nkey -d 'Who you are, for the pool: a file with the seed of a key, as nk writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l tls-ca -d 'A file with certificates of authorities that servers of the pool may have, besides those of the system' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l tls-cert -d 'A file with a certificate of this computer, for the pool' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l tls-key -d 'A file with the key of that certificate' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l hex -d 'Writes numbers to a .csv file as hexadecimal floating-point constants, which name each bit'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l stop-at-non-finite -d 'Ends the run with an error at the first infinite or not-a-number value'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l provenance -d 'Begins a .csv file with a line `# {…}` that says where its numbers come from; other files always say so'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l allow-anonymous -d 'Uses a pool on another computer without credentials'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l here -d 'Runs model blocks that name a pool on this computer, too'
complete -c simulate -n "__fish_simulate_using_subcommand run" -s q -l quiet -d 'Hides progress and summary'
complete -c simulate -n "__fish_simulate_using_subcommand run" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l vary -d 'A parameter to vary; may be repeated, then every combination is run. PATH as for `run --set`; VALUES are from:to:count, from:to:count:log, a,b,c, or random for each run: uniform(low,high), loguniform(low,high), normal(mean,deviation)' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l draws -l samples -d 'The number of runs for each combination, for random values' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l seed -d 'The seed of random values' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l design -d 'How the random values of --draws N runs are chosen' -r -f -a "random\t'Independently'
lhs\t'A Latin hypercube: each of N equal parts of each distribution has one value'
sobol\t'Sobol\'s sequence, scrambled; best with a power of 2'
halton\t'Halton\'s sequence, scrambled'"
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l morris -d 'Runs R trajectories in which one random parameter changes after the other, and prints the effect of each (Morris): µ*, the mean of its absolute values with a 95 % interval, µ and σ. R·(parameters + 1) runs' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l sobol-indices -d 'Prints the share of each random parameter in the variance of the results, alone (S1) and with all others (ST), with 95 % intervals (Sobol, Saltelli). N·(parameters + 2) runs' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l indices -d 'Writes the effects of --morris or the shares of --sobol-indices (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l set -d 'Sets an option for all runs, as for `run`' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l steps -d 'The number of steps of each run [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l delta -d 'The step length in seconds [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l engine -d 'The engine' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l threads -d 'The number of parallel runs [default: the number of processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l signals -d 'The signals to keep: exits, all, or paths such as Plant/Motor#3.Output, separated by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l every -d 'Keeps every N-th step and the last one [default: only the last one]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l out -d 'Writes the results, one row for each kept step of each run (.csv, .parquet, .npz or .mat); an interrupted sweep resumes from the .part file beside it [default: standard output]' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l separator -d 'The separator of values in .csv files: ",", ";" or "tab" [default: ","]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l decimal -d 'The decimal mark in .csv files: "." or ",", which needs another separator [default: "."]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l failures -d 'Writes the failed runs with their values and what failed (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l format -d 'The output format of the summary' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l pool -d 'The pool: addresses of NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l creds -d 'Who you are, for the pool: a file with a token and a key, as nsc writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l nkey -d 'Who you are, for the pool: a file with the seed of a key, as nk writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l tls-ca -d 'A file with certificates of authorities that servers of the pool may have, besides those of the system' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l tls-cert -d 'A file with a certificate of this computer, for the pool' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l tls-key -d 'A file with the key of that certificate' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l attach -d 'Collects the results of a sweep that the pool has: it continues there when its command is closed' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l cancel -d 'Removes a sweep from the pool' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l run-limit -d 'The longest time of a run on a pool, in seconds; a longer one is a failed run' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l restart -d 'Starts again although the .part file has finished runs of another sweep, which are kept in another file beside it'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -s q -l quiet -d 'Hides progress and summary'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l provenance -d 'Begins a .csv file with a line `# {…}` that says where its numbers come from; other files always say so'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l allow-anonymous -d 'Uses a pool on another computer without credentials'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l list -d 'Lists the sweeps and workers of the pool'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l detach -d 'Hands the sweep to the pool and ends; --attach collects its results'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l input -d 'Input signals, separated by commas, such as Plant/Motor#3.Output; for an element of a vector add its index in brackets' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l output -d 'Output signals [default: the exits of the root model]' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l pade -d 'The order of the Padé forms that stand for delays in time; the frequency response has them exactly' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l at -d 'Linearizes after N steps' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l free -d 'A parameter that may change to reach equilibrium: Plant/Motor#3.Gain' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l target -d 'The value of a signal at equilibrium: Plant/Motor#3.Output=2.5' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l fixed -d 'A block whose states keep their values: Plant/Motor#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l moving -d 'A block whose states may keep changing at equilibrium: Plant/Motor#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l set -d 'Sets an option: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l bode -d 'Writes the frequency response from the first input to the first output (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l nichols -d 'Writes the points of a Nichols chart, the phase and the gain of the open loop, and the closed loop beside them (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l root-locus -d 'Writes the poles of the loop closed with negative feedback, for rising gains of it (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l frequencies -d 'The frequency range in rad/s [default: around the poles and zeros]' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l points -d 'The number of frequencies' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l open -d 'Opens the loops at the inputs: blocks that read an input signal see only the input'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l steady -d 'Finds the nearest equilibrium first'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -f -a "c2d" -d 'Makes a continuous system discrete: a transfer function (--num, --den) or matrices (--a, --b, --c, --d). The blocks Discrete Transfer Function and Discrete State Space do the same with “Given As: continuous”'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -f -a "pid" -d 'Tunes a PID block for the plant that it sees in a simulation: by bandwidth and phase margin, or by a rule'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -f -a "lqr" -d 'Computes the state feedback u = −K·x that minimizes the quadratic costs xᵀ·Q·x + uᵀ·R·u (linear-quadratic regulator)'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -f -a "kalman" -d 'Computes the gain L of the observer with the smallest covariance of its error (stationary Kalman filter)'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -f -a "place" -d 'Computes the state feedback u = −K·x, or the observer, that has given poles'
complete -c simulate -n "__fish_simulate_using_subcommand design; and not __fish_seen_subcommand_from c2d pid lqr kalman place help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l num -d 'The coefficients of the numerator, highest power of s first: "1 2"' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l den -d 'The coefficients of the denominator' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l a -d 'The state matrix: rows separated by semicolons, such as "0 1; -2 -3"' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l b -d 'The input matrix: a row for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l c -d 'The output matrix: a column for each state [default: the states]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l d -d 'The feedthrough matrix [default: 0]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l sample-time -d 'The sample time in seconds' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l method -d 'How the system is discretized' -r -f -a "zoh\t'Zero-order hold: exact for inputs that are constant between samples'
foh\t'First-order hold: exact for inputs that are linear between samples'
impulse\t'The impulse response at the samples'
tustin\t'The trapezoidal rule'
matched\t'Poles and zeros at exp(s·T); transfer functions only'"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l prewarp -d 'The frequency in rad/s at which Tustin\'s method is exact [default: low frequencies]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from c2d" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l block -d 'The PID block, such as Controller#3 [default: the only one]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l type -d 'The terms of the controller [default: those that the block has]' -r -f -a "p\t''
i\t''
pi\t''
pd\t''
pdf\t'PD with the filter coefficient of the derivative'
pid\t''
pidf\t'PID with the filter coefficient of the derivative'"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l rule -d 'How the gains are found' -r -f -a "shape\t'Loop shaping: bandwidth and phase margin'
ziegler-nichols\t'Ziegler and Nichols, by the gain and the period at the limit of stability'
ziegler-nichols-step\t'Ziegler and Nichols, by the step response'
simc\t'Skogestad'
amigo\t'Åström and Hägglund'"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l bandwidth -d 'The frequency in rad/s at which the open loop has the gain 1; for loop shaping and SIMC [default: one that suits the plant]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l phase-margin -d 'The phase margin in degrees; for loop shaping' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l at -d 'Linearizes after N steps' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l set -d 'Sets an option for the linearization: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l steady -d 'Finds the nearest equilibrium first'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l write -d 'Writes the gains into the file'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l replace-expressions -d 'Replaces gains that are expressions by numbers, too'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from pid" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l block -d 'The state-space block, such as Plant#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l a -d 'The state matrix: rows separated by semicolons, such as "0 1; -2 -3"' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l b -d 'The input matrix: a row for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l c -d 'The output matrix: a column for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l sample-time -d 'The sample time in seconds, if the matrices are those of a discrete system' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l set -d 'Sets an option before the matrices are read: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l write -d 'The parameter of a block in the file that gets the gain, such as Feedback#5 or Feedback#5.Gain; without it the file stays as it is' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l q -d 'The weight of the states: a matrix, its diagonal, or one number for all states' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l r -d 'The weight of the inputs: a matrix, its diagonal, or one number for all inputs' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l n -d 'The weight of states with inputs: a row for each state [default: 0]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from lqr" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l block -d 'The state-space block, such as Plant#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l a -d 'The state matrix: rows separated by semicolons, such as "0 1; -2 -3"' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l b -d 'The input matrix: a row for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l c -d 'The output matrix: a column for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l sample-time -d 'The sample time in seconds, if the matrices are those of a discrete system' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l set -d 'Sets an option before the matrices are read: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l write -d 'The parameter of a block in the file that gets the gain, such as Feedback#5 or Feedback#5.Gain; without it the file stays as it is' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l q -d 'The covariance of the process noise: a matrix, its diagonal, or one number' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l r -d 'The covariance of the measurement noise: a matrix, its diagonal, or one number' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l g -d 'How the process noise acts on the states: a row for each state [default: on each state by itself]' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from kalman" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l block -d 'The state-space block, such as Plant#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l a -d 'The state matrix: rows separated by semicolons, such as "0 1; -2 -3"' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l b -d 'The input matrix: a row for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l c -d 'The output matrix: a column for each state' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l sample-time -d 'The sample time in seconds, if the matrices are those of a discrete system' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l set -d 'Sets an option before the matrices are read: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l write -d 'The parameter of a block in the file that gets the gain, such as Feedback#5 or Feedback#5.Gain; without it the file stays as it is' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l poles -d 'The poles of the closed loop, one for each state: "-2 -1+3i -1-3i"' -r
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -l observer -d 'The gain of an observer in place of that of a feedback'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from place" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from help" -f -a "c2d" -d 'Makes a continuous system discrete: a transfer function (--num, --den) or matrices (--a, --b, --c, --d). The blocks Discrete Transfer Function and Discrete State Space do the same with “Given As: continuous”'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from help" -f -a "pid" -d 'Tunes a PID block for the plant that it sees in a simulation: by bandwidth and phase margin, or by a rule'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from help" -f -a "lqr" -d 'Computes the state feedback u = −K·x that minimizes the quadratic costs xᵀ·Q·x + uᵀ·R·u (linear-quadratic regulator)'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from help" -f -a "kalman" -d 'Computes the gain L of the observer with the smallest covariance of its error (stationary Kalman filter)'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from help" -f -a "place" -d 'Computes the state feedback u = −K·x, or the observer, that has given poles'
complete -c simulate -n "__fish_simulate_using_subcommand design; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l data -d 'A file with measured curves (.csv, .parquet, .npz or .mat): a column of times in seconds, and one for each signal. May be repeated: each file is an experiment, a run of its own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l parameter -d 'A parameter to fit; may be repeated. PATH as for `run --set`, or that of an element with its index from 0 in brackets; its value in the file is the start. PATH=low:high keeps it within bounds, PATH=low:high:log or PATH=log varies its logarithm' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l parameter-for -d 'A parameter that has a value of its own in the experiment of this data file' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l map -d 'The signal that a column belongs to; may be repeated, then other columns are not used [default: each column belongs to the signal of its name]' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l time -d 'The column of times [default: “time” or “t”, else the first one]' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l weight -d 'The weight of the differences of a column, a number or a column of numbers: 1 over the standard deviation of the measurement [default: 1]' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l set -d 'Sets an option for all experiments, as for `run`' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l set-for -d 'Sets an option for the experiment of this data file: its inputs and initial values' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l delta -d 'The step length in seconds [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l engine -d 'The engine' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l loss -d 'How a difference counts: square, or less the larger it is' -r -f -a "square\t''
huber\t'Its square up to the scale, and its size above'
soft-l1\t'A smooth form of Huber\'s'
cauchy\t'Far outliers hardly count'"
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l loss-scale -d 'The weighted difference from which it counts less' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l starts -d 'The number of starts: the values in the file, and others spread between the bounds' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l seed -d 'The seed of the other starts' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l threads -d 'The number of starts at the same time [default: the number of processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l iterations -d 'The maximum number of iterations from each start' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l tolerance -d 'Ends when a step changes the parameters by less than this part, or many steps the sum by hardly more' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l confidence -d 'The probability of the confidence intervals' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l pool -d 'The pool: addresses of NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l creds -d 'Who you are, for the pool: a file with a token and a key, as nsc writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l nkey -d 'Who you are, for the pool: a file with the seed of a key, as nk writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l tls-ca -d 'A file with certificates of authorities that servers of the pool may have, besides those of the system' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l tls-cert -d 'A file with a certificate of this computer, for the pool' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l tls-key -d 'A file with the key of that certificate' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l start-limit -d 'The longest time of the search from a start on a pool, in seconds' -r
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l profile -d 'Adds confidence intervals by profile likelihood, which hold where the model is far from linear; they take many more runs'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l write -d 'Writes the values into the file'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l replace-expressions -d 'Replaces expressions by numbers, too'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -s q -l quiet -d 'Hides the progress'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l allow-anonymous -d 'Uses a pool on another computer without credentials'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l parameter -d 'A parameter to choose within bounds; may be repeated. PATH as for `run --set`, or that of an element with its index from 0 in brackets, or with empty brackets for all elements; PATH=low:high:log varies its logarithm' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l require -d 'A requirement on each run; may be repeated: “SIGNAL < NUMBER from T to T” (or <=, >, >=) at all times of the window, “eventually SIGNAL > NUMBER to T” once at least, “FIGURE of SIGNAL < NUMBER” (overshoot, settling-time, rise-time, maximum, minimum, mean, rms, final, peak-to-peak, absolute-area), “SIGNAL follows FILE:COLUMN within NUMBER”; several joined by “or”' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l set -d 'Sets an option for all runs, as for `run`' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l steps -d 'The number of steps of each run [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l delta -d 'The step length in seconds [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l engine -d 'The engine' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l method -d 'How the search proceeds' -r -f -a "auto\t'Along exact derivatives where there are any, then as cma-es'
gradient\t'Along exact derivatives: for requirements in all steps, without an objective'
cma-es\t'Evolution with an adapted covariance matrix, for rough functions and those with several minima'
bobyqa\t'Quadratic models in a trust region, for smooth functions and few evaluations'"
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l evaluations -d 'The maximum number of evaluations from each start, each a run, or with tolerances one for each of their combinations' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l narrowness -d 'Ends a search that has become narrower than this part of the bounds' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l starts -d 'The number of starts: the values in the file, and others spread between the bounds' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l seed -d 'The seed of the search and of its starts' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l threads -d 'The number of searches at the same time [default: the number of processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l tolerance -d 'An uncertain parameter with its tolerance; may be repeated. Requirements must be met with its value in the file and with all combinations of bounds' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l minimize -d 'A figure that is to be small among the values that meet all requirements; without one the search ends with the first that do' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l maximize -d 'A figure that is to be large' -r
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l no-checks -d 'Leaves out the check blocks of the simulation, which are requirements otherwise'
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -s q -l quiet -d 'Hides the progress'
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l write -d 'Writes the values into the file, if they meet all requirements'
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -l replace-expressions -d 'Replaces expressions by numbers, too'
complete -c simulate -n "__fish_simulate_using_subcommand optimize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l parameter -d 'A parameter to choose within bounds; may be repeated. PATH as for `run --set`, or that of an element with its index from 0 in brackets, or with empty brackets for all elements; PATH=low:high:log varies its logarithm' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l require -d 'A requirement on each run; may be repeated: “SIGNAL < NUMBER from T to T” (or <=, >, >=) at all times of the window, “eventually SIGNAL > NUMBER to T” once at least, “FIGURE of SIGNAL < NUMBER” (overshoot, settling-time, rise-time, maximum, minimum, mean, rms, final, peak-to-peak, absolute-area), “SIGNAL follows FILE:COLUMN within NUMBER”; several joined by “or”' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l set -d 'Sets an option for all runs, as for `run`' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l steps -d 'The number of steps of each run [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l delta -d 'The step length in seconds [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l engine -d 'The engine' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l method -d 'How the search proceeds' -r -f -a "auto\t'Along exact derivatives where there are any, then as cma-es'
gradient\t'Along exact derivatives: for requirements in all steps, without an objective'
cma-es\t'Evolution with an adapted covariance matrix, for rough functions and those with several minima'
bobyqa\t'Quadratic models in a trust region, for smooth functions and few evaluations'"
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l evaluations -d 'The maximum number of evaluations from each start, each a run, or with tolerances one for each of their combinations' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l narrowness -d 'Ends a search that has become narrower than this part of the bounds' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l starts -d 'The number of starts: the values in the file, and others spread between the bounds' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l seed -d 'The seed of the search and of its starts' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l threads -d 'The number of searches at the same time [default: the number of processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l out -d 'Writes the simulation with the values of a violated check, and expected results beside it in which the check passes: `simulate test` fails until the simulation is mended. Further violations have -2, -3, … in their names' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l no-checks -d 'Leaves out the check blocks of the simulation, which are requirements otherwise'
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -s q -l quiet -d 'Hides the progress'
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand falsify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand check" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand check" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l library -d 'Looks for libraries and referenced models of an imported model in this folder too, not only beside it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l set -d 'Sets a name that an imported model uses, as NAME=VALUE in the language of its program' -r
complete -c simulate -n "__fish_simulate_using_subcommand check" -l values -d 'Reads values for an imported model from a script (.m), arrays (.mat) or a table of names and values (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand check" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand test" -l engine -d 'The engine; “all” runs each one, and all must give the same bits' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l relative -d 'The relative tolerance, as a fraction of the largest expected value of a signal' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l absolute -d 'The absolute tolerance, in addition to the relative one' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l signals -d 'The signals that --update writes: exits, all, or paths such as Plant/Motor#3.Output, separated by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l every -d '--update writes every N-th step and the last one [default: about 1000 steps]' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l junit -d 'Also writes a JUnit XML report for build servers' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand test" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l update -d 'Writes the current results as expected results to NAME.expected.csv beside NAME.simx'
complete -c simulate -n "__fish_simulate_using_subcommand test" -l partial -d 'Compares the rows that there are, where expected results end before the run does; otherwise that is a failure'
complete -c simulate -n "__fish_simulate_using_subcommand test" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand test" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand test" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand merge" -s o -l out -d 'Writes the result to this file' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand merge" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand merge" -l git-driver -d 'Takes the arguments of a merge driver of git, %O %A %B %P, and writes the result to %A'
complete -c simulate -n "__fish_simulate_using_subcommand merge" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand merge" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand settle" -l with -d 'The side that each conflict is settled with' -r -f -a "ours\t'Our side: in a merge the branch that is checked out'
theirs\t'The other side'
base\t'The state that both sides came from'
as-it-is\t'As the file has it, after an edit'"
complete -c simulate -n "__fish_simulate_using_subcommand settle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate -n "__fish_simulate_using_subcommand git-setup" -l global -d 'Writes your own configuration for all repositories, instead of that of the repository here'
complete -c simulate -n "__fish_simulate_using_subcommand git-setup" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand fmt" -l check -d 'Only lists the files that are not in canonical form, and ends with code 1 if there are some'
complete -c simulate -n "__fish_simulate_using_subcommand fmt" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand explain" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand explain" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand blocks" -l format -d 'The output format' -r -f -a "text\t''
json\t''
markdown\t''"
complete -c simulate -n "__fish_simulate_using_subcommand blocks" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l library -d 'Looks for libraries and referenced models of an imported model in this folder too, not only beside it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l set -d 'Sets a name that an imported model uses, as NAME=VALUE in the language of its program' -r
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l values -d 'Reads values for an imported model from a script (.m), arrays (.mat) or a table of names and values (.csv)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l looks -d 'Writes positions, colours and default options into a .simt, too; otherwise they are left out'
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l skip-invalid-models -d 'Removes one model block of each endless nesting, with a warning'
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand convert" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l to -d 'What is written: c is C99 code without dependencies, with a test bench, a Makefile and a CMake file; fmu is a Functional Mock-up Unit of this code for co-simulation, and for model exchange if all states are continuous' -r -f -a "c\t''
fmu\t''"
complete -c simulate -n "__fish_simulate_using_subcommand export" -l out -d 'The folder for C code, which is created if it does not exist; the file for an FMU, which replaces an older one. Files of the folder that were edited since the last export are replaced only with --force' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand export" -l fmi -d 'The version of the standard: 2 is understood by most programs, 3 has vectors [default: 2]' -r
complete -c simulate -n "__fish_simulate_using_subcommand export" -l model -d 'The model to be exported; its entries become inputs, its exits outputs [default: the root model]' -r
complete -c simulate -n "__fish_simulate_using_subcommand export" -l steps -d 'The number of steps that --verify compares [default: from the file, at most 10000, or 1000]' -r
complete -c simulate -n "__fish_simulate_using_subcommand export" -l delta -d 'The step length in seconds [default: from the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand export" -l set -d 'Sets an option: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand export" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand export" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand export" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand export" -l sources-only -d 'Writes an FMU without a binary, to be compiled where it is used'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l single-file -d 'Writes the mathematics into the file of the code'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l inline-parameters -d 'Writes parameters as constants, so that they cannot be changed in the code'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l float -d 'Writes code in single precision (float): its results differ from those of the simulation; --verify measures the error and adds it to the page NAME.md'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l verify -d 'Compiles the code with $CC or cc, runs it and compares each bit with the simulation; the result is in verify.xml (JUnit) in the folder, and the exit code is 1 if a bit differs'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand export" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand export" -s q -l quiet -d 'Hides what is written'
complete -c simulate -n "__fish_simulate_using_subcommand export" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -l beside -d 'Lists those in the folder plugins beside this simulation too' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -f -a "enable" -d 'Switches a plug-in on: the blocks of this file, as it is now, may run in all simulations'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -f -a "disable" -d 'Switches a plug-in off'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -f -a "test" -d 'Tests the blocks of a plug-in on all engines, without switching it on: their examples, and equal results for extreme inputs; the exit code is 0 if all are as expected, 1 if one is not'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and not __fish_seen_subcommand_from enable disable test help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from enable" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from disable" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from help" -f -a "enable" -d 'Switches a plug-in on: the blocks of this file, as it is now, may run in all simulations'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from help" -f -a "disable" -d 'Switches a plug-in off'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from help" -f -a "test" -d 'Tests the blocks of a plug-in on all engines, without switching it on: their examples, and equal results for extreme inputs; the exit code is 0 if all are as expected, 1 if one is not'
complete -c simulate -n "__fish_simulate_using_subcommand plugins; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand completions" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l pool -d 'The pool: addresses of NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l creds -d 'Who you are, for the pool: a file with a token and a key, as nsc writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l nkey -d 'Who you are, for the pool: a file with the seed of a key, as nk writes it' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l tls-ca -d 'A file with certificates of authorities that servers of the pool may have, besides those of the system' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l tls-cert -d 'A file with a certificate of this computer, for the pool' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l tls-key -d 'A file with the key of that certificate' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l threads -d 'The number of runs that are computed at a time [default: the number of processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l memory -d 'The most memory of each process that computes runs, such as 512M or 4G' -r
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l allow-anonymous -d 'Uses a pool on another computer without credentials'
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l runs -d 'Computes runs for the process that has started this one'
complete -c simulate -n "__fish_simulate_using_subcommand worker" -l block -d 'Computes a model block for the process that has started this one'
complete -c simulate -n "__fish_simulate_using_subcommand worker" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand diff" -l format -d 'The output format' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand diff" -l html -d 'Writes both diagrams side by side with the changes marked, as one .html file' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand diff" -l layout -d 'Lists changes of the layout too, and counts them as differences'
complete -c simulate -n "__fish_simulate_using_subcommand diff" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand diff" -l git-driver -d 'Takes the arguments of a diff driver of git, and ends with code 0'
complete -c simulate -n "__fish_simulate_using_subcommand diff" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand serve" -l allow-read -d 'Allows blocks to read files in this folder too' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand serve" -l attach -d 'Acts on the simulation that the window shows, whose user has switched on “Let programs drive this window”'
complete -c simulate -n "__fish_simulate_using_subcommand serve" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand mcp" -l allow-read -d 'Allows blocks to read files in this folder too' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand mcp" -l attach -d 'Acts on the simulation that the window shows, whose user has switched on “Let programs drive this window”'
complete -c simulate -n "__fish_simulate_using_subcommand mcp" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -s o -l out -d 'The output file: .svg, .pdf or .png' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l model -d 'The model to draw [default: the root model]' -r
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l scale -d 'The number of .png pixels for each pixel of the diagram' -r
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l all -d 'Draws all models: on separate pages of a .pdf, otherwise into separate files'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand play" -l skip-invalid-models -d 'Removes one model block of each endless nesting without asking'
complete -c simulate -n "__fish_simulate_using_subcommand play" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand report" -s o -l out -d 'The output file: .html or .pdf' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand report" -l steps -d 'The number of steps [default: that of the file]' -r
complete -c simulate -n "__fish_simulate_using_subcommand report" -l set -d 'Sets an option or variable for the report, as PATH=VALUE; may be repeated' -r
complete -c simulate -n "__fish_simulate_using_subcommand report" -l engine -d 'The engine of the run' -r
complete -c simulate -n "__fish_simulate_using_subcommand report" -l allow-read -d 'Allows blocks to read files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand report" -l allow-write -d 'Allows blocks to write files in this folder too, not only in the simulation\'s folder' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand report" -l allow-fmu -d 'Allows blocks to run the code of this FMU, in a process of its own; it can do there what you can' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand report" -l no-run -d 'Writes the report without a run, and so without curves'
complete -c simulate -n "__fish_simulate_using_subcommand report" -l force -d 'Replaces existing files of another kind, too; files that the command reads are never replaced'
complete -c simulate -n "__fish_simulate_using_subcommand report" -l skip-invalid-models -d 'Removes one model block of each endless nesting, instead of an error'
complete -c simulate -n "__fish_simulate_using_subcommand report" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "run" -d 'Runs a simulation without a window; the exit code is 0 on success, 1 if it cannot run or a step fails, 2 if the file is unreadable, 3 if a check stopped or paused it, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "sweep" -d 'Runs a simulation many times with different values, in parallel'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "linearize" -d 'Linearizes a simulation at an operating point: matrices, poles, zeros, margins, frequency response'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "design" -d 'Computes systems and their coefficients: continuous ones made discrete'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "fit" -d 'Fits parameters of a simulation to measured curves, with confidence intervals; the exit code is 0 if the fit has converged, 1 if not, 2 if a file is unreadable, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "optimize" -d 'Chooses parameters so that runs meet all requirements and a figure is best; the exit code is 0 if all are met, 1 if not, 2 if a file is unreadable, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "falsify" -d 'Searches inputs and parameters with which a check or another requirement is violated, and writes a test of them; the exit code is 0 if none was found, 1 if one was, 2 if a file is unreadable, 128 and the number of a signal that stopped it'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "check" -d 'Checks files for errors, and prints the description of an FMU; the exit code is 0 if all are valid, 1 if one is not, 2 if one is unreadable. simulate explain CODE says more about a code such as unknown-block'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "test" -d 'Runs simulations and compares their signals with the expected results beside them; the exit code is 0 if all are as expected, 1 if one is not, 2 if one is unreadable'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "merge" -d 'Merges what two people have made of one state of a simulation, by its meaning; the exit code is 0 if all is merged, 1 if the result has conflicts, 2 if a file is unreadable'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "settle" -d 'Settles all conflicts of a merge with one side, and replaces the file'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "git-setup" -d 'Lets git compare and merge simulations by their meaning: writes .gitattributes and the configuration'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "fmt" -d 'Writes files in canonical form, in which equal simulations have equal bytes'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "explain" -d 'Explains a code of a diagnostic, or lists all codes'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "blocks" -d 'Lists the blocks of the library'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "convert" -d 'Converts a file to the format of another extension'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "export" -d 'Writes a simulation as C code that computes the same results to the last bit, or as an FMU of this code'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "plugins" -d 'Lists plug-ins (blocks in WebAssembly), switches them on and off, and tests them'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "completions" -d 'Prints the completion script of a shell'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "worker" -d 'Computes runs of sweeps for others, as a worker of a pool, until it is stopped; without a pool it is a child of another process of this program, for the code of FMUs'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "diff" -d 'Lists the changes from one state of a simulation to another, by their meaning; the exit code is 0 if there are none, 1 if there are some, 2 if a file is unreadable'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "serve" -d 'Answers calls of scripts in JSON-RPC on standard input and output: edits, checks, runs, pictures'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "mcp" -d 'The same in the Model Context Protocol, for assistants'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "picture" -d 'Draws a model as .svg, .pdf or .png'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "play" -d 'Opens a window with only the dashboard of a file: controls, displays, Run and Stop'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "report" -d 'Writes a report: all diagrams, parameters, the curves of a run, and where they come from'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize design fit optimize falsify check test merge settle git-setup fmt explain blocks convert export plugins completions worker diff serve mcp picture play report help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from design" -f -a "c2d" -d 'Makes a continuous system discrete: a transfer function (--num, --den) or matrices (--a, --b, --c, --d). The blocks Discrete Transfer Function and Discrete State Space do the same with “Given As: continuous”'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from design" -f -a "pid" -d 'Tunes a PID block for the plant that it sees in a simulation: by bandwidth and phase margin, or by a rule'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from design" -f -a "lqr" -d 'Computes the state feedback u = −K·x that minimizes the quadratic costs xᵀ·Q·x + uᵀ·R·u (linear-quadratic regulator)'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from design" -f -a "kalman" -d 'Computes the gain L of the observer with the smallest covariance of its error (stationary Kalman filter)'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from design" -f -a "place" -d 'Computes the state feedback u = −K·x, or the observer, that has given poles'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from plugins" -f -a "enable" -d 'Switches a plug-in on: the blocks of this file, as it is now, may run in all simulations'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from plugins" -f -a "disable" -d 'Switches a plug-in off'
complete -c simulate -n "__fish_simulate_using_subcommand help; and __fish_seen_subcommand_from plugins" -f -a "test" -d 'Tests the blocks of a plug-in on all engines, without switching it on: their examples, and equal results for extreme inputs; the exit code is 0 if all are as expected, 1 if one is not'
