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

complete -c simulate -n "__fish_simulate_needs_command" -l new-window -d 'Opens a window of its own where one is open already'
complete -c simulate -n "__fish_simulate_needs_command" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_needs_command" -s V -l version -d 'Print version'
complete -c simulate -n "__fish_simulate_needs_command" -a "run" -d 'Runs a simulation without a window; ends with 0 where all went well, 1 where it cannot run or a step fails, 2 where the file is unreadable, 3 where a check stopped or paused it'
complete -c simulate -n "__fish_simulate_needs_command" -a "sweep" -d 'Runs a simulation many times with different values, side by side'
complete -c simulate -n "__fish_simulate_needs_command" -a "linearize" -d 'Takes a simulation as a linear system about a point: matrices, poles, zeros, margins, response in frequency'
complete -c simulate -n "__fish_simulate_needs_command" -a "check" -d 'Says what is wrong with files; ends with 0 where all are valid, 1 where one is not, 2 where one is unreadable'
complete -c simulate -n "__fish_simulate_needs_command" -a "test" -d 'Runs simulations and compares their signals with results that are kept beside them; ends with 0 where all are as expected, 1 where one is not, 2 where one is unreadable'
complete -c simulate -n "__fish_simulate_needs_command" -a "blocks" -d 'Lists the blocks of the library'
complete -c simulate -n "__fish_simulate_needs_command" -a "convert" -d 'Writes a file in the format of another extension'
complete -c simulate -n "__fish_simulate_needs_command" -a "completions" -d 'Prints the script that lets a shell complete the arguments'
complete -c simulate -n "__fish_simulate_needs_command" -a "picture" -d 'Draws a model as .svg, .pdf or .png'
complete -c simulate -n "__fish_simulate_needs_command" -a "play" -d 'Opens a window with only the dashboard of a file: its controls and instruments, run and stop'
complete -c simulate -n "__fish_simulate_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l steps -d 'How many steps to run [default: as the file says]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l delta -d 'Seconds a step [default: as the file says]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l engine -d 'Which engine runs it: auto, compiled, threaded, flat or simple' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l threads -d 'How many threads the engine “threaded” may use [default: one more than there are processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l set -d 'Sets an option before the run: Plant/Motor#3.Gain=2.5, a vector\'s values with commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l signals -d 'Which signals to record: exits, all, or paths as Plant/Motor#3.Output with commas [default: what the file marks: exits, what scopes and displays show, signals with a name, blocks that show their curve]' -r
complete -c simulate -n "__fish_simulate_using_subcommand run" -l out -d 'Where to write the recorded signals, a row a step (.csv or .parquet)' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l resume -d 'Goes on from a checkpoint, up to the number of steps in all' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l checkpoint -d 'Where to write a checkpoint at the end, or at the begin of a step that fails' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l format -d 'How to print the values of the exits' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand run" -l allow-read -d 'Lets blocks read files in this folder too; without it only in the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l allow-write -d 'Lets blocks write files into this folder too; without it only into the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand run" -l stop-at-non-finite -d 'Ends the run with an error at the first value that is infinite or not-a-number'
complete -c simulate -n "__fish_simulate_using_subcommand run" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of refusing the file'
complete -c simulate -n "__fish_simulate_using_subcommand run" -s q -l quiet -d 'No progress and no summary'
complete -c simulate -n "__fish_simulate_using_subcommand run" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l vary -d 'What differs from run to run, as often as wanted: every combination is run. PATH as for `run --set`; VALUES from:to:count, from:to:count:log, a,b,c, or drawn for each run: uniform(low,high), normal(mean,deviation)' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l draws -d 'How many runs of each combination, where values are drawn' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l seed -d 'Which draws: the same number gives the same ones' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l set -d 'Sets an option of all runs, as for `run`' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l steps -d 'How many steps each run takes [default: as the file says]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l delta -d 'Seconds a step [default: as the file says]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l engine -d 'Which engine runs it' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l threads -d 'How many runs go on at a time [default: processors]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l signals -d 'Which signals to keep: exits, all, or paths as Plant/Motor#3.Output with commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l every -d 'Of how many steps one is kept; the last always is [default: the last alone]' -r
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l out -d 'Where to write the results, a row a kept step of each run (.csv or .parquet); an interrupted sweep goes on from the file beside it that ends in .part [default: printed]' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l format -d 'How to print the summary' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l allow-read -d 'Lets blocks read files in this folder too; without it only in the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l allow-write -d 'Lets blocks write files into this folder too; without it only into the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -s q -l quiet -d 'No progress and no summary'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of refusing the file'
complete -c simulate -n "__fish_simulate_using_subcommand sweep" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l input -d 'Signals that something is put into, as Plant/Motor#3.Output, with commas; of a vector one lane, its number in brackets behind the name' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l output -d 'Signals that are looked at [default: the exits of the root model]' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l at -d 'Runs so many steps first' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l free -d 'A parameter that may be changed for that: Plant/Motor#3.Gain' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l target -d 'A value that a signal is to have there: Plant/Motor#3.Output=2.5' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l fixed -d 'Blocks whose states stay as they are, as Plant/Motor#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l moving -d 'Blocks that may go on moving there, as Plant/Motor#3' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l set -d 'Sets an option first: Plant/Motor#3.Gain=2.5, a vector\'s values with commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l bode -d 'Where to write the response in frequency of the first input to the first output, as .csv' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l frequencies -d 'Frequencies of that, in radians a second [default: about the poles and zeros]' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l points -d 'How many frequencies' -r
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l format -d 'How to print the result' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l allow-read -d 'Lets blocks read files in this folder too; without it only in the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l allow-write -d 'Lets blocks write files into this folder too; without it only into the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l open -d 'Cuts the loops at the inputs: who reads them sees only what is put in'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l steady -d 'Goes to the nearest point at which nothing moves'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of refusing the file'
complete -c simulate -n "__fish_simulate_using_subcommand linearize" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand check" -l format -d 'How to print what was found' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand check" -l allow-read -d 'Lets blocks read files in this folder too; without it only in the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l allow-write -d 'Lets blocks write files into this folder too; without it only into the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand check" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of refusing the file'
complete -c simulate -n "__fish_simulate_using_subcommand check" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand test" -l engine -d 'Which engine runs them; “all”: each one, and all must give the same bits' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l relative -d 'How much a value may be off, as a part of the largest expected value of its signal' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l absolute -d 'How much more a value may be off' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l signals -d 'Which signals --update keeps: exits, all, or paths as Plant/Motor#3.Output with commas' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l every -d 'Of how many steps --update keeps one; the last always is [default: so that a thousand are kept]' -r
complete -c simulate -n "__fish_simulate_using_subcommand test" -l junit -d 'Also writes the outcome as JUnit XML, which build servers show' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l format -d 'How to print the outcome' -r -f -a "text\t''
json\t''"
complete -c simulate -n "__fish_simulate_using_subcommand test" -l allow-read -d 'Lets blocks read files in this folder too; without it only in the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l allow-write -d 'Lets blocks write files into this folder too; without it only into the simulation\'s own' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand test" -l update -d 'Keeps what the simulations give now as the results to compare with, in NAME.expected.csv beside NAME.simx'
complete -c simulate -n "__fish_simulate_using_subcommand test" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of refusing the file'
complete -c simulate -n "__fish_simulate_using_subcommand test" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand blocks" -l format -d 'How to print the list' -r -f -a "text\t''
json\t''
markdown\t''"
complete -c simulate -n "__fish_simulate_using_subcommand blocks" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand convert" -l skip-invalid-models -d 'Removes one model block of each endless nesting, with a warning'
complete -c simulate -n "__fish_simulate_using_subcommand convert" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand completions" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -s o -l out -d 'The picture: .svg, .pdf or .png' -r -F
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l model -d 'The model to draw; the root model if absent' -r
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l scale -d 'Pixels of a .png a pixel of the diagram' -r
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l all -d 'Draws all models: into one .pdf, a page each, else into a file each'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of refusing the file'
complete -c simulate -n "__fish_simulate_using_subcommand picture" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand play" -l skip-invalid-models -d 'Removes one model block of each endless nesting instead of asking'
complete -c simulate -n "__fish_simulate_using_subcommand play" -s h -l help -d 'Print help'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "run" -d 'Runs a simulation without a window; ends with 0 where all went well, 1 where it cannot run or a step fails, 2 where the file is unreadable, 3 where a check stopped or paused it'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "sweep" -d 'Runs a simulation many times with different values, side by side'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "linearize" -d 'Takes a simulation as a linear system about a point: matrices, poles, zeros, margins, response in frequency'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "check" -d 'Says what is wrong with files; ends with 0 where all are valid, 1 where one is not, 2 where one is unreadable'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "test" -d 'Runs simulations and compares their signals with results that are kept beside them; ends with 0 where all are as expected, 1 where one is not, 2 where one is unreadable'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "blocks" -d 'Lists the blocks of the library'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "convert" -d 'Writes a file in the format of another extension'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "completions" -d 'Prints the script that lets a shell complete the arguments'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "picture" -d 'Draws a model as .svg, .pdf or .png'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "play" -d 'Opens a window with only the dashboard of a file: its controls and instruments, run and stop'
complete -c simulate -n "__fish_simulate_using_subcommand help; and not __fish_seen_subcommand_from run sweep linearize check test blocks convert completions picture play help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
