/*
 * tcp_burst: bytes of one TCP or MPTCP connection as they arrive, in short samples: the peer of a one-way burst.
 *
 *   tcp_burst -m client|server [-M] [-S seconds] [-t start_ns] [-b sample_ms] ADDRESS PORT
 *
 * -M takes MPTCP. The server binds ADDRESS, takes one connection, and prints the bytes of each sample from start_ns
 * (CLOCK_MONOTONIC) on when the connection ends or SIGTERM comes. The client sends until SIGTERM, or for so many seconds.
 */
#include "hxbb.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define MAX_SAMPLES 200000

static uint8_t data[1 << 20];
static uint64_t samples[MAX_SAMPLES];

static void serve(int fd, uint64_t start, uint64_t sample_ns, double seconds) {
    int count = (int)(seconds * 1e9 / (double)sample_ns);
    if (count > MAX_SAMPLES) count = MAX_SAMPLES;
    if (listen(fd, 1) != 0) fail("listen", "");
    printf("{\"ready\":true}\n");
    fflush(stdout);
    int connection = accept(fd, NULL, NULL);
    if (connection < 0) fail("accept", "");
    uint64_t bytes = 0;
    while (!stopped) {
        ssize_t n = recv(connection, data, sizeof data, 0);
        if (n <= 0) break;
        bytes += (uint64_t)n;
        uint64_t now = now_ns();
        if (now >= start && (now - start) / sample_ns < (uint64_t)count) samples[(now - start) / sample_ns] += (uint64_t)n;
    }
    printf("{\"bytes\":%" PRIu64 ",\"samples\":[", bytes);
    for (int i = 0; i < count; i++) printf("%s%" PRIu64, i ? "," : "", samples[i]);
    printf("]}\n");
}

static void burst(int fd, double seconds) {
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    struct timeval limit = {.tv_usec = 50000}; /* else a connection that stands still would not let it end */
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    while (!stopped && now_ns() < end) {
        if (send(fd, data, 256 * 1024, MSG_NOSIGNAL) < 0 && errno != EINTR && errno != EAGAIN) break;
    }
    printf("{\"done\":true}\n");
}

int main(int argc, char **argv) {
    bool is_server = false;
    int protocol = 0;
    uint64_t start = 0, sample_ns = 10000000;
    double seconds = 2;
    for (int option; (option = getopt(argc, argv, "m:MS:t:b:")) != -1;) {
        switch (option) {
        case 'm': is_server = strcmp(optarg, "server") == 0; break;
        case 'M': protocol = IPPROTO_MPTCP; break;
        case 'S': seconds = atof(optarg); break;
        case 't': start = strtoull(optarg, NULL, 10); break;
        case 'b': sample_ns = strtoull(optarg, NULL, 10) * 1000000; break;
        default: return 2;
        }
    }
    if (argc - optind != 2 || sample_ns == 0) return 2;
    stop_on_signals();
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[optind + 1]))};
    if (inet_pton(AF_INET, argv[optind], &address.sin_addr) != 1) fail("address", argv[optind]);
    int fd = socket(AF_INET, SOCK_STREAM, protocol);
    if (fd < 0) fail("socket", protocol ? "MPTCP" : "TCP");
    int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (is_server) {
        if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("bind", argv[optind]);
        serve(fd, start, sample_ns, seconds);
    } else {
        if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect", argv[optind]);
        burst(fd, seconds);
    }
    return 0;
}
