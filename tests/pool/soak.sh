#!/usr/bin/env bash
# Many short runs on a pool with one server and two workers: the memory of each process when 10 %, 50 % and all of the
# runs are done, and how many are done in a second. The bytes must be those of the same sweep here.
#
# usage: tests/pool/soak.sh PROGRAM [RUNS [PORT]]
#
# It needs nats-server, and Linux for the memory of processes.
set -euo pipefail
program=$(realpath "$1") runs=${2:-1000000} port=${3:-24100}
command -v nats-server > /dev/null || { echo "nats-server is not installed: apt-get install nats-server" >&2; exit 1; }
work=$(mktemp -d)
cd "$work"
processes=()
clean() {
    kill -9 "${processes[@]}" 2> /dev/null || true
    wait 2> /dev/null || true
    rm -rf "$work"
}
trap clean EXIT

cat > model.simx << 'MODEL'
<simulation steps="10" delta="0.1" root="M"><model name="M">
<block id="1" group="Math" name="Gain" label="a"><option name="Gain"><value>-1</value></option></block>
<block id="2" group="Math" name="Integrate"><option name="Initial Value"><value>1</value></option></block>
<exit id="3" name="x"/>
<connection from="1" output="Output" to="2" input="Input"/><connection from="2" output="Output" to="1" input="Input"/>
<connection from="2" output="Output" to="3" input="Input"/></model></simulation>
MODEL
args=(sweep model.simx --vary "#1.Gain=-2:1:100" --vary "#2.Initial Value=-1:1:$((runs / 100))" --quiet)

# The resident memory of a process in MB.
memory() { awk '/^VmRSS/ { printf "%.0f", $2 / 1024 }' "/proc/$1/status" 2> /dev/null || echo "-"; }
children() { pgrep -P "$1" | head -1 || true; }

cat > server.conf << CONF
listen: "127.0.0.1:$port"
jetstream { store_dir: "$work/store" }
CONF
nats-server -c server.conf > server.log 2>&1 &
server=$!
processes+=("$server")
until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do sleep 0.1; done
pool="nats://127.0.0.1:$port"
workers=()
for n in 1 2; do
    "$program" worker --pool "$pool" --threads 1 > "worker$n.log" 2>&1 &
    workers+=($!)
    processes+=($!)
done

begin=$(date +%s.%N)
"$program" "${args[@]}" --out pool.csv --pool "$pool" > submitter.log 2>&1 &
submitter=$!
processes+=("$submitter")

seconds() { awk -v begin="$begin" -v end="$(date +%s.%N)" 'BEGIN { printf "%.1f", end - begin }'; }
line() {
    local done=$1 took
    took=$(seconds)
    printf '%10s %8s %8s %8s %8s %8s %8s\n' "$done" "$took" "$(memory "$server")" "$(memory "$submitter")" \
        "$(memory "${workers[0]}")" "$(memory "$(children "${workers[0]}")")" "$(du -sm store | cut -f1)"
}
printf '%10s %8s %8s %8s %8s %8s %8s\n' runs seconds server command worker its-child store
# A run with one number is a record of 61 bytes behind the header, whose length is in it.
marks=(1 5 10 20 30 40 50 60 70 80 90 95 99)
while kill -0 "$submitter" 2> /dev/null; do
    size=$(stat -c %s pool.csv.part 2> /dev/null || echo 16)
    named=$(od -An -tu4 -j8 -N4 pool.csv.part 2> /dev/null | tr -d ' ')
    done=$(((size - 16 - ${named:-0}) / 61))
    if [ "${#marks[@]}" != 0 ] && [ $done -ge $((runs / 100 * marks[0])) ]; then
        line "$done"
        while [ "${#marks[@]}" != 0 ] && [ $done -ge $((runs / 100 * marks[0])) ]; do marks=("${marks[@]:1}"); done
    fi
    sleep 0.2
done
wait "$submitter" || { echo "the sweep failed" >&2; cat submitter.log >&2; exit 1; }
took=$(seconds)
echo "$runs runs in $took s, $(awk -v runs="$runs" -v took="$took" 'BEGIN { printf "%.0f", runs / took }') in a second; server $(memory "$server") MB, workers $(memory "${workers[0]}") and $(memory "${workers[1]}") MB"
SECONDS=0
"$program" "${args[@]}" --out here.csv --threads 2 > /dev/null
echo "here, on two threads: $SECONDS s"
cmp here.csv pool.csv
sha256sum here.csv pool.csv
