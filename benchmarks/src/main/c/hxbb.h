/*
 * What the C peers of the benchmarks share: NICs (also of other network namespaces), packet sockets, HXB frames,
 * histograms, clocks. Everything is static, so that each program stays one file.
 */
#ifndef HXBB_H
#define HXBB_H

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HXB_ETHERTYPE 0x88B5
#define HXB_RELAY_ETHERTYPE 0x88B6
#define ETHER_BYTES 14
#define HXB_HEADER_BYTES 64 /* io.hxb.frame.FrameHeaderFlyweight */
#define HXB_SEQUENCE_OFFSET 40
#define HXB_BODY_OFFSET 52 /* length in bits 0 to 17, messages in the others */
#define HXB_MAX_BODY_BYTES 0x3FFFFu
#define HXB_DESTINATION_OFFSET 24
#define HXB_HELLO_LINK_OFFSET 3 /* io.hxb.frame.HelloFlyweight, link number */
#define MAX_FRAME_BYTES 16384
#define BATCH 64

#define SECOND_NS 1000000000ull
#define UNUSED __attribute__((unused))

static volatile sig_atomic_t stopped;

static void on_signal(int signal) {
    (void)signal;
    stopped = 1;
}

/* Ends loops in order on Ctrl-C and SIGTERM of the harness; no SA_RESTART, so that waits end too. */
static UNUSED void stop_on_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
}

static UNUSED __attribute__((noreturn)) void fail(const char *what, const char *object) {
    fprintf(stderr, "%s %s: %s\n", what, object, errno ? strerror(errno) : "invalid");
    exit(1);
}

static UNUSED uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static UNUSED uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static UNUSED int parse_hex(const char *text, uint8_t *bytes, int max) {
    int count = 0;
    for (; text[0] && text[1]; text += 2) {
        unsigned value;
        if (count == max || sscanf(text, "%2x", &value) != 1) {
            errno = 0;
            fail("hex bytes", text);
        }
        bytes[count++] = (uint8_t)value;
    }
    return count;
}

static UNUSED void parse_mac(const char *text, uint8_t mac[6]) {
    unsigned b[6];
    if (sscanf(text, "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3, b + 4, b + 5) != 6) {
        errno = 0;
        fail("mac address", text);
    }
    for (int i = 0; i < 6; i++) mac[i] = (uint8_t)b[i];
}

/* ---- NICs and sockets ---- */

struct nic {
    char name[64];
    int namespace_fd; /* -1 = the process's own */
    int index;
    int mtu;
    uint8_t mac[6];
};

static int own_namespace_fd = -1;

static UNUSED void enter(int namespace_fd) {
    if (namespace_fd >= 0 && setns(namespace_fd, CLONE_NEWNET) != 0) fail("setns", "");
}

static UNUSED void leave(int namespace_fd) {
    if (namespace_fd >= 0 && setns(own_namespace_fd, CLONE_NEWNET) != 0) fail("setns", "back");
}

/* Opens "eth0", or "space/eth0" for a NIC of the named network namespace. */
static UNUSED struct nic nic_open(const char *spec) {
    struct nic nic = {.namespace_fd = -1};
    const char *slash = strchr(spec, '/');
    if (slash) {
        char path[160];
        snprintf(path, sizeof path, "/var/run/netns/%.*s", (int)(slash - spec), spec);
        nic.namespace_fd = open(path, O_RDONLY | O_CLOEXEC);
        if (nic.namespace_fd < 0) fail("open", path);
        if (own_namespace_fd < 0) own_namespace_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    }
    snprintf(nic.name, sizeof nic.name, "%s", slash ? slash + 1 : spec);
    enter(nic.namespace_fd);
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", nic.name);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (ioctl(fd, SIOCGIFINDEX, &request) != 0) fail("no NIC", spec);
    nic.index = request.ifr_ifindex;
    if (ioctl(fd, SIOCGIFMTU, &request) != 0) fail("mtu of", spec);
    nic.mtu = request.ifr_mtu;
    if (ioctl(fd, SIOCGIFHWADDR, &request) != 0) fail("mac of", spec);
    memcpy(nic.mac, request.ifr_hwaddr.sa_data, 6);
    close(fd);
    leave(nic.namespace_fd);
    return nic;
}

static UNUSED void socket_buffer(int fd, int forced, int plain, int bytes) {
    if (bytes > 0 && setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof bytes) != 0 &&
        setsockopt(fd, SOL_SOCKET, plain, &bytes, sizeof bytes) != 0) {
        fail("socket buffer", "");
    }
}

