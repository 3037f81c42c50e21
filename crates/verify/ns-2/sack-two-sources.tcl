# Two SACK senders share a drop-tail buffer of 8 packets.

array set scenario {
    agent                      TCP/Sack1
    sink                       TCPSink/Sack1
    starts                     {0 0.0337}
    end                        0.61
    access_bits_per_second     6400000
    access_delay_seconds       0.001
    bottleneck_bits_per_second 2000000
    bottleneck_delay_seconds   0.02
    waiting_places             8
    sender                     {
        window_ 40 windowInit_ 2 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
