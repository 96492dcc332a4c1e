/*
 * udp_pingpong: round trips of UDP datagrams, the plain-socket peer of a message round trip.
 *
 *   udp_pingpong -m client|server [-w block|spin] [-s size] [-S seconds] [-W warm_up_seconds] ADDRESS PORT
 *
 * The server binds ADDRESS and answers until SIGTERM.
 */
#include "hxbb.h"

static uint8_t datagram[65536];
static struct histogram histogram;
static int wait_flag;

static void serve(int fd) {
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (!stopped) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t n = recvfrom(fd, datagram, sizeof datagram, wait_flag, (struct sockaddr *)&from, &length);
        if (n >= 0) sendto(fd, datagram, (size_t)n, 0, (struct sockaddr *)&from, length);
    }
}

static void ask(int fd, int size, double warm_up, double seconds) {
    uint64_t start = now_ns(), counted = start + (uint64_t)(warm_up * 1e9);
    uint64_t end = counted + (uint64_t)(seconds * 1e9), lost = 0, cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t sequence = 1; !stopped && now_ns() < end; sequence++) {
        const uint64_t sent = now_ns();
        memcpy(datagram, &sequence, sizeof sequence);
        if (send(fd, datagram, (size_t)size, 0) < 0) fail("send", "");
        bool is_back = false;
        while (!is_back && !stopped && now_ns() - sent < SECOND_NS / 5) {
            uint32_t seen = 0;
            ssize_t n = recv(fd, datagram, sizeof datagram, wait_flag);
            if (n >= (ssize_t)sizeof seen) memcpy(&seen, datagram, sizeof seen);
            is_back = seen == sequence;
        }
        if (!is_back) {
            lost++;
        } else if (sent >= counted) {
            histogram_add(&histogram, now_ns() - sent);
        }
    }
    printf("{");
    histogram_print(&histogram);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf(",\"lost\":%" PRIu64 ",\"cpu_ns\":%.0f}\n", lost, (double)cpu / (double)(histogram.total + 1));
}

int main(int argc, char **argv) {
    bool is_server = false;
    int size = 32;
    double seconds = 2, warm_up = 0.3;
    for (int option; (option = getopt(argc, argv, "m:w:s:S:W:")) != -1;) {
        switch (option) {
        case 'm': is_server = strcmp(optarg, "server") == 0; break;
        case 'w': wait_flag = strcmp(optarg, "spin") == 0 ? MSG_DONTWAIT : 0; break;
        case 's': size = atoi(optarg); break;
        case 'S': seconds = atof(optarg); break;
        case 'W': warm_up = atof(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 2 || size < 4 || size > 65000) {
        fprintf(stderr, "usage: udp_pingpong -m client|server [-w block|spin] [-s size 4..65000] [-S seconds] "
                        "[-W warm-up] ADDRESS PORT\n");
        return 2;
    }
    stop_on_signals();
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[optind + 1]))};
    if (inet_pton(AF_INET, argv[optind], &address.sin_addr) != 1) fail("address", argv[optind]);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct timeval timeout = {.tv_usec = 200000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (is_server) {
        if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("bind", argv[optind]);
        serve(fd);
    } else {
        if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect", argv[optind]);
        ask(fd, size, warm_up, seconds);
    }
    return 0;
}
