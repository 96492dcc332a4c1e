/*
 * socket_pingpong: round trips over plain sockets or pipes, the peer of a message round trip.
 *
 *   socket_pingpong -m client|server [-p udp|tcp|mptcp|pipe] [-w block|spin] [-s size] [-S seconds]
 *                   [-W warm_up_seconds] ADDRESS PORT
 *
 * The server binds ADDRESS and answers until SIGTERM; over TCP one client after the other. For pipes ADDRESS is a
 * folder, where the server makes two named after PORT, which serve one client.
 */
#include "hxbb.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/stat.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static uint8_t message[65536];
static struct histogram histogram, first;
static int wait_flag;
static bool is_tcp, is_mptcp, is_pipe;

/* Where a program at pipes writes; it reads from the descriptor that others write to, too. */
static int pipe_out = -1;

/* A message as it comes: a datagram, or `size` bytes of a stream; -1 when there is none, or the peer has ended. */
static ssize_t receive(int fd, size_t size) {
    if (!is_tcp && !is_pipe) return recv(fd, message, sizeof message, wait_flag);
    size_t done = 0;
    while (done < size && !stopped) {
        ssize_t n = is_pipe ? read(fd, message + done, size - done) : recv(fd, message + done, size - done, wait_flag);
        if (n == 0) return -1;
        if (n > 0) done += (size_t)n;
        if (n < 0 && errno != EAGAIN && errno != EINTR) return -1;
    }
    return done == size ? (ssize_t)size : -1;
}

static void send_all(int fd, size_t size) {
    for (size_t done = 0; done < size && !stopped;) {
        ssize_t n = is_pipe ? write(pipe_out, message + done, size - done)
                            : send(fd, message + done, size - done, MSG_NOSIGNAL);
        if (n > 0) done += (size_t)n;
        if (n < 0 && errno != EAGAIN && errno != EINTR) return;
    }
}

static void serve_datagrams(int fd) {
    while (!stopped) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t n = recvfrom(fd, message, sizeof message, wait_flag, (struct sockaddr *)&from, &length);
        if (n >= 0) sendto(fd, message, (size_t)n, 0, (struct sockaddr *)&from, length);
    }
}

static void configure(int fd) {
    struct timeval timeout = {.tv_usec = 200000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (is_tcp) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

static void serve_connections(int listener, size_t size) {
    while (!stopped) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) continue;
        configure(fd);
        while (!stopped && receive(fd, size) > 0) send_all(fd, size);
        close(fd);
    }
}

/* Opens the two pipes in the same order at both ends, since each open waits for the other end. */
static int open_pipes(bool is_server, const char *folder, const char *name) {
    char there[4096], back[4096];
    snprintf(there, sizeof there, "%s/%s.there", folder, name);
    snprintf(back, sizeof back, "%s/%s.back", folder, name);
    if (is_server) {
        unlink(there);
        unlink(back);
        if (mkfifo(there, 0600) != 0 || mkfifo(back, 0600) != 0) fail("mkfifo", folder);
        printf("{\"ready\":true}\n");
        fflush(stdout);
    }
    const int flags = wait_flag != 0 ? O_NONBLOCK : 0;
    int first = open(there, is_server ? O_RDONLY : O_WRONLY);
    int second = open(back, is_server ? O_WRONLY : O_RDONLY);
    if (first < 0 || second < 0) fail("open", folder);
    fcntl(first, F_SETFL, flags);
    fcntl(second, F_SETFL, flags);
    pipe_out = is_server ? second : first;
    return is_server ? first : second;
}

static void serve_pipes(int fd, size_t size) {
    while (!stopped && receive(fd, size) > 0) send_all(fd, size);
}

static void ask(int fd, size_t size, double warm_up, double seconds) {
    uint64_t start = now_ns(), counted = start + (uint64_t)(warm_up * 1e9);
    uint64_t end = counted + (uint64_t)(seconds * 1e9), lost = 0, cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const size_t numbered = size < sizeof(uint32_t) ? size : sizeof(uint32_t);
    for (uint32_t sequence = 1; !stopped && now_ns() < end; sequence++) {
        const uint64_t sent = now_ns();
        memcpy(message, &sequence, numbered);
        send_all(fd, size);
        bool is_back = false;
        while (!is_back && !stopped && now_ns() - sent < SECOND_NS / 5) {
            /* The lowest byte alone, where there is no room for more. */
            ssize_t n = receive(fd, size);
            is_back = n >= (ssize_t)numbered && memcmp(message, &sequence, numbered) == 0;
        }
        const uint64_t taken = now_ns() - sent;
        if (!is_back) {
            lost++;
        } else if (sent >= counted) {
            histogram_add(&histogram, taken);
        }
        if (is_back && sequence > 1 && sequence <= 1001) histogram_add(&first, taken);
    }
    printf("{");
    histogram_print(&histogram);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf(",\"first_p50_us\":%.3f,\"first_p99_us\":%.3f", histogram_us(&first, 0.5), histogram_us(&first, 0.99));
    printf(",\"lost\":%" PRIu64 ",\"cpu_ns\":%.0f}\n", lost, (double)cpu / (double)(histogram.total + 1));
}

int main(int argc, char **argv) {
    bool is_server = false;
    int size = 32;
    double seconds = 2, warm_up = 0.3;
    for (int option; (option = getopt(argc, argv, "m:p:w:s:S:W:")) != -1;) {
        switch (option) {
        case 'm': is_server = strcmp(optarg, "server") == 0; break;
        case 'p':
            is_mptcp = strcmp(optarg, "mptcp") == 0;
            is_tcp = is_mptcp || strcmp(optarg, "tcp") == 0;
            is_pipe = strcmp(optarg, "pipe") == 0;
            break;
        case 'w': wait_flag = strcmp(optarg, "spin") == 0 ? MSG_DONTWAIT : 0; break;
        case 's': size = atoi(optarg); break;
        case 'S': seconds = atof(optarg); break;
        case 'W': warm_up = atof(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 2 || size < 1 || size > 65000) {
        fprintf(stderr, "usage: socket_pingpong -m client|server [-p udp|tcp|mptcp|pipe] [-w block|spin] "
                        "[-s size 1..65000] [-S seconds] [-W warm-up] ADDRESS PORT\n");
        return 2;
    }
    stop_on_signals();
    if (is_pipe) {
        signal(SIGPIPE, SIG_IGN);
        int pipes = open_pipes(is_server, argv[optind], argv[optind + 1]);
        if (is_server) serve_pipes(pipes, (size_t)size); else ask(pipes, (size_t)size, warm_up, seconds);
        return 0;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[optind + 1]))};
    if (inet_pton(AF_INET, argv[optind], &address.sin_addr) != 1) fail("address", argv[optind]);
    int fd = socket(AF_INET, (is_tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, is_mptcp ? IPPROTO_MPTCP : 0);
    configure(fd);
    if (is_server) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
        if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("bind", argv[optind]);
        if (is_tcp && listen(fd, 4) != 0) fail("listen", argv[optind]);
        printf("{\"ready\":true}\n");
        fflush(stdout);
        if (is_tcp) serve_connections(fd, (size_t)size); else serve_datagrams(fd);
    } else {
        if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect", argv[optind]);
        ask(fd, (size_t)size, warm_up, seconds);
    }
    return 0;
}