/* A raw socket that is not bound yet, so that filters and rings are in place before the first frame. */
static UNUSED int packet_socket(const struct nic *nic, int receive_bytes, int send_bytes) {
    enter(nic->namespace_fd);
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("packet socket on", nic->name);
    leave(nic->namespace_fd);
    socket_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, receive_bytes);
    socket_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, send_bytes);
    return fd;
}

/* protocol 0 receives nothing: for sockets that only send. */
static UNUSED void packet_bind(int fd, const struct nic *nic, int protocol) {
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons((uint16_t)protocol), .sll_ifindex = nic->index};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("bind", nic->name);
}

static UNUSED unsigned kernel_drops(int fd) {
    struct tpacket_stats_v3 stats = {0};
    socklen_t length = sizeof stats;
    getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length);
    return stats.tp_drops;
}

static UNUSED void attach_filter(int fd, struct sock_filter *code, int count) {
    struct sock_fprog program = {.len = (unsigned short)count, .filter = code};
    if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0) fail("filter", "");
}

/* ---- frames ---- */

struct template {
    uint8_t bytes[MAX_FRAME_BYTES];
    int length; /* bytes of HXB header and body given by the caller, 0 = none */
};

static UNUSED void template_parse(struct template *t, const char *hex) {
    t->length = parse_hex(hex, t->bytes, sizeof t->bytes);
}

/*
 * Builds an Ethernet frame with `size` bytes of HXB header and body. The header is the template's, when there is one,
 * with the body length made right; the body is zeros, a valid single message record of which the length is set.
 */
static UNUSED int frame_build(uint8_t *frame, const uint8_t destination[6], const struct nic *nic,
                              const struct template *header, int size) {
    memset(frame, 0, (size_t)(ETHER_BYTES + size));
    memcpy(frame, destination, 6);
    memcpy(frame + 6, nic->mac, 6);
    frame[12] = HXB_ETHERTYPE >> 8;
    frame[13] = HXB_ETHERTYPE & 0xFF;
    if (header && header->length) {
        int length = header->length < size ? header->length : size;
        memcpy(frame + ETHER_BYTES, header->bytes, (size_t)length);
        uint32_t body = (uint32_t)(size - HXB_HEADER_BYTES);
        uint32_t word;
        memcpy(&word, frame + ETHER_BYTES + HXB_BODY_OFFSET, sizeof word);
        word = (word & ~HXB_MAX_BODY_BYTES) | (body & HXB_MAX_BODY_BYTES);
        memcpy(frame + ETHER_BYTES + HXB_BODY_OFFSET, &word, sizeof word);
        if (body >= 8) {
            uint32_t payload = body - 8u;
            memcpy(frame + ETHER_BYTES + HXB_HEADER_BYTES, &payload, sizeof payload);
        }
    }
    return ETHER_BYTES + size;
}

/* An HXB node takes the frame for one that it relays. */
static UNUSED void frame_relayed(uint8_t *frame) {
    frame[12] = HXB_RELAY_ETHERTYPE >> 8;
    frame[13] = HXB_RELAY_ETHERTYPE & 0xFF;
}

static UNUSED void frame_sequence(uint8_t *frame, uint32_t sequence) {
    memcpy(frame + ETHER_BYTES + HXB_SEQUENCE_OFFSET, &sequence, sizeof sequence);
}

static UNUSED uint32_t frame_sequence_of(const uint8_t *frame) {
    uint32_t sequence;
    memcpy(&sequence, frame + ETHER_BYTES + HXB_SEQUENCE_OFFSET, sizeof sequence);
    return sequence;
}

