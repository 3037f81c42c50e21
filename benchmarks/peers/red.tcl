# The network of red.toml in ns-2:
#
#     ns red.tcl WITHIN WARM_UP DURATION SEED
#
# Twenty connections start one after another within WITHIN s. Prints one line: bits per second of data acknowledged, packets dropped, and
# packets that wait on average, all between WARM_UP and DURATION, in s.

lassign $argv within warm_up duration seed
set sources 20
ns-random $seed

foreach {variable value} {
    bytes_ false queue_in_bytes_ false mean_pktsize_ 1500 setbit_ false adaptive_ 0 use_mark_p_ false
    thresh_ 25 maxthresh_ 75 q_weight_ 0.002 linterm_ 10 gentle_ true wait_ true
} {
    Queue/RED set $variable $value
}
set sender_variables {
    packetSize_ 1500 useHeaders_ false syn_ false delay_growth_ false overhead_ 0 maxburst_ 0 timestamps_ false ecn_ 0
    maxrto_ 60 minrto_ 1 tcpTick_ 0.0001 window_ 600 windowInit_ 2 singledup_ 0 bugFix_ true precisionReduce_ true
    newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
}

set simulator [new Simulator]

proc connect {one other rate delay queue limit} {
    global simulator
    $simulator simplex-link $one $other $rate $delay $queue
    $simulator simplex-link $other $one $rate $delay DropTail
    $simulator queue-limit $one $other $limit
    $simulator queue-limit $other $one 100000
}

proc build {} {
    global simulator sources within senders before behind
    set before [$simulator node]
    set behind [$simulator node]
    connect $before $behind 40Mb 20ms RED 1000
    for {set number 0} {$number < $sources} {incr number} {
        set source [$simulator node]
        set sink_node [$simulator node]
        connect $source $before 100Mb 5ms DropTail 100000
        connect $behind $sink_node 100Mb 5ms DropTail 100000
        set sender [new Agent/TCP/Newreno]
        foreach {variable value} $::sender_variables {
            $sender set $variable $value
        }
        set sink [new Agent/TCPSink]
        $sink set packetSize_ 40
        $simulator attach-agent $source $sender
        $simulator attach-agent $sink_node $sink
        $simulator connect $sender $sink
        set transfer [$sender attach-app FTP]
        $simulator at [expr {$number * $within / $sources}] "$transfer start"
        lappend senders $sender
    }
}

# Acknowledged packets, dropped packets, and packets that wait, added up over the seconds.
proc totals {} {
    global senders monitor
    set acknowledged 0
    foreach sender $senders {
        incr acknowledged [expr {[$sender set ack_] + 1}]
    }
    set integrator [$monitor get-pkts-integrator]
    $integrator newpoint [$::simulator now] [$monitor set pkts_]
    return [list $acknowledged [$monitor set pdrops_] [$integrator set sum_]]
}

proc finish {} {
    global at_warm_up warm_up duration
    set differences {}
    foreach end [totals] begin $at_warm_up {
        lappend differences [expr {$end - $begin}]
    }
    lassign $differences acknowledged dropped waited
    set seconds [expr {$duration - $warm_up}]
    puts "[expr {8.0 * 1460 * $acknowledged / $seconds}] $dropped [expr {double($waited) / $seconds}]"
    exit 0
}

build
set monitor [$simulator monitor-queue $before $behind ""]
$simulator at $warm_up {set at_warm_up [totals]}
$simulator at $duration finish
$simulator run
