# What dumbbell.tcl and web.tcl have in common: both set `headers` and `flavor` first.

set bits_per_second 155520000
set delay_seconds 0.005
# A DropTail drops a packet if `waiting + 1 >= limit_` (DropTail::enque); the packet in transmission is not counted.
set queue_limit [expr {500 + 1}]
set ample_queue_limit 100000
# 1460 bytes of data and 40 of header.
set segment_bytes 1460
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

# So many hosts on either side of the bottleneck: `near` and `far` by their number.
proc join_hosts {count} {
    global simulator queue_limit ample_queue_limit near far
    set before [$simulator node]
    set behind [$simulator node]
    connect $before $behind $queue_limit
    for {set number 0} {$number < $count} {incr number} {
        set near($number) [$simulator node]
        set far($number) [$simulator node]
        connect $near($number) $before $ample_queue_limit
        connect $behind $far($number) $ample_queue_limit
    }
}

# A connection between the hosts with a number: its sender.
proc connection {number} {
    global simulator flavor near far senders sinks
    set sender [new Agent/$senders($flavor)]
    $sender set packetSize_ $::data_packet_bytes
    $sender set useHeaders_ false
    $sender set window_ $::window_segments
    $sender set maxcwnd_ $::window_segments
    $sender set overhead_ 0
    set sink [new Agent/$sinks($flavor)]
    $sink set packetSize_ $::acknowledgment_bytes
    $simulator attach-agent $near($number) $sender
    $simulator attach-agent $far($number) $sink
    $simulator connect $sender $sink
    lappend ::all_senders $sender
    return $sender
}

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
