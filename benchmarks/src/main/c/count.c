/*
 * count: counts the HXB frames that arrive at a NIC, and looks at their sequence.
 *
 *   count [-S seconds] [-k skip_seconds] [-t type] [-A hello_hex] [-I hello_ms] NIC|any
 *
 * "any" counts on all NICs of the network namespace, by one socket. Starts with the first frame of the given type (default: 1, data), leaves out the skipped seconds, counts for the
 * others. A filter cuts frames to their headers, and a V3 ring hands them over in blocks, so counting costs next to
 * nothing beside the relay under test. Prints one JSON line: frames and lost inside the counted time.
 */
#include "hxbb.h"

#define BLOCK_BYTES (1 << 18)
#define BLOCKS 32
#define SNAP_BYTES (ETHER_BYTES + HXB_HEADER_BYTES)

struct tally {
    uint64_t frames, bytes, lost, late;
    uint32_t expected;
    bool started;
};

static int type_wanted = 1;

static void look(struct tally *tally, const struct tpacket3_hdr *header) {
    uint32_t sequence = frame_sequence_of((const uint8_t *)header + header->tp_mac);
    int32_t ahead = (int32_t)(sequence - tally->expected);
    if (!tally->started || ahead >= 0) {
        tally->lost += tally->started ? (uint32_t)ahead : 0;
        tally->expected = sequence + 1;
        tally->started = true;
    } else {
        tally->late++;
    }
    tally->frames++;
    tally->bytes += header->tp_len;
}

static void ring_open(int fd, uint8_t **ring) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETHER_BYTES + 1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)type_wanted, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SNAP_BYTES),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    attach_filter(fd, code, sizeof code / sizeof code[0]);
    int version = TPACKET_V3;
    if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0) fail("V3", "");
    struct tpacket_req3 request = {.tp_block_size = BLOCK_BYTES,
                                   .tp_block_nr = BLOCKS,
                                   .tp_frame_size = 2048,
                                   .tp_frame_nr = BLOCK_BYTES / 2048 * BLOCKS,
                                   .tp_retire_blk_tov = 10};
    if (setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0) fail("ring", "");
    *ring = mmap(NULL, (size_t)BLOCK_BYTES * BLOCKS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (*ring == MAP_FAILED) fail("mmap", "");
}

int main(int argc, char **argv) {
    double seconds = 2, skip = 0.5;
    const char *hello_hex = NULL;
    int hello_ms = 100;
    for (int option; (option = getopt(argc, argv, "S:k:t:A:I:")) != -1;) {
        switch (option) {
        case 'S': seconds = atof(optarg); break;
        case 'k': skip = atof(optarg); break;
        case 't': type_wanted = atoi(optarg); break;
        case 'A': hello_hex = optarg; break;
        case 'I': hello_ms = atoi(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 1) {
        fprintf(stderr, "usage: count [-S seconds] [-k skip] [-t type] [-A hex] [-I ms] NIC|any\n");
        return 2;
    }
    stop_on_signals();
    struct nic nic = {.name = "any", .namespace_fd = -1};
    if (strcmp(argv[optind], "any") != 0) nic = nic_open(argv[optind]);
    int fd = packet_socket(&nic, 0, 0);
    uint8_t *ring;
    ring_open(fd, &ring);
    packet_bind(fd, &nic, HXB_ETHERTYPE);
    struct hello hello;
    hello_open(&hello, &nic, hello_hex, hello_ms);
    printf("{\"ready\":true}\n");
    fflush(stdout);
    struct tally total = {0}, before = {0};
    uint64_t begin = 0, from = 0, until = UINT64_MAX, now = now_ns();
    for (unsigned block = 0; !stopped && now < until; now = now_ns()) {
        hello_tick(&hello, now);
        struct tpacket_block_desc *b = (struct tpacket_block_desc *)(ring + (size_t)block * BLOCK_BYTES);
        if (!(__atomic_load_n(&b->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER)) {
            wait_readable(fd, 20);
            continue;
        }
        struct tpacket3_hdr *header = (struct tpacket3_hdr *)((uint8_t *)b + b->hdr.bh1.offset_to_first_pkt);
        for (unsigned i = 0; i < b->hdr.bh1.num_pkts; i++) {
            look(&total, header);
            header = (struct tpacket3_hdr *)((uint8_t *)header + header->tp_next_offset);
        }
        __atomic_store_n(&b->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        block = (block + 1) % BLOCKS;
        if (begin == 0) begin = now;
        if (from == 0 && now - begin >= (uint64_t)(skip * 1e9)) {
            from = now_ns();
            until = from + (uint64_t)(seconds * 1e9);
            before = total;
        }
    }
    double counted = from && now > from ? (double)(now - from) / 1e9 : 0;
    uint64_t frames = total.frames - before.frames;
    printf("{\"frames\":%" PRIu64 ",\"seconds\":%.4f,\"frames_per_s\":%.0f,\"MBps\":%.2f,\"lost\":%" PRIu64
           ",\"late\":%" PRIu64 ",\"total\":%" PRIu64 ",\"own_drops\":%u}\n",
           frames, counted, counted > 0 ? (double)frames / counted : 0,
           counted > 0 ? (double)(total.bytes - before.bytes) / counted / 1e6 : 0, total.lost - before.lost,
           total.late - before.late, total.frames, kernel_drops(fd));
    return 0;
}
