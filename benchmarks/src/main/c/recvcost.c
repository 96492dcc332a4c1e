/*
 * recvcost: what the kernel takes of a CPU to receive one frame, the least any receiver of such frames can spend.
 *
 *   recvcost [-b batch] [-S seconds] NIC
 *
 * Frames come in by epoll_wait and recvmmsg, as they do in a node; nothing else happens. Counts from the first frame.
 */
#include "hxbb.h"

static uint8_t buffers[BATCH][MAX_FRAME_BYTES];
static struct mmsghdr messages[BATCH];
static struct iovec vectors[BATCH];

static double used_ns(const struct timeval *from, const struct timeval *to) {
    return (double)(to->tv_sec - from->tv_sec) * 1e9 + (double)(to->tv_usec - from->tv_usec) * 1e3;
}

int main(int argc, char **argv) {
    int batch = BATCH;
    double seconds = 2;
    for (int option; (option = getopt(argc, argv, "b:S:")) != -1;) {
        switch (option) {
        case 'b': batch = atoi(optarg); break;
        case 'S': seconds = atof(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 1 || batch < 1 || batch > BATCH) {
        fprintf(stderr, "usage: recvcost [-b batch 1..64] [-S seconds] NIC\n");
        return 2;
    }
    stop_on_signals();
    struct nic nic = nic_open(argv[optind]);
    int fd = packet_socket(&nic, 8 << 20, 0), epoll = epoll_create1(0);
    packet_bind(fd, &nic, HXB_ETHERTYPE);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    for (int i = 0; i < BATCH; i++) {
        vectors[i] = (struct iovec){buffers[i], MAX_FRAME_BYTES};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (epoll_wait(epoll, &event, 1, -1) < 1 && !stopped) {
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    uint64_t start = now_ns(), end = start + (uint64_t)(seconds * 1e9), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t received = 0, calls = 0;
    while (!stopped && now_ns() < end) {
        if (epoll_wait(epoll, &event, 1, 100) < 1) continue;
        int n = recvmmsg(fd, messages, (unsigned)batch, MSG_DONTWAIT, NULL);
        received += n > 0 ? (unsigned)n : 0;
        calls++;
    }
    cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    getrusage(RUSAGE_SELF, &after);
    double count = received ? (double)received : 1;
    printf("{\"frames\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"frames_per_s\":%.0f,\"cpu_ns_per_frame\":%.0f,"
           "\"user_ns_per_frame\":%.0f,\"system_ns_per_frame\":%.0f,\"kernel_drops\":%u}\n",
           received, calls, (double)received * 1e9 / (double)(now_ns() - start), (double)cpu / count,
           used_ns(&before.ru_utime, &after.ru_utime) / count, used_ns(&before.ru_stime, &after.ru_stime) / count,
           kernel_drops(fd));
    return 0;
}
