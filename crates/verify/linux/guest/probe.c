// The programs of the guest in one: senders, receivers, a watcher of a queue. Times are seconds of the monotonic clock; ORIGIN is the experiment's 0.
//
//   probe now                                                   prints the time
//   probe wait ORIGIN TIME                                      returns at TIME
//   probe plain DEVICE                                          turns segmentation and receive offloads off
//   probe receive ORIGIN PORT CONTROL LOG                       takes one connection until it ends
//   probe send ORIGIN START STOP ADDRESS PORT CONTROL BYTES CHUNK EVERY PERIOD LOG
//                                                               sends BYTES (0: until STOP), CHUNK bytes each EVERY seconds if these are not 0,
//                                                               and logs tcp_info each PERIOD
//   probe queue ORIGIN STOP PERIOD DEVICE LOG                   logs the counters of DEVICE's root discipline each PERIOD
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void until(double time) {
    struct timespec t = {(time_t)time, (long)((time - (time_t)time) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0) == EINTR) {
    }
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static FILE *written(const char *name) {
    FILE *file = fopen(name, "w");
    if (!file) fail(name);
    return file;
}

static int plain(const char *device) {
    unsigned commands[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    for (int i = 0; i < 3; i++) {
        struct ethtool_value value = {commands[i], 0};
        struct ifreq request = {0};
        strncpy(request.ifr_name, device, IFNAMSIZ - 1);
        request.ifr_data = (void *)&value;
        if (ioctl(fd, SIOCETHTOOL, &request)) fail("ethtool");
    }
    return 0;
}

static void choose(int fd, const char *control) {
    if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control))) fail(control);
}

static int receive(double origin, int port, const char *control, const char *log) {
    static char buffer[1 << 18];
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    choose(listener, control);
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 8)) fail("listen");
    int fd = accept(listener, 0, 0);
    if (fd < 0) fail("accept");
    long long bytes = 0;
    double last = 0;
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0) {
        bytes += got;
        last = now();
    }
    FILE *file = written(log);
    fprintf(file, "%lld %.6f\n", bytes, last - origin);
    fclose(file);
    return 0;
}

// The sampling of tcp_info beside the sending.
static struct {
    int fd;
    double origin, period;
    volatile double stop;
    FILE *log;
} sampled;

static void sample(void) {
    struct tcp_info i = {0};
    socklen_t size = sizeof i;
    double time = now();
    getsockopt(sampled.fd, IPPROTO_TCP, TCP_INFO, &i, &size);
    fprintf(sampled.log, "%.4f %u %u %u %u %u %u %u %u %llu %llu %llu %u\n", time - sampled.origin, i.tcpi_snd_cwnd, i.tcpi_ca_state,
            i.tcpi_rtt, i.tcpi_rttvar, i.tcpi_min_rtt, i.tcpi_rto, i.tcpi_unacked, i.tcpi_total_retrans,
            (unsigned long long)i.tcpi_bytes_acked, (unsigned long long)i.tcpi_pacing_rate,
            (unsigned long long)i.tcpi_delivery_rate, i.tcpi_delivered_ce);
}

static void *sampler(void *unused) {
    (void)unused;
    for (double time = now(); time < sampled.stop; until(time)) {
        sample();
        time += sampled.period;
    }
    return 0;
}

