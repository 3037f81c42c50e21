#!/bin/bash
# One run that takes longer than a job may, by SLURM and DMTCP (dmtcp.sourceforge.io):
#   sbatch --export=ALL,SCENARIO=lan.toml long.sh
# DMTCP writes the memory of longfat to disk; the job queues itself again and goes on there. The result is long/result.json.
#SBATCH --cpus-per-task=1
#SBATCH --time=00:30:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Two minutes before the limit the script writes a checkpoint.
#SBATCH --signal=B:USR1@120
set -u
: "${SCENARIO:?a scenario file, as in: sbatch --export=ALL,SCENARIO=lan.toml long.sh}"
kept=$SLURM_SUBMIT_DIR/${NAME:-long}
mkdir -p "$kept"
port=$kept/port
rm -f "$port"
# A checkpoint every ten minutes as well, for nodes that fail.
dmtcp=(--new-coordinator --coord-port 0 --port-file "$port" --interval 600 --ckptdir "$kept")
saved=("$kept"/ckpt_*.dmtcp)
again=
checkpoint() {
    again=yes
    until [ -s "$port" ]; do sleep 1; done
    dmtcp_command --coord-port "$(cat "$port")" --kcheckpoint
}
trap checkpoint USR1
if [ -e "${saved[0]}" ]; then
    dmtcp_restart "${dmtcp[@]}" "${saved[@]}" > "$kept/result.json.new" &
else
    dmtcp_launch "${dmtcp[@]}" longfat run "$SCENARIO" --json > "$kept/result.json.new" &
fi
run=$!
wait $run
code=$?
rm -f "$port"
if [ "$again" ]; then
    scontrol requeue "$SLURM_JOB_ID"
elif [ $code -eq 0 ] && [ -s "$kept/result.json.new" ]; then
    mv "$kept/result.json.new" "$kept/result.json"
    rm -rf "$kept"/ckpt_* "$kept"/dmtcp_restart_script*
fi
exit $code
