# The dumbbell of dumbbell.toml in ns-2:
#
#     ns dumbbell.tcl HEADERS FLAVOR SOURCES DURATION
#
# HEADERS is "lean", for packets with the headers in use only, or "all", which is ns-2's default; FLAVOR "newreno" or "sack";
# DURATION is in seconds. Prints one line: data packets sent, and acknowledgments received.

lassign $argv headers flavor sources duration

set bits_per_second 155520000
set delay_seconds 0.005
set stagger_seconds [expr {0.1 / $sources}]
# A DropTail drops a packet if `waiting + 1 >= limit_` (DropTail::enque); the packet in transmission is not counted.
set queue_limit [expr {500 + 1}]
set ample_queue_limit 100000
# 1460 bytes of data and 40 of header.
set data_packet_bytes 1500
set acknowledgment_bytes 40
# 600,000 bytes in segments of 1460.
set window_segments 410

array set senders {newreno TCP/Newreno sack TCP/Sack1}
array set sinks {newreno TCPSink sack TCPSink/Sack1}

if {$headers eq "lean"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}
set simulator [new Simulator]

proc connect {one other limit} {
    global simulator bits_per_second delay_seconds
    $simulator duplex-link $one $other $bits_per_second ${delay_seconds}s DropTail
    $simulator queue-limit $one $other $limit
    $simulator queue-limit $other $one $::ample_queue_limit
}

set before [$simulator node]
set behind [$simulator node]
connect $before $behind $queue_limit
for {set number 0} {$number < $sources} {incr number} {
    set host [$simulator node]
    set far_host [$simulator node]
    connect $host $before $ample_queue_limit
    connect $behind $far_host $ample_queue_limit
    set sender [new Agent/$senders($flavor)]
    $sender set packetSize_ $data_packet_bytes
    $sender set useHeaders_ false
    $sender set window_ $window_segments
    $sender set maxcwnd_ $window_segments
    $sender set overhead_ 0
    set sink [new Agent/$sinks($flavor)]
    $sink set packetSize_ $acknowledgment_bytes
    $simulator attach-agent $host $sender
    $simulator attach-agent $far_host $sink
    $simulator connect $sender $sink
    set application [new Application/FTP]
    $application attach-agent $sender
    $simulator at [expr {$number * $stagger_seconds}] "$application start"
    lappend all_senders $sender
}
$simulator at $duration finish

proc finish {} {
    set data 0
    set acknowledgments 0
    foreach sender $::all_senders {
        incr data [$sender set ndatapack_]
        incr acknowledgments [$sender set nackpack_]
    }
    puts "$data $acknowledgments"
    exit 0
}

$simulator run
