/*
 * sendcost: what the kernel takes of a CPU to send one frame, the least any sender of such frames can spend.
 *
 *   sendcost [-s size] [-b batch] [-r frames_per_second] [-S seconds] NIC DESTINATION-MAC
 *
 * Prepared frames go out by sendmmsg in batches; nothing else happens. Prints CPU ns a frame, user and system apart.
 */
#include "hxbb.h"

static uint8_t frames[BATCH][ETHER_BYTES + MAX_FRAME_BYTES];
static struct mmsghdr messages[BATCH];
static struct iovec vectors[BATCH];

static double used_ns(const struct timeval *from, const struct timeval *to) {
    return (double)(to->tv_sec - from->tv_sec) * 1e9 + (double)(to->tv_usec - from->tv_usec) * 1e3;
}

int main(int argc, char **argv) {
    int size = 76, batch = 1; /* 64 header, 8 record, 4 message */
    double seconds = 2, rate = 0;
    for (int option; (option = getopt(argc, argv, "s:b:S:r:")) != -1;) {
        switch (option) {
        case 's': size = atoi(optarg); break;
        case 'b': batch = atoi(optarg); break;
        case 'S': seconds = atof(optarg); break;
        case 'r': rate = atof(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 2 || size < HXB_HEADER_BYTES || size > MAX_FRAME_BYTES || batch < 1 || batch > BATCH) {
        fprintf(stderr, "usage: sendcost [-s size 64..16384] [-b batch 1..64] [-r rate] [-S seconds] NIC MAC\n");
        return 2;
    }
    stop_on_signals();
    struct nic nic = nic_open(argv[optind]);
    uint8_t destination[6];
    parse_mac(argv[optind + 1], destination);
    for (int i = 0; i < batch; i++) {
        int length = frame_build(frames[i], destination, &nic, NULL, size);
        frames[i][ETHER_BYTES + 1] = 1;
        vectors[i] = (struct iovec){frames[i], (size_t)length};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    int fd = packet_socket(&nic, 0, 0);
    packet_bind(fd, &nic, 0);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    uint64_t start = now_ns(), end = start + (uint64_t)(seconds * 1e9), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t sent = 0, calls = 0;
    for (uint64_t now = start; !stopped && now < end; now = now_ns()) {
        if (rate > 0 && rate * (double)(now - start) / 1e9 < (double)(sent + (unsigned)batch)) {
            struct timespec pause = {0, 50000};
            nanosleep(&pause, NULL);
            continue;
        }
        int n = sendmmsg(fd, messages, (unsigned)batch, 0);
        if (n < 0 && errno != EINTR) fail("send", nic.name);
        sent += n > 0 ? (unsigned)n : 0;
        calls++;
    }
    cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    getrusage(RUSAGE_SELF, &after);
    double count = sent ? (double)sent : 1;
    printf("{\"frames\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"frames_per_s\":%.0f,\"cpu_ns_per_frame\":%.0f,"
           "\"user_ns_per_frame\":%.0f,\"system_ns_per_frame\":%.0f}\n",
           sent, calls, (double)sent * 1e9 / (double)(now_ns() - start), (double)cpu / count,
           used_ns(&before.ru_utime, &after.ru_utime) / count, used_ns(&before.ru_stime, &after.ru_stime) / count);
    return 0;
}
