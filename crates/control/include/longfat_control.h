/* A congestion control of your own for longfat, as a shared library.
 *
 *     cc -O2 -shared -fPIC -o mine.so mine.c
 *     longfat run wan.toml --set 'tcp.flavor={ kind = "external", control = "mine" }' --control mine=mine.so
 *
 * The library exports one function, longfat_control, which returns its methods. Each connection has a
 * control of its own. A control is called by one thread at a time, but not always by the same; controls
 * of several connections may be called at once. Their behavior must depend on nothing but the arguments
 * of their methods and the random numbers that they are given: repeated runs must be equal to the byte.
 *
 * Sizes are bytes of data, times are picoseconds since the beginning of the run.
 */
#ifndef LONGFAT_CONTROL_H
#define LONGFAT_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LONGFAT_CONTROL_VERSION 2

/* The congestion window. A control sets cwnd and ssthresh; a cwnd of less than a segment counts as a segment. */
typedef struct {
    double cwnd;
    double ssthresh; /* infinite if there is none */
    double mss;
    double receiver_window;
    int32_t in_slow_start; /* when the control is called */
} longfat_window;

/* A parameter of the scenario (`parameters`). */
typedef struct {
    const char *name;
    double value;
} longfat_parameter;

/* Progress reported by an acknowledgment of new data, outside loss recovery. */
typedef struct {
    uint64_t now_ps;
    uint64_t acknowledged;           /* bytes newly acknowledged */
    uint64_t round_trip_ps;          /* measured by it; 0 for none */
    uint64_t smoothed_round_trip_ps; /* SRTT of RFC 6298; 0 for none */
    uint64_t unacknowledged;         /* first byte not acknowledged, after it */
    uint64_t highest;                /* first byte never sent */
    int32_t is_paced;                /* whether segments are paced */
    int32_t window_is_used;          /* whether the window has limited the sender lately (RFC 7661) */
    uint64_t one_way_delay_ps;       /* of the segment that it answers, by timestamps; 0 for none */
} longfat_progress;

/* Delivery rate sample of an acknowledgment, new or duplicate (draft-cheng-iccrg-delivery-rate-estimation). */
typedef struct {
    uint64_t now_ps;
    uint64_t bytes;               /* newly acknowledged, cumulatively or selectively */
    uint64_t total;               /* delivered so far */
    uint64_t total_when_sent;     /* when the most recently sent of these segments was sent */
    uint64_t in_flight_when_sent; /* including that segment */
    uint64_t lost_since_sent;
    double rate; /* bytes per second since that segment was sent; 0 if the interval is too short */
    uint64_t round_trip_ps;    /* of that segment; 0 if it was sent more than once */
    uint64_t in_flight_before; /* bytes in the network before the acknowledgment */
    uint64_t in_flight;        /* bytes in the network after it */
    uint64_t lost;             /* bytes that it makes the recovery mark as lost */
    uint64_t unacknowledged;
    uint64_t highest;
    int32_t is_application_limited;
    int32_t is_recovering;
} longfat_delivery;

/* A segment newly marked as lost, by recoveries that track segments. */
typedef struct {
    uint64_t now_ps;
    uint64_t begin;
    uint64_t bytes;
    uint64_t in_flight_when_sent;
    uint64_t lost_since_sent;
    uint64_t total;
    int32_t is_application_limited;
} longfat_lost_segment;

/* Methods of a control. Those below the line may be null. */
typedef struct {
    uint32_t version; /* LONGFAT_CONTROL_VERSION */

    /* Creates the control of a new connection; returns null if the parameters are invalid. */
    void *(*create)(const longfat_parameter *parameters, size_t count);
    void (*destroy)(void *control);
    void (*on_acknowledgment)(void *control, longfat_window *window, const longfat_progress *progress);
    /* A loss was detected without a timeout, with `flight` bytes in flight. */
    void (*on_loss)(void *control, longfat_window *window, uint64_t flight);
    /* The retransmission timer has expired. */
    void (*on_timeout)(void *control, longfat_window *window, uint64_t flight);

    /* -------------------------------------------------------------------------------------------- */

    /* An ECN mark, at most once per window of data; treated as a loss if this is null. */
    void (*on_mark)(void *control, longfat_window *window, uint64_t flight);
    /* `marked` of `acknowledged` newly acknowledged bytes were marked. */
    void (*observe_marks)(void *control, uint64_t acknowledged, uint64_t marked, uint64_t unacknowledged,
                          uint64_t highest);
    void (*on_delivery)(void *control, longfat_window *window, const longfat_delivery *delivery);
    void (*on_lost_segment)(void *control, longfat_window *window, const longfat_lost_segment *lost);
    /* The handshake has measured a round trip. */
    void (*on_opened)(void *control, uint64_t now_ps, uint64_t round_trip_ps);
    /* The application hands over data while nothing is in flight. */
    void (*on_restart_from_idle)(void *control, uint64_t now_ps);
    /* Pacing rate in bytes per second; 0 for none. */
    double (*pacing_rate)(void *control, const longfat_window *window);
    /* Called first: draw(chance) returns random numbers in [0, 1), for the lifetime of the control. */
    void (*take_chance)(void *control, double (*draw)(void *chance), void *chance);
} longfat_methods;

const longfat_methods *longfat_control(void);

#ifdef __cplusplus
}
#endif

#endif
