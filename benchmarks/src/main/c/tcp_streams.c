/*
 * tcp_streams: bytes of several TCP connections at once, as fast as they go.
 *
 *   tcp_streams -m client|server [-n streams] [-S seconds] ADDRESS PORT
 *
 * The server binds ADDRESS and reads until SIGTERM. The client sends over all streams for so many seconds and prints what
 * the other end has taken, the seconds and the CPU time that took.
 */
#include "hxbb.h"
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>

#define MAX_STREAMS 64
#define CHUNK_BYTES (256 * 1024)

static struct sockaddr_in address;
static uint64_t end_ns;
static uint64_t sent[MAX_STREAMS];

static void *take(void *argument) {
    int connection = (int)(intptr_t)argument;
    uint8_t *data = malloc(CHUNK_BYTES);
    while (recv(connection, data, CHUNK_BYTES, 0) > 0) {
    }
    free(data);
    close(connection);
    return NULL;
}

static void serve(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, MAX_STREAMS) != 0) fail("listen", "");
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (!stopped) {
        int connection = accept(fd, NULL, NULL);
        if (connection < 0) continue;
        pthread_t thread;
        if (pthread_create(&thread, NULL, take, (void *)(intptr_t)connection) != 0) fail("thread", "");
        pthread_detach(thread);
    }
}

static void *give(void *argument) {
    int stream = (int)(intptr_t)argument;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect", "");
    uint8_t *data = calloc(1, CHUNK_BYTES);
    while (!stopped && now_ns() < end_ns) {
        ssize_t n = send(fd, data, CHUNK_BYTES, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) fail("send", "");
        if (n > 0) sent[stream] += (uint64_t)n;
    }
    struct tcp_info info;
    socklen_t length = sizeof info;
    /* Bytes in the buffers have not crossed the wire. */
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0) sent[stream] = info.tcpi_bytes_acked;
    free(data);
    close(fd);
    return NULL;
}

int main(int argc, char **argv) {
    bool is_server = false;
    int streams = 6;
    double seconds = 2;
    for (int option; (option = getopt(argc, argv, "m:n:S:")) != -1;) {
        switch (option) {
        case 'm': is_server = strcmp(optarg, "server") == 0; break;
        case 'n': streams = atoi(optarg); break;
        case 'S': seconds = atof(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 2 || streams < 1 || streams > MAX_STREAMS) return 2;
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)atoi(argv[optind + 1]));
    if (inet_pton(AF_INET, argv[optind], &address.sin_addr) != 1) fail("address", argv[optind]);
    stop_on_signals();
    if (is_server) {
        serve();
        return 0;
    }
    uint64_t start = now_ns();
    end_ns = start + (uint64_t)(seconds * 1e9);
    pthread_t threads[MAX_STREAMS];
    for (int i = 0; i < streams; i++) {
        if (pthread_create(&threads[i], NULL, give, (void *)(intptr_t)i) != 0) fail("thread", "");
    }
    uint64_t bytes = 0;
    for (int i = 0; i < streams; i++) {
        pthread_join(threads[i], NULL);
        bytes += sent[i];
    }
    printf("{\"bytes\":%" PRIu64 ",\"seconds\":%.6f,\"cpu_ns\":%" PRIu64 "}\n", bytes, (double)(now_ns() - start) / 1e9,
           clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
