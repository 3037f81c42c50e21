#!/bin/sh
# Records all traces again: ./record.sh [FOLDER]. See record.tcl for the FOLDER.
set -eu
cd "$(dirname "$0")"
for scenario in *-*.tcl; do
    ns record.tcl "$scenario" "$@"
done
