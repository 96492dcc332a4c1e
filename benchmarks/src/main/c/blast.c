/*
 * blast: sends HXB frames as fast as the kernel takes them, or at a given rate, batches taking NICs in turn.
 *
 *   blast [-s size] [-S seconds] [-r frames_per_second] [-b batch] [-B send_buffer_bytes] [-H header_hex]
 *         [-A hello_hex] [-I hello_ms] [-n first_link] [-x] NIC DESTINATION-MAC [NIC DESTINATION-MAC ...]
 *
 * size counts HXB header and body (what follows the Ethernet header). Each frame has its own sequence in the header.
 * -A announces a made-up node every -I ms on each NIC, as link first_link (0), and so on; with size 0 that is all it does. -x tells
 * an HXB node by the EtherType that it is to relay the frames. Prints one JSON line.
 */
#include "hxbb.h"

#define MAX_NICS 16

static uint8_t frames[BATCH][ETHER_BYTES + MAX_FRAME_BYTES];
static struct mmsghdr messages[BATCH];
static struct iovec vectors[BATCH];

struct way {
    struct nic nic;
    uint8_t destination[6];
    int fd;
    struct hello hello;
};

static struct way ways[MAX_NICS];
static int way_count;

struct plan {
    double seconds;
    double rate;
    int batch;
    bool announces_only;
};

/* Returns frames sent; what the NIC refused is counted apart. */
static uint64_t blast(const struct plan *plan, uint64_t *refused) {
    int turn = 0;
    const uint64_t start = now_ns(), end = start + (uint64_t)(plan->seconds * 1e9);
    uint64_t sent = 0;
    uint32_t sequence = 0;
    for (uint64_t now = start; !stopped && now < end; now = now_ns()) {
        for (int i = 0; i < way_count; i++) hello_tick(&ways[i].hello, now);
        if (plan->announces_only) {
            poll(NULL, 0, 10);
            continue;
        }
        int count = plan->batch;
        if (plan->rate > 0) {
            double due = plan->rate * (double)(now - start) / 1e9 - (double)sent;
            if (due < 1) {
                struct timespec pause = {0, 20000};
                nanosleep(&pause, NULL);
                continue;
            }
            count = due < count ? (int)due : count;
        }
        const struct way *way = &ways[turn];
        turn = turn + 1 == way_count ? 0 : turn + 1;
        for (int i = 0; i < count; i++) {
            frame_sequence(frames[i], sequence + (uint32_t)i);
            if (way_count > 1) {
                memcpy(frames[i], way->destination, 6);
                memcpy(frames[i] + 6, way->nic.mac, 6);
            }
        }
        int n = sendmmsg(way->fd, messages, (unsigned)count, 0);
        if (n > 0) {
            sent += (uint64_t)n;
            sequence += (uint32_t)n;
        } else if (errno == ENOBUFS || errno == ENETDOWN) {
            (*refused)++;
        } else if (errno != EINTR) {
            fail("send", "");
        }
    }
    return sent;
}

int main(int argc, char **argv) {
    struct plan plan = {.seconds = 3, .batch = BATCH};
    int size = 64, hello_ms = 100, send_bytes = 212992, first_link = 0;
    const char *hello_hex = NULL;
    bool is_relayed = false;
    static struct template header;
    for (int option; (option = getopt(argc, argv, "s:S:r:b:B:H:A:I:n:x")) != -1;) {
        switch (option) {
        case 's': size = atoi(optarg); break;
        case 'S': plan.seconds = atof(optarg); break;
        case 'r': plan.rate = atof(optarg); break;
        case 'b': plan.batch = atoi(optarg); break;
        case 'B': send_bytes = atoi(optarg); break;
        case 'H': template_parse(&header, optarg); break;
        case 'A': hello_hex = optarg; break;
        case 'I': hello_ms = atoi(optarg); break;
        case 'n': first_link = atoi(optarg); break;
        case 'x': is_relayed = true; break;
        default: return 2;
        }
    }
    plan.announces_only = size == 0;
    if (argc - optind < 2 || (argc - optind) % 2 || (argc - optind) / 2 > MAX_NICS ||
        (size != 0 && size < HXB_HEADER_BYTES) || size > MAX_FRAME_BYTES || plan.batch < 1 || plan.batch > BATCH) {
        fprintf(stderr, "usage: blast [-s size 64..16384, 0 = only hello] [-S seconds] [-r rate] [-b batch 1..64] "
                        "[-B bytes] [-H hex] [-A hex] [-I ms] [-n first_link] [-x] NIC MAC [NIC MAC ...]\n");
        return 2;
    }
    stop_on_signals();
    for (int i = optind; i < argc; i += 2) {
        struct way *way = &ways[way_count++];
        way->nic = nic_open(argv[i]);
        parse_mac(argv[i + 1], way->destination);
        way->fd = packet_socket(&way->nic, 0, send_bytes);
        packet_bind(way->fd, &way->nic, 0);
        hello_open(&way->hello, &way->nic, hello_hex, hello_ms);
        way->hello.frame[ETHER_BYTES + HXB_HEADER_BYTES + HXB_HELLO_LINK_OFFSET] = (uint8_t)(first_link + way_count - 1);
    }
    for (int i = 0; i < BATCH && size; i++) {
        int length = frame_build(frames[i], ways[0].destination, &ways[0].nic, &header, size);
        if (is_relayed) frame_relayed(frames[i]);
        vectors[i] = (struct iovec){frames[i], (size_t)length};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    uint64_t refused = 0, start = now_ns(), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t sent = blast(&plan, &refused);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("{\"sent\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"seconds\":%.4f,\"cpu_ns_per_frame\":%.0f}\n", sent, refused,
           (double)(now_ns() - start) / 1e9, sent ? (double)cpu / (double)sent : 0.0);
    return 0;
}
