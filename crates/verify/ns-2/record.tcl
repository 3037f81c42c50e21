# Records what the TCPs of ns-2 send and receive:
#
#     ns record.tcl NAME.tcl [FOLDER]
#
# builds the scenario that NAME.tcl describes and writes the trace NAME.txt beside it. With a FOLDER, the variables of the
# senders after each acknowledgment go to FOLDER/NAME.txt as well.
#
#     source 0 ──┐                                                ┌── sink 0
#                switch 1 ── loss ── queue ── bottleneck ── switch 2
#     source 1 ──┘                                                └── sink 1
#
# Every link is full duplex with one rate and one delay. Only the queue of the bottleneck towards the sinks is short.

# What a scenario file may set, and what holds if it does not.
array set scenario {
    agent                      TCP
    sink                       TCPSink
    starts                     0
    end                        2
    access_bits_per_second     8000000
    access_delay_seconds       0.0001
    bottleneck_bits_per_second 800000
    bottleneck_delay_seconds   0.1
    waiting_places             1000
    queue                      DropTail
    lost_data                  {}
    lost_acknowledgments       {}
    sender                     {}
    receiver                   {}
    red                        {}
}

# Variables of the sender that are the same in all scenarios.
set every_sender {
    packetSize_ 1040 useHeaders_ false
    syn_ false delay_growth_ false
    overhead_ 0 maxburst_ 0
    timestamps_ false ecn_ 0 maxrto_ 60
    tcpTick_ 0.00001
}
# useHeaders_ adds 40 bytes to every segment but the first, which it takes for a SYN (TcpAgent::output); a packet of 1040
# bytes without it is 1000 bytes of data and 40 of header for all. delay_growth_ would let the acknowledgment of segment 0
# put the window back to windowInit_ (TcpAgent::recv), as if it were the SYN. Round trips are counted in ticks with a random
# phase (boot_time_) of up to a tick; ten microseconds are as fine as the 16 bits of TcpAgent::rtt_update allow for a round
# trip that may be 327 ms off its mean. A scenario whose round trips vary more takes 0.1 ms, and no timer expires in it.

# Variables of the sink that are the same in all scenarios: an acknowledgment has 40 bytes, and 8 more for a SACK block.
set every_receiver {packetSize_ 40}

# The sink with delayed acknowledgments would acknowledge segment 0 at once, as if it were the SYN (DelAckSink::recv).
set every_delaying_receiver {SYN_immediate_ack_ false interval_ 0.1}

# Variables of the queue RED, if the bottleneck has it, that are the same in all scenarios: it counts packets of 1040 bytes.
set every_red {bytes_ false queue_in_bytes_ false mean_pktsize_ 1040 setbit_ false adaptive_ 0 use_mark_p_ false}

set ample_places 100000

proc main {arguments} {
    global scenario_file name debug_folder simulator
    lassign $arguments scenario_file debug_folder
    set name [file rootname [file tail $scenario_file]]
    uplevel #0 source $scenario_file
    set simulator [new Simulator]
    build_path
    build_connections
    $simulator at $::scenario(end) write_and_exit
    $simulator run
}

# ------------------------------------------------------------------------------------------------------------- network

proc build_path {} {
    global scenario simulator switch_1 switch_2
    set switch_1 [$simulator node]
    set switch_2 [$simulator node]
    foreach {variable value} [red_variables] {
        Queue/RED set $variable $value
    }
    connect_nodes $switch_1 $switch_2 bottleneck $scenario(queue)
    # A DropTail drops a packet if `waiting + 1 >= limit_` (DropTail::enque), RED if `waiting >= limit_` (REDQueue::enque); the
    # packet in transmission is not counted.
    $simulator queue-limit $switch_1 $switch_2 [expr {$scenario(waiting_places) + ($scenario(queue) eq "DropTail")}]
    lose_packets $switch_1 $switch_2 $scenario(lost_data)
    lose_packets $switch_2 $switch_1 $scenario(lost_acknowledgments)
    trace_link $switch_1 $switch_2 at_bottleneck 0
    trace_link $switch_2 $switch_1 at_bottleneck 0
}

proc connect_nodes {one other which {queue DropTail}} {
    global scenario simulator ample_places
    set rate $scenario(${which}_bits_per_second)
    set delay $scenario(${which}_delay_seconds)
    $simulator simplex-link $one $other $rate $delay $queue
    $simulator simplex-link $other $one $rate $delay DropTail
    $simulator queue-limit $one $other $ample_places
    $simulator queue-limit $other $one $ample_places
}

# Loses the packets of the given positions, counted from 1 and including retransmissions, before the queue of a link.
# ErrorModel/List counts from 0.
proc lose_packets {from to positions} {
    global simulator
    if {[llength $positions] == 0} return
    set from_zero {}
    foreach position $positions {
        lappend from_zero [expr {$position - 1}]
    }
    set losses [new ErrorModel/List]
    $losses droplist $from_zero
    $simulator lossmodel $losses $from $to
}

# Calls `command connection line` for each line of ns-2's trace of a link.
proc trace_link {from to command connection} {
    global simulator
    [$simulator link $from $to] trace-callback $simulator "$command $connection"
}

# --------------------------------------------------------------------------------------------------------- connections

proc build_connections {} {
    global scenario simulator senders next_new
    foreach start $scenario(starts) {
        set connection [array size senders]
        set next_new($connection) 0
        set senders($connection) [build_sender]
        build_connection $connection $senders($connection) [build_receiver] $start
    }
}

proc build_sender {} {
    global scenario
    set sender [new Agent/$scenario(agent)]
    set_variables $sender [sender_variables]
    return $sender
}

proc build_receiver {} {
    global scenario
    set receiver [new Agent/$scenario(sink)]
    set_variables $receiver [receiver_variables]
    return $receiver
}

