/* Slow start and congestion avoidance, written out (RFC 5681 section 3): reno.py in C. */
#include <stdlib.h>
#include <string.h>

#include "longfat_control.h"

struct reno {
    double beta; /* what a loss leaves of the window */
};

static void *create(const longfat_parameter *parameters, size_t count)
{
    struct reno *reno = malloc(sizeof *reno);
    reno->beta = 0.5;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parameters[i].name, "beta") != 0) {
            free(reno);
            return NULL;
        }
        reno->beta = parameters[i].value;
    }
    return reno;
}

static void on_acknowledgment(void *control, longfat_window *window, const longfat_progress *progress)
{
    (void)control, (void)progress;
    window->cwnd += window->in_slow_start ? window->mss : window->mss * window->mss / window->cwnd;
}

static void reduce_threshold(const struct reno *reno, longfat_window *window)
{
    double left = reno->beta * window->cwnd;
    if (left > window->receiver_window)
        left = window->receiver_window;
    window->ssthresh = left > 2 * window->mss ? left : 2 * window->mss;
}

static void on_loss(void *control, longfat_window *window, uint64_t flight)
{
    (void)flight;
    reduce_threshold(control, window);
    window->cwnd = window->ssthresh;
}

static void on_timeout(void *control, longfat_window *window, uint64_t flight)
{
    (void)flight;
    reduce_threshold(control, window);
    window->cwnd = window->mss;
}

const longfat_methods *longfat_control(void)
{
    static const longfat_methods methods = {
        .version = LONGFAT_CONTROL_VERSION,
        .create = create,
        .destroy = free,
        .on_acknowledgment = on_acknowledgment,
        .on_loss = on_loss,
        .on_timeout = on_timeout,
    };
    return &methods;
}
