# The short flows of web.toml in ns-2:
#
#     ns web.tcl HEADERS FLAVOR SOURCES DURATION
#
# as dumbbell.tcl, but each sender has 229 flows that begin after exponentially distributed times and have sizes between 8 kB and 4 MB of a
# Pareto distribution, each with agents of its own.

lassign $argv headers flavor sources duration
source [file join [file dirname [info script]] network.tcl]

set flows 229
set interval_seconds 0.0435
set smallest_bytes 8000.0
set largest_bytes 4000000.0
set shape 1.2
set chance [new RNG]
$chance seed 1

proc pareto {} {
    global chance smallest_bytes largest_bytes shape
    set below [expr {1 - pow($smallest_bytes / $largest_bytes, $shape)}]
    return [expr {$smallest_bytes / pow(1 - [$chance uniform 0 1] * $below, 1 / $shape)}]
}

join_hosts $sources
for {set number 0} {$number < $sources} {incr number} {
    set start 0
    for {set flow 0} {$flow < $flows} {incr flow} {
        set start [expr {$start + [$chance exponential $interval_seconds]}]
        set sender [connection $number]
        set packets [expr {int(ceil([pareto] / $segment_bytes))}]
        $simulator at $start "$sender advanceby $packets"
    }
}
$simulator at $duration finish
$simulator run
