# SACK fills a drop-tail buffer of 8 packets on a path of 224 ms and 11 packets: slow start loses many.

array set scenario {
    agent                      TCP/Sack1
    sink                       TCPSink/Sack1
    end                        3.4
    bottleneck_bits_per_second 400000
    waiting_places             8
    sender                     {
        window_ 64 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false tcpTick_ 0.0001
    }
}
