/*
 * recvcost: what the kernel takes of a CPU to receive one frame, the least any receiver of such frames can spend.
 *
 *   recvcost [-b batch] [-S seconds] NIC [NIC ...]
 *
 * Frames come in by epoll_wait and recvmmsg, as they do in a node; nothing else happens. Counts from the first frame.
 */
#include "hxbb.h"

#define MAX_NICS 16

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
    int nics = argc - optind;
    if (nics < 1 || nics > MAX_NICS || batch < 1 || batch > BATCH) {
        fprintf(stderr, "usage: recvcost [-b batch 1..64] [-S seconds] NIC [up to 16 NICs]\n");
        return 2;
    }
    stop_on_signals();
    int epoll = epoll_create1(0), sockets[MAX_NICS];
    for (int i = 0; i < nics; i++) {
        struct nic nic = nic_open(argv[optind + i]);
        sockets[i] = packet_socket(&nic, 8 << 20, 0);
        packet_bind(sockets[i], &nic, HXB_ETHERTYPE);
        struct epoll_event interest = {.events = EPOLLIN, .data.fd = sockets[i]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[i], &interest);
    }
    struct epoll_event events[MAX_NICS];
    for (int i = 0; i < BATCH; i++) {
        vectors[i] = (struct iovec){buffers[i], MAX_FRAME_BYTES};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (epoll_wait(epoll, events, 1, -1) < 1 && !stopped) {
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    uint64_t start = now_ns(), end = start + (uint64_t)(seconds * 1e9), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t received = 0, calls = 0;
    while (!stopped && now_ns() < end) {
        int ready = epoll_wait(epoll, events, nics, 100);
        for (int i = 0; i < ready; i++) {
            int n = recvmmsg(events[i].data.fd, messages, (unsigned)batch, MSG_DONTWAIT, NULL);
            received += n > 0 ? (unsigned)n : 0;
            calls++;
        }
    }
    cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    getrusage(RUSAGE_SELF, &after);
    double count = received ? (double)received : 1;
    unsigned drops = 0;
    for (int i = 0; i < nics; i++) drops += kernel_drops(sockets[i]);
    printf("{\"frames\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"frames_per_s\":%.0f,\"cpu_ns_per_frame\":%.0f,"
           "\"user_ns_per_frame\":%.0f,\"system_ns_per_frame\":%.0f,\"kernel_drops\":%u}\n",
           received, calls, (double)received * 1e9 / (double)(now_ns() - start), (double)cpu / count,
           used_ns(&before.ru_utime, &after.ru_utime) / count, used_ns(&before.ru_stime, &after.ru_stime) / count,
           drops);
    return 0;
}