# A scenario may change what every scenario has.
proc sender_variables {} {
    global scenario every_sender
    return [dict merge $every_sender $scenario(sender)]
}

proc red_variables {} {
    global scenario every_red
    return [dict merge $every_red $scenario(red)]
}

proc receiver_variables {} {
    global scenario every_receiver every_delaying_receiver
    if {[string match *DelAck $scenario(sink)]} {
        return [dict merge $every_receiver $every_delaying_receiver $scenario(receiver)]
    }
    return [dict merge $every_receiver $scenario(receiver)]
}

proc set_variables {agent variables} {
    foreach {variable value} $variables {
        $agent set $variable $value
    }
}

proc build_connection {connection sender receiver start} {
    global simulator switch_1 switch_2
    set source [$simulator node]
    set destination [$simulator node]
    connect_nodes $source $switch_1 access
    connect_nodes $switch_2 $destination access
    $simulator attach-agent $source $sender
    $simulator attach-agent $destination $receiver
    $simulator connect $sender $receiver
    trace_link $source $switch_1 at_source $connection
    trace_link $switch_1 $source at_source $connection
    trace_link $destination $switch_2 at_destination $connection
    set transfer [$sender attach-app FTP]
    $simulator at $start "$transfer start"
}

# -------------------------------------------------------------------------------------------------------------- events

# A line of ns-2's trace: event, time, from, to, type, size, flags, flow, source, destination, sequence number, packet.
# Events: + enters the queue of a link, - leaves it, r arrives at the far end, d is dropped.

proc at_source {connection line} {
    set event [lindex $line 0]
    set type [lindex $line 4]
    set number [lindex $line 10]
    if {$event == "+" && $type == "tcp"} {
        record $connection [transmission_of $connection $number] $number
    } elseif {$event == "r" && $type == "ack"} {
        record $connection acknowledged [expr {$number + 1}]
        note_variables_soon $connection [expr {$number + 1}]
    }
}

proc at_destination {connection line} {
    if {[lindex $line 0] == "+" && [lindex $line 4] == "ack"} {
        record $connection acknowledge [expr {[lindex $line 10] + 1}]
    }
}

proc at_bottleneck {connection line} {
    global lost
    if {[lindex $line 0] == "d"} {
        lappend lost([lindex $line 4]) [lindex $line 10]
    }
}

proc transmission_of {connection number} {
    global next_new
    if {$number < $next_new($connection)} {
        return resend
    }
    set next_new($connection) [expr {$number + 1}]
    return send
}

proc record {connection event number} {
    global scenario simulator rows
    set row [format "%.6f %s %d" [$simulator now] $event $number]
    if {[llength $scenario(starts)] > 1} {
        append row " $connection"
    }
    lappend rows $row
}

# ----------------------------------------------------------------------------------------------------------- variables

# The trace has the line before the sender sees the packet: look at the same instant, but after this event.
proc note_variables_soon {connection acknowledged} {
    global debug_folder simulator
    if {$debug_folder != ""} {
        $simulator at [$simulator now] "note_variables $connection $acknowledged"
    }
}

proc note_variables {connection acknowledged} {
    global simulator senders notes
    set sender $senders($connection)
    set note [format "%.6f source %d acknowledged %d:" [$simulator now] $connection $acknowledged]
    foreach variable {cwnd_ ssthresh_ dupacks_ ack_ t_seqno_ maxseq_ rtt_ srtt_ rttvar_ backoff_ nrexmit_} {
        append note " $variable [$sender set $variable]"
    }
    lappend notes $note
}

# --------------------------------------------------------------------------------------------------------------- files

proc write_and_exit {} {
    global scenario_file name rows debug_folder notes
    write_lines [file rootname $scenario_file].txt [concat [header] $rows]
    if {$debug_folder != ""} {
        write_lines [file join $debug_folder $name.txt] $notes
    }
    exit 0
}

proc header {} {
    global name scenario
    set lines [list "# Recorded with ns-2 [ns-version]: ns record.tcl $name.tcl"]
    foreach line [purpose] {
        lappend lines $line
    }
    foreach key {agent sink starts end access_bits_per_second access_delay_seconds bottleneck_bits_per_second
            bottleneck_delay_seconds waiting_places lost_data lost_acknowledgments} {
        lappend lines "# $key: $scenario($key)"
    }
    lappend lines "# sender: [sender_variables]"
    lappend lines "# receiver: [receiver_variables]"
    if {$scenario(queue) eq "RED"} {
        lappend lines "# red: [red_variables]"
    }
    lappend lines "# segments dropped: [dropped tcp]"
    lappend lines "# acknowledgments dropped: [dropped ack]"
    if {[llength $scenario(starts)] > 1} {
        lappend lines "# columns: seconds event segment source"
    } else {
        lappend lines "# columns: seconds event segment"
    }
    return $lines
}

# The comment at the top of the scenario file.
proc purpose {} {
    global scenario_file
    set lines {}
    foreach line [split [read_file $scenario_file] "\n"] {
        if {![string match "#*" $line]} break
        lappend lines $line
    }
    return $lines
}

# What was dropped at the bottleneck, by force or for want of a place; acknowledgments by the next expected segment.
proc dropped {type} {
    global lost
    if {![info exists lost($type)]} {
        return none
    }
    if {$type == "tcp"} {
        return $lost(tcp)
    }
    set numbers {}
    foreach number $lost(ack) {
        lappend numbers [expr {$number + 1}]
    }
    return $numbers
}

proc read_file {path} {
    set file [open $path]
    set text [read $file]
    close $file
    return $text
}

proc write_lines {path lines} {
    set file [open $path w]
    puts $file [join $lines "\n"]
    close $file
}

main $argv
