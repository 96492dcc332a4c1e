/*
 * udp_bulk: bulk data over UDP on one or several links, in datagrams or in trains that the kernel cuts and joins.
 *
 *   udp_bulk -m server [-g] [-p pause_us] [-w warm_up_seconds] [-S seconds] PORT ADDRESS [ADDRESS ...]
 *   udp_bulk -m client [-g] [-p pause_us] [-s size] PORT ADDRESS [ADDRESS ...]
 *
 * -g sends trains (UDP_SEGMENT) and receives them (UDP_GRO). An end that has nothing to do polls, or sleeps for -p us.
 * The client stores every byte once and sends size bytes a datagram to each address in turn, as fast as its sockets
 * take them, until SIGTERM. The server loads every byte once; it prints {"begun":true} when the warm-up is over, counted
 * from the first datagram, and what came in the seconds after that.
 */
#include "hxbb.h"

#include <netinet/udp.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#define TRAIN_BYTES 65507
#define MESSAGES 8

static uint8_t data[MESSAGES][1 << 16] __attribute__((aligned(64)));
static struct mmsghdr messages[MESSAGES];
static struct iovec vectors[MESSAGES];
static int sockets[MAX_LINKS];
static int link_count;
static int pause_us;

static void serve(double warm_up, double seconds) {
    uint64_t start = 0, bytes = 0, before = 0, sum = 0, begun = 0, now = 0;
    for (int i = 0; i < MESSAGES; i++) vectors[i] = (struct iovec){data[i], sizeof data[i]};
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (!stopped && (!begun || now - begun < (uint64_t)(seconds * 1e9))) {
        bool found = false;
        for (int l = 0; l < link_count; l++) {
            for (int i = 0; i < MESSAGES; i++) {
                messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
            }
            int count = recvmmsg(sockets[l], messages, MESSAGES, MSG_DONTWAIT, NULL);
            for (int i = 0; i < count; i++) {
                sum += load(data[i], messages[i].msg_len);
                bytes += messages[i].msg_len;
            }
            found |= count > 0;
        }
        now = now_ns();
        if (!start && bytes) start = now;
        if (start && !begun && now - start >= (uint64_t)(warm_up * 1e9)) {
            begun = now;
            before = bytes;
            printf("{\"begun\":true}\n");
            fflush(stdout);
        }
        if (!found) rest_or_wait(pause_us, sockets, link_count, POLLIN);
    }
    double length = (double)(now - begun) / 1e9;
    printf("{\"MBps\":%.2f,\"sum\":%" PRIu64 "}\n", (double)(bytes - before) / length / 1e6, sum);
}

/* Only what the kernel has taken is overwritten. */
static void send_all(int size, bool has_trains) {
    int segments = has_trains ? TRAIN_BYTES / size : 1;
    if (segments > 64) segments = 64;
    size_t length = (size_t)(segments * size);
    int batch = has_trains ? 1 : MESSAGES, taken = batch;
    uint64_t value = 0;
    while (!stopped) {
        bool found = false;
        for (int l = 0; l < link_count; l++) {
            for (int i = 0; i < taken; i++) memset(data[i], (int)(value++ & 0xFF), length);
            for (int i = 0; i < batch; i++) {
                vectors[i] = (struct iovec){data[i], length};
                messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
            }
            int count = sendmmsg(sockets[l], messages, (unsigned)batch, MSG_DONTWAIT);
            if (count < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR && errno != ECONNREFUSED) {
                fail("send", "");
            }
            taken = count > 0 ? count : 0;
            found |= count > 0;
        }
        if (!found) rest_or_wait(pause_us, sockets, link_count, POLLOUT);
    }
    printf("{\"done\":true}\n");
}

static void open_socket(const char *text, int port, bool is_server, bool has_trains, int size) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, text, &address.sin_addr) != 1) fail("address", text);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1;
    if (is_server) {
        socket_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, 8 << 20);
        if (has_trains && setsockopt(fd, SOL_UDP, UDP_GRO, &one, sizeof one) != 0) fail("UDP_GRO", text);
        if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("bind", text);
    } else {
        socket_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, 1 << 20);
        if (has_trains && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &size, sizeof size) != 0) fail("UDP_SEGMENT", text);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect", text);
    }
    sockets[link_count++] = fd;
}

int main(int argc, char **argv) {
    const char *mode = "";
    bool has_trains = false;
    int size = 1472;
    double warm_up = 1, seconds = 2;
    for (int option; (option = getopt(argc, argv, "m:gp:s:w:S:")) != -1;) {
        switch (option) {
        case 'm': mode = optarg; break;
        case 'g': has_trains = true; break;
        case 'p': pause_us = atoi(optarg); break;
        case 's': size = atoi(optarg); break;
        case 'w': warm_up = atof(optarg); break;
        case 'S': seconds = atof(optarg); break;
        default: return 2;
        }
    }
    bool is_server = strcmp(mode, "server") == 0;
    if (argc - optind < 2 || argc - optind - 1 > MAX_LINKS || size < 64 || size > TRAIN_BYTES || pause_us > 100000 ||
        (!is_server && strcmp(mode, "client") != 0)) {
        fprintf(stderr, "usage: udp_bulk -m server|client [-g] [-p us] [-s size] [-w s] [-S s] PORT ADDRESS ...\n");
        return 2;
    }
    stop_on_signals();
    for (int i = optind + 1; i < argc; i++) open_socket(argv[i], atoi(argv[optind]), is_server, has_trains, size);
    if (is_server) {
        serve(warm_up, seconds);
    } else {
        send_all(size, has_trains);
    }
    return 0;
}
