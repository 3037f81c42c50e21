# The dumbbell of dumbbell.toml in ns-2:
#
#     ns dumbbell.tcl HEADERS FLAVOR SOURCES DURATION
#
# HEADERS is "lean", for packets with the headers in use only, or "all", which is ns-2's default; FLAVOR "newreno" or "sack";
# DURATION is in seconds. Prints one line: data packets sent, and acknowledgments received.

lassign $argv headers flavor sources duration
source [file join [file dirname [info script]] network.tcl]

set stagger_seconds [expr {0.1 / $sources}]
join_hosts $sources
for {set number 0} {$number < $sources} {incr number} {
    set sender [connection $number]
    set application [new Application/FTP]
    $application attach-agent $sender
    $simulator at [expr {$number * $stagger_seconds}] "$application start"
}
$simulator at $duration finish
$simulator run
