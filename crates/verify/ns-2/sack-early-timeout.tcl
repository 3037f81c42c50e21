# The queue grows so fast that the timer of SACK expires just before the fast retransmission is acknowledged; the
# segment sent again makes a duplicate acknowledgment.

array set scenario {
    agent                    TCP/Sack1
    sink                     TCPSink/Sack1
    end                      1.3
    bottleneck_delay_seconds 0.02
    lost_data                {31}
    sender                   {
        window_ 24 windowInit_ 2 minrto_ 0.2 singledup_ 0
        bugFix_ false precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
