#!/bin/bash
# A study as an array of SLURM jobs, without a database and without Dask:
#   sbatch --export=ALL,STUDY=ubr-plus parts.sh
# Submit it again for the parts that ran out of time, then: longfat store merge longfat.db parts/*.db
#SBATCH --array=1-20
#SBATCH --cpus-per-task=4
#SBATCH --time=00:30:00
# Stop longfat a minute before the limit: every run that has ended is stored.
#SBATCH --signal=INT@60
set -u
: "${STUDY:?name or folder of the study, as in: sbatch --export=ALL,STUDY=ubr-plus parts.sh}"
part=$SLURM_ARRAY_TASK_ID
kept=$SLURM_SUBMIT_DIR/parts/$part.db
# A file that is written must be on a disk of the node; copies may be anywhere.
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
mkdir -p "$(dirname "$kept")"
if [ -e "$kept" ]; then cp "$kept" "$own/part.db"; fi
srun longfat study run "$STUDY" --part "$part/$SLURM_ARRAY_TASK_COUNT" --jobs "$SLURM_CPUS_PER_TASK" --store "$own/part.db"
code=$?
if [ -e "$own/part.db" ]; then cp "$own/part.db" "$kept.new" && mv "$kept.new" "$kept"; fi
exit $code
