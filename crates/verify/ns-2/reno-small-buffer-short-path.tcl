# Reno fills a drop-tail buffer of 5 packets on a path of 30 ms and 7 packets.

array set scenario {
    agent                      TCP/Reno
    sink                       TCPSink
    end                        0.84
    access_bits_per_second     8000000
    access_delay_seconds       0.001
    bottleneck_bits_per_second 2000000
    bottleneck_delay_seconds   0.01
    waiting_places             5
    sender                     {
        window_ 64 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