static int transmit(double origin, char **v) {
    static char buffer[1 << 16];
    double start = origin + atof(v[0]), stop = origin + atof(v[1]), every = atof(v[7]), period = atof(v[8]);
    long long bytes = atoll(v[5]), chunk = atoll(v[6]), sent = 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(v[3]))};
    inet_pton(AF_INET, v[2], &address.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    choose(fd, v[4]);
    FILE *log = written(v[9]);
    until(start);
    double begun = now();
    if (connect(fd, (void *)&address, sizeof address)) fail("connect");
    double established = now();
    struct tcp_info i = {0};
    socklen_t size = sizeof i;
    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &i, &size);
    fprintf(log, "%.6f %.6f %u\n", begun - origin, established - origin, i.tcpi_snd_mss);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    sampled.fd = fd, sampled.origin = origin, sampled.period = period, sampled.stop = stop, sampled.log = log;
    pthread_t thread;
    if (period > 0) pthread_create(&thread, 0, sampler, 0);
    double next = now();
    long long due = chunk ? chunk : bytes ? bytes : 1LL << 62;
    while (now() < stop && (!bytes || sent < bytes)) {
        if (sent >= due) {  // the application has nothing to say until its next chunk
            next += every;
            until(next < stop ? next : stop);
            due += chunk;
            continue;
        }
        long long want = due - sent < (long long)sizeof buffer ? due - sent : (long long)sizeof buffer;
        ssize_t done = write(fd, buffer, want);
        if (done > 0) sent += done;
        if (done < 0 && errno != EAGAIN) fail("write");
        if (done < 0) {
            struct pollfd wait = {fd, POLLOUT, 0};
            poll(&wait, 1, (int)((stop - now()) * 1000) + 1);
        }
    }
    if (bytes && sent >= bytes) {  // ends when the receiver has closed as well
        shutdown(fd, SHUT_WR);
        struct pollfd wait = {fd, POLLIN, 0};
        poll(&wait, 1, (int)((stop - now()) * 1000) + 1);
    }
    if (period > 0) {
        if (bytes) sampled.stop = 0;
        pthread_join(thread, 0);
    }
    sample();
    fclose(log);
    struct linger at_once = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
    return 0;
}

// Prints the counters of a root discipline that a message of the kernel holds.
static void counters(FILE *log, struct nlmsghdr *message, int device) {
    struct tcmsg *about = NLMSG_DATA(message);
    if (about->tcm_ifindex != device || about->tcm_parent != TC_H_ROOT) return;
    int left = message->nlmsg_len - NLMSG_LENGTH(sizeof *about);
    for (struct rtattr *a = (void *)((char *)about + NLMSG_ALIGN(sizeof *about)); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
        if (a->rta_type != TCA_STATS2) continue;
        struct gnet_stats_queue queue = {0};
        unsigned packets = 0;
        int inner = RTA_PAYLOAD(a);
        for (struct rtattr *b = RTA_DATA(a); RTA_OK(b, inner); b = RTA_NEXT(b, inner)) {
            if (b->rta_type == TCA_STATS_QUEUE) memcpy(&queue, RTA_DATA(b), sizeof queue);
            if (b->rta_type == TCA_STATS_BASIC) packets = ((struct gnet_stats_basic *)RTA_DATA(b))->packets;
        }
        fprintf(log, " %u %u %u %u\n", queue.qlen, queue.backlog, queue.drops, packets);
    }
}

static int watch(double origin, double stop, double period, const char *name, const char *path) {
    static char buffer[1 << 16];
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), device = if_nametoindex(name);
    FILE *log = written(path);
    for (double time = origin; time <= origin + stop; time += period) {
        until(time);
        struct {
            struct nlmsghdr header;
            struct tcmsg about;
        } request = {{sizeof request, RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {.tcm_family = AF_UNSPEC, .tcm_ifindex = device}};
        if (send(fd, &request, sizeof request, 0) < 0) fail("netlink");
        fprintf(log, "%.4f", now() - origin);
        for (int done = 0; !done;) {
            int length = recv(fd, buffer, sizeof buffer, 0);
            if (length < 0) fail("netlink");
            for (struct nlmsghdr *h = (void *)buffer; NLMSG_OK(h, (unsigned)length) && !done; h = NLMSG_NEXT(h, length)) {
                if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR) done = 1;
                else counters(log, h, device);
            }
        }
    }
    fclose(log);
    return 0;
}

int main(int c, char **v) {
    signal(SIGPIPE, SIG_IGN);
    const char *what = c > 1 ? v[1] : "";
    if (!strcmp(what, "now")) return printf("%.6f\n", now()) < 0;
    if (!strcmp(what, "wait") && c == 4) return until(atof(v[2]) + atof(v[3])), 0;
    if (!strcmp(what, "plain") && c == 3) return plain(v[2]);
    if (!strcmp(what, "receive") && c == 6) return receive(atof(v[2]), atoi(v[3]), v[4], v[5]);
    if (!strcmp(what, "send") && c == 13) return transmit(atof(v[2]), v + 3);
    if (!strcmp(what, "queue") && c == 7) return watch(atof(v[2]), atof(v[3]), atof(v[4]), v[5], v[6]);
    return 2;
}