/* Announces a made-up node to the HXB node under test, again and again: the harness builds the frame's bytes. */
struct hello {
    uint8_t frame[ETHER_BYTES + 2048];
    int length;
    int fd;
    uint64_t interval_ns;
    uint64_t due_ns;
};

static UNUSED void hello_open(struct hello *hello, const struct nic *nic, const char *hex, int interval_ms) {
    static const uint8_t everybody[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    memset(hello, 0, sizeof *hello);
    if (!hex) return;
    memcpy(hello->frame, everybody, 6);
    memcpy(hello->frame + 6, nic->mac, 6);
    hello->frame[12] = HXB_ETHERTYPE >> 8;
    hello->frame[13] = HXB_ETHERTYPE & 0xFF;
    hello->length = ETHER_BYTES + parse_hex(hex, hello->frame + ETHER_BYTES, 2048);
    hello->interval_ns = (uint64_t)interval_ms * 1000000u;
    hello->fd = packet_socket(nic, 0, 0);
    packet_bind(hello->fd, nic, 0);
}

static UNUSED void hello_tick(struct hello *hello, uint64_t now) {
    if (hello->length == 0 || now < hello->due_ns) return;
    hello->due_ns = now + hello->interval_ns;
    if (send(hello->fd, hello->frame, (size_t)hello->length, MSG_DONTWAIT) < 0 && errno != EAGAIN && errno != ENOBUFS) {
        fail("hello", "");
    }
}

/* ---- histograms: 64 steps per power of two, so within 1.6 % ---- */

#define HISTOGRAM_STEPS 64
struct histogram {
    uint64_t counts[64 * HISTOGRAM_STEPS];
    uint64_t total, min, max;
};

static UNUSED void histogram_add(struct histogram *h, uint64_t value) {
    int shift = value < HISTOGRAM_STEPS ? 0 : 63 - __builtin_clzll(value) - 6;
    h->counts[(unsigned)shift * HISTOGRAM_STEPS + (value >> shift)]++;
    if (h->total == 0 || value < h->min) h->min = value;
    if (value > h->max) h->max = value;
    h->total++;
}

static UNUSED double histogram_us(const struct histogram *h, double share) {
    uint64_t wanted = (uint64_t)(share * (double)h->total), seen = 0;
    for (unsigned i = 0; i < 64 * HISTOGRAM_STEPS; i++) {
        seen += h->counts[i];
        if (seen > wanted) {
            if (i < 2 * HISTOGRAM_STEPS) return i / 1e3;
            unsigned shift = i / HISTOGRAM_STEPS - 1;
            return (double)((uint64_t)(i - shift * HISTOGRAM_STEPS) << shift) / 1e3;
        }
    }
    return (double)h->max / 1e3;
}

static UNUSED void histogram_print(const struct histogram *h) {
    printf("\"count\":%" PRIu64 ",\"min_us\":%.2f,\"p50_us\":%.2f,\"p99_us\":%.2f,\"p999_us\":%.2f,\"max_us\":%.2f",
           h->total, (double)h->min / 1e3, histogram_us(h, 0.5), histogram_us(h, 0.99), histogram_us(h, 0.999),
           (double)h->max / 1e3);
}

static UNUSED void wait_readable(int fd, int timeout_ms) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    poll(&p, 1, timeout_ms);
}

#define MAX_LINKS 16

/* Sleeps for pause_us, or, where that is 0, waits until one of the sockets is ready. */
static UNUSED void rest_or_wait(int pause_us, const int *sockets, int count, short events) {
    if (pause_us > 0) {
        struct timespec pause = {0, pause_us * 1000};
        nanosleep(&pause, NULL);
        return;
    }
    struct pollfd polled[MAX_LINKS];
    for (int i = 0; i < count; i++) polled[i] = (struct pollfd){.fd = sockets[i], .events = events};
    poll(polled, (nfds_t)count, 10);
}

/* Loads all bytes, as a program does that uses what it has received. */
static UNUSED uint64_t load(const uint8_t *bytes, size_t length) {
    uint64_t sum = 0, word;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        memcpy(&word, bytes + i, 8);
        sum += word;
    }
    return sum;
}

#endif
