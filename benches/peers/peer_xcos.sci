// Functions for the script that peer_xcos.py writes: one block of Scicos for one of ours, compiled and run there.
// blocks is the list of block models, wires and events are rows [block, port, block, port].

function model = square(period)
    // A count of clock ticks; compared with half the period by the blocks after it.
    model = Modulo_Count("define").model;
    model.ipar = period;
endfunction

function model = below()
    model = RELATIONALOP("define").model;
endfunction

function model = clock()
    model = TIME_f("define").model;
endfunction

function model = sine(frequency)
    model = GENSIN_f("define").model;
    model.rpar = [1; frequency; 0];
endfunction

function model = constant(lanes)
    model = CONST_m("define").model;
    model.rpar = lanes;
    model.out = size(lanes, "*");
endfunction

function model = gain(factor)
    model = GAINBLK("define").model;
    model.rpar = factor;
endfunction

function model = sum_of(signs)
    model = SUMMATION("define").model;
    model.ipar = signs;
    model.in = -ones(signs);
    model.in2 = -2 * ones(signs);
endfunction

function model = product_of()
    model = PRODUCT("define").model;
    model.ipar = [1; 1];
endfunction

function model = integrate(start)
    model = INTEGRAL_m("define").model;
    model.state = start;
endfunction

function model = accumulate(start, step)
    // x := 1 x + step u, y = x: forward Euler in one block.
    model = DLSS("define").model;
    model.dstate = start;
    model.rpar = [1; step; 1; 0];
endfunction

function model = delay(start)
    model = DOLLAR_m("define").model;
    model.dstate = start;
    model.in = size(start, "*");
    model.out = size(start, "*");
endfunction

function model = ticks(period)
    model = EVTDLY_c("define").model;
    model.rpar = [period; 0];
    model.firing = 0;
endfunction

function model = record(rows)
    model = TOWS_c("define").model;
    model.ipar = [rows; 1; ascii("y")];
endfunction

function cpr = compiled(blocks, wires, events)
    // What Scicos' first pass adds for blocks that depend on time: they are active at every event and in between.
    n = size(blocks);
    for k = 1:n
        if blocks(k).dep_ut($) then
            events = [events; 1, 1, k, 0; 0, 0, k, 0];
        end
    end
    cor = list(); corinv = list();
    for k = 1:n
        cor(k) = k; corinv(k) = k;
    end
    cpr = c_pass2(blocks, wires, events, cor, corinv, "silent");
endfunction

function seconds = run(cpr, steps, step, solver)
    // Runs the events at 0, step, … (steps - 1) step; the time is that of the kernel alone.
    tol = [1e-6; 1e-6; 1e-10; steps * step + 1; 0; solver; step];
    tf = (steps - 0.5) * step;
    [state, t] = scicosim(cpr.state, 0, tf, cpr.sim, "start", tol);
    tic();
    [state, t] = scicosim(state, 0, tf, cpr.sim, "run", tol);
    seconds = toc();
    [state, t] = scicosim(state, tf, tf, cpr.sim, "finish", tol);
    global recorded
    recorded = y_val;
endfunction

function reply(status, path)
    // The status of a script, then the variable `answer` or what went wrong.
    text = [string(status); msprintf("%.17g", answer)];
    if status <> 0 then
        text(2) = strcat(lasterror(), " ");
    end
    file = mopen(path, "w");
    mputl(text, file);
    mclose(file);
endfunction
