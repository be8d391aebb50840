#!/bin/bash
# Workers of a pool as jobs of Slurm: each element of the array is one worker, which computes until its time is over.
#
#   SIMULATE_POOL=tls://pool.example:4222 sbatch --array=0-31 slurm.sh
#
#SBATCH --job-name=simulate-worker
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=04:00:00
# Half a minute before the end the worker hands back what it holds.
#SBATCH --signal=TERM@30
#SBATCH --output=simulate-worker-%A-%a.log
set -euo pipefail

: "${SIMULATE_POOL:?say where the pool is: SIMULATE_POOL=tls://HOST:4222}"
key=${SIMULATE_NKEY:-$HOME/.config/simulate/worker.nk}
threads=${SLURM_CPUS_PER_TASK:-1}
# A part of the memory is left for the worker itself.
memory=$((${SLURM_MEM_PER_NODE:-4096} * 9 / 10 / threads))
[ "$memory" -ge 256 ] || memory=256

exec srun simulate worker --pool "$SIMULATE_POOL" --nkey "$key" --threads "$threads" --memory "${memory}M"
