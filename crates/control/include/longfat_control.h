/* A congestion control of your own for longfat, as a shared library.
 *
 *     cc -O2 -shared -fPIC -o mine.so mine.c
 *     longfat run wan.toml --set 'tcp.flavor={ kind = "external", control = "mine" }' --control mine=mine.so
 *
 * The library has one function that longfat looks for, longfat_control, which gives its methods. Each
 * connection has a control of its own. It is asked by one thread at a time, but not always by the same;
 * several connections may be asked at once. Whatever it does must follow from what it is told and from
 * the chance that it is given: a run is repeated to the byte.
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
    int32_t in_slow_start; /* when the control is asked */
} longfat_window;

/* A number that the scenario gives (`parameters`). */
typedef struct {
    const char *name;
    double value;
} longfat_parameter;

/* What an acknowledgment of new data tells, outside of loss recovery. */
typedef struct {
    uint64_t now_ps;
    uint64_t acknowledged;           /* bytes that it is the first to acknowledge */
    uint64_t round_trip_ps;          /* that it measures; 0 for none */
    uint64_t smoothed_round_trip_ps; /* SRTT of RFC 6298; 0 for none */
    uint64_t unacknowledged;         /* first byte not acknowledged, now */
    uint64_t highest;                /* first byte never sent */
    int32_t is_paced;                /* whether segments leave at a rate */
    int32_t window_is_used;          /* whether the window has kept data back lately */
    uint64_t one_way_delay_ps;       /* to the receiver, of the segment that it answers, with timestamps; 0 for none */
} longfat_progress;

/* What any acknowledgment tells of deliveries (draft-cheng-iccrg-delivery-rate-estimation). */
typedef struct {
    uint64_t now_ps;
    uint64_t bytes;               /* that it is the first to report, acknowledged or selectively */
    uint64_t total;               /* delivered so far */
    uint64_t total_when_sent;     /* when the latest segment that it reports was sent */
    uint64_t in_flight_when_sent; /* with that segment */
    uint64_t lost_since_sent;
    double rate; /* bytes per second since that segment was sent; 0 if there was too little time to tell */
    uint64_t round_trip_ps;    /* of that segment; 0 if it was sent more than once */
    uint64_t in_flight_before; /* bytes in the network before the acknowledgment came */
    uint64_t in_flight;        /* the same now */
    uint64_t lost;             /* bytes that the recovery has come to take for lost */
    uint64_t unacknowledged;
    uint64_t highest;
    int32_t is_application_limited;
    int32_t is_recovering;
} longfat_delivery;

/* A segment that the recovery has come to take for lost, of recoveries that know segment by segment. */
typedef struct {
    uint64_t now_ps;
    uint64_t begin;
    uint64_t bytes;
    uint64_t in_flight_when_sent;
    uint64_t lost_since_sent;
    uint64_t total;
    int32_t is_application_limited;
} longfat_lost_segment;

/* The methods of a control. Those below the line may be null. */
typedef struct {
    uint32_t version; /* LONGFAT_CONTROL_VERSION */

    /* The control of a new connection; null if the parameters are wrong. */
    void *(*create)(const longfat_parameter *parameters, size_t count);
    void (*destroy)(void *control);
    void (*on_acknowledgment)(void *control, longfat_window *window, const longfat_progress *progress);
    /* Duplicate acknowledgments show a loss while so many bytes are under way. */
    void (*on_loss)(void *control, longfat_window *window, uint64_t flight);
    /* The retransmission timer has expired. */
    void (*on_timeout)(void *control, longfat_window *window, uint64_t flight);

    /* -------------------------------------------------------------------------------------------- */

    /* A mark of explicit congestion notification, once in a window of data; as a loss if this is null. */
    void (*on_mark)(void *control, longfat_window *window, uint64_t flight);
    /* Of so many bytes acknowledged so many were marked. */
    void (*observe_marks)(void *control, uint64_t acknowledged, uint64_t marked, uint64_t unacknowledged,
                          uint64_t highest);
    void (*on_delivery)(void *control, longfat_window *window, const longfat_delivery *delivery);
    void (*on_lost_segment)(void *control, longfat_window *window, const longfat_lost_segment *lost);
    /* The opening of the connection has measured a round trip. */
    void (*on_opened)(void *control, uint64_t now_ps, uint64_t round_trip_ps);
    /* The application hands over data when nothing is under way. */
    void (*on_restart_from_idle)(void *control, uint64_t now_ps);
    /* Bytes per second at which segments leave; 0 for none. */
    double (*pacing_rate)(void *control, const longfat_window *window);
    /* Before all else: draw(chance) gives numbers from 0 to 1, without 1, for as long as the control lives. */
    void (*take_chance)(void *control, double (*draw)(void *chance), void *chance);
} longfat_methods;

const longfat_methods *longfat_control(void);

#ifdef __cplusplus
}
#endif

#endif
