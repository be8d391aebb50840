#!/usr/bin/env bash
# A sweep on a pool with three servers in a Raft group and six workers, while workers, servers, the leader, the submitter,
# streams and the network fail, must have the bytes of the same sweep on one thread here.
#
# usage: tests/pool/faults.sh PROGRAM [RUNS [SEED]]
#
# It needs nats-server, python3 and curl, and the ports BASE to BASE+30 (BASE: 24000).
set -euo pipefail
program=$(realpath "$1") runs=${2:-100000} RANDOM=${3:-1}
here=$(realpath "$(dirname "$0")")
base=${BASE:-24000}
command -v nats-server > /dev/null || { echo "nats-server is not installed: apt-get install nats-server" >&2; exit 1; }
work=$(mktemp -d)
cd "$work"
export SIMULATE_POOL_TIMES=5000,6000,500

declare -A server worker proxy
submitter=
clean() {
    local processes=("${server[@]}" "${worker[@]}" "${proxy[@]}" ${submitter:+"$submitter"})
    kill -CONT "${processes[@]}" 2> /dev/null || true
    kill -9 "${processes[@]}" 2> /dev/null || true
    [ "${KEEP:-}" ] && echo "kept: $work" || rm -rf "$work"
}
trap clean EXIT

cat > model.simx << 'MODEL'
<simulation steps="200" delta="0.02" root="M"><variable name="begin" value="1"/><model name="M">
<block id="1" group="Var" name="Static"><option name="Value"><value>0.5</value></option></block>
<block id="2" group="Math" name="Gain" label="a"><option name="Gain"><value>-1</value></option></block>
<block id="3" group="Math" name="Sum"/>
<block id="4" group="Math" name="Integrate"><option name="Initial Value"><value>begin</value></option></block>
<exit id="5" name="x"/>
<connection from="1" output="Output" to="3" input="Input 1"/><connection from="2" output="Output" to="3" input="Input 2"/>
<connection from="3" output="Output" to="4" input="Input"/><connection from="4" output="Output" to="2" input="Input"/>
<connection from="4" output="Output" to="5" input="Input"/></model></simulation>
MODEL
args=(sweep model.simx --vary "#2.Gain=-2:1:100" --vary "begin=-1:1:$((runs / 100))")

start_server() {
    local n=$1
    cat > "server$n.conf" << CONF
server_name: s$n
listen: "127.0.0.1:$((base + n))"
http: "127.0.0.1:$((base + 10 + n))"
jetstream { store_dir: "$work/store$n", max_file: 4G }
cluster { name: pool, listen: "127.0.0.1:$((base + 20 + n))", routes: [ "nats://127.0.0.1:$((base + 21))", "nats://127.0.0.1:$((base + 22))", "nats://127.0.0.1:$((base + 23))" ] }
CONF
    nats-server -c "server$n.conf" >> "server$n.log" 2>&1 &
    server[$n]=$!
}
pool="nats://127.0.0.1:$((base + 1)),nats://127.0.0.1:$((base + 2)),nats://127.0.0.1:$((base + 3))"
start_worker() {
    local n=$1 address=$pool
    # The sixth one reaches a single server, over a network that can be cut.
    [ "$n" != 6 ] || address="nats://127.0.0.1:$((base + 30))"
    "$program" worker --pool "$address" --threads 1 >> "worker$n.log" 2>&1 &
    worker[$n]=$!
}
start_proxy() { python3 "$here/proxy.py" $((base + 30)) $((base + 1)) & proxy[1]=$!; }
start_submitter() {
    "$program" "${args[@]}" --out pool.csv --pool "$pool" > submitter.out 2>> submitter.log &
    submitter=$!
}
slay() { kill -CONT "$1" 2> /dev/null || true; kill -9 "$1" 2> /dev/null || true; wait "$1" 2> /dev/null || true; }
# The number of the server that leads the group of the chunks; 1 if nobody knows.
leader() {
    local n
    n=$(curl -s "http://127.0.0.1:$((base + 10 + 1 + RANDOM % 3))/jsz?streams=1&leader=1" | grep -o '"leader": *"s[1-3]"' | tail -1 | grep -o '[1-3]' || true)
    echo "${n:-1}"
}
# One request to the servers, which deletes a stream.
delete_stream() {
    python3 - $((base + 1 + RANDOM % 3)) "\$JS.API.STREAM.DELETE.$1" << 'PY' || true
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5) as s:
    s.sendall(b'CONNECT {"verbose":false}\r\nSUB a 1\r\nPUB %s a 0\r\n\r\nPING\r\n' % sys.argv[2].encode())
    s.settimeout(5)
    seen = b""
    while b"MSG" not in seen:
        seen += s.recv(4096)
PY
}

SECONDS=0
"$program" "${args[@]}" --out here.csv --threads 1 > /dev/null
echo "here, on one thread: $SECONDS s"
for n in 1 2 3; do start_server $n; done
start_proxy
for n in 1 2 3 4 5 6; do start_worker $n; done
SECONDS=0
start_submitter

declare -A count
round=0
while kill -0 "$submitter" 2> /dev/null; do
    [ $SECONDS -lt "${LIMIT:-3600}" ] || { echo "not finished after $SECONDS s" >&2; tail -5 submitter.log >&2; exit 1; }
    sleep "$((2 + RANDOM % 3))"
    kill -0 "$submitter" 2> /dev/null || break
    # After the first faults of each kind there is some quiet, so that it can end.
    kinds=(worker hang submitter server leader network stream results version quiet quiet quiet)
    if [ $round -lt 9 ]; then kind=${kinds[$round]}; else kind=${kinds[$((RANDOM % ${#kinds[@]}))]}; fi
    round=$((round + 1))
    count[$kind]=$((${count[$kind]:-0} + 1))
    echo "$SECONDS s: $kind" >> faults.log
    case $kind in
        worker) n=$((1 + RANDOM % 6)); slay "${worker[$n]}"; start_worker $n ;;
        hang) n=$((1 + RANDOM % 6)); kill -STOP "${worker[$n]}"; sleep 8; slay "${worker[$n]}"; start_worker $n ;;
        submitter) slay "$submitter"; start_submitter ;;
        server) n=$((1 + RANDOM % 3)); slay "${server[$n]}"; sleep 2; start_server $n ;;
        leader) n=$(leader); slay "${server[$n]}"; sleep 2; start_server "$n" ;;
        network) slay "${proxy[1]}"; sleep 7; start_proxy ;;
        stream) delete_stream SIMULATE_JOBS ;;
        results) delete_stream SIMULATE_RESULTS ;;
        # A greeting of another version, as a worker of an older program would send it.
        version) python3 "$here/old_worker.py" $((base + 1 + RANDOM % 3)) || true ;;
        quiet) sleep 5 ;;
    esac
done
wait "$submitter" || { echo "the sweep failed" >&2; tail -20 submitter.log >&2; exit 1; }
submitter=
echo "on the pool, with faults: $SECONDS s"
for kind in "${!count[@]}"; do printf '  %-10s %d\n' "$kind" "${count[$kind]}"; done
grep -c "asked for again" submitter.log | sed 's/^/  asked again: /' || true
grep "is not used" submitter.log | sort -u | sed 's/^/  /' || true
[ "$(wc -l < pool.csv)" = $((runs + 1)) ] || { echo "$(wc -l < pool.csv) lines" >&2; exit 1; }
cmp here.csv pool.csv
sha256sum here.csv pool.csv
