# The queue lengthens the round trip. SACK recovers from one loss by fast retransmission; the next is lost again when
# retransmitted, and the timer shows what became of the estimate of the round trip.

array set scenario {
    agent                    TCP/Sack1
    sink                     TCPSink/Sack1
    end                      1.3
    bottleneck_delay_seconds 0.02
    lost_data                {31 50 56}
    sender                   {
        window_ 12 windowInit_ 2 minrto_ 0.1 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
