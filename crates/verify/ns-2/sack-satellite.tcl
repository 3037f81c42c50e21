# SACK on 10 Mbit/s with 275 ms: three of a window of 16 packets are lost.

array set scenario {
    agent                      TCP/Sack1
    sink                       TCPSink/Sack1
    end                        4
    access_bits_per_second     40000000
    access_delay_seconds       1e-05
    bottleneck_bits_per_second 10000000
    bottleneck_delay_seconds   0.275
    waiting_places             200
    lost_data                  {20 24 29}
    sender                     {
        window_ 200 windowInit_ 2 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
