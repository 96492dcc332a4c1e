/*
 * relay: forwards HXB frames between two NICs and rewrites their MAC addresses; the peer of a relaying HXB node.
 *
 *   relay [-t recvmmsg|v2] [-w block|spin] [-n slots] [-r receive_buffer_bytes] [-f HEX16] NIC-A MAC-A NIC-B MAC-B
 *
 * Frames received on A leave at B for MAC-B, frames received on B leave at A for MAC-A. More pairs of pairs make a
 * chain of relays in one thread. -f gives the coordinate vector (8 bytes) whose own frames a filter keeps out, as the
 * node's filter does. Runs until SIGTERM, then prints one JSON line.
 */
#include "hxbb.h"

#define MAX_PORTS 32

struct port {
    struct nic nic;
    int fd;
    uint8_t next_hop[6];
    struct port *out;
    int frame_bytes;
    uint8_t *ring;
    unsigned slot, slots;
};

enum technique { RECVMMSG, RING_V2 };

static struct port ports[MAX_PORTS];
static int port_count;
static struct mmsghdr messages[BATCH];
static struct iovec vectors[BATCH];
static uint8_t buffers[BATCH][MAX_FRAME_BYTES];
static uint64_t relayed, wakeups, send_errors;

static void ring_open(struct port *port, unsigned slots) {
    int version = TPACKET_V2;
    if (setsockopt(port->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0) fail("V2", port->nic.name);
    /* Four slots fill a block without a gap, so that slot i lies at i * frame_bytes. */
    port->frame_bytes = port->nic.mtu <= 1800 ? 2048 : 10240;
    struct tpacket_req request = {.tp_block_size = (unsigned)port->frame_bytes * 4,
                                  .tp_block_nr = slots / 4,
                                  .tp_frame_size = (unsigned)port->frame_bytes,
                                  .tp_frame_nr = slots};
    if (setsockopt(port->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0) fail("ring", port->nic.name);
    port->slots = slots;
    port->ring = mmap(NULL, (size_t)port->frame_bytes * slots, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                      port->fd, 0);
    if (port->ring == MAP_FAILED) fail("mmap", port->nic.name);
}

static void keep_own_out(int fd, const char *hex) {
    uint8_t own[8];
    parse_hex(hex, own, sizeof own);
    uint32_t low = (uint32_t)own[0] << 24 | (uint32_t)own[1] << 16 | (uint32_t)own[2] << 8 | own[3];
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ETHER_BYTES + HXB_DESTINATION_OFFSET),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, low, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xFFFFFFFF, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
    };
    attach_filter(fd, code, sizeof code / sizeof code[0]);
}

static void send_batch(struct port *out, int count) {
    for (int sent = 0; sent < count;) {
        /* The socket blocks, so a full NIC holds the relay back as it would hold a node back. */
        int n = sendmmsg(out->fd, messages + sent, (unsigned)(count - sent), 0);
        if (n > 0) {
            sent += n;
        } else if (errno == EINTR && stopped) {
            return;
        } else if (errno != EINTR) {
            send_errors++;
            sent++;
        }
    }
    relayed += (uint64_t)count;
}

static void rewrite(uint8_t *frame, const struct port *out) {
    memcpy(frame, out->next_hop, 6);
    memcpy(frame + 6, out->nic.mac, 6);
}

static int relay_recvmmsg(struct port *in) {
    const int frame_bytes = in->nic.mtu + ETHER_BYTES;
    for (int i = 0; i < BATCH; i++) vectors[i] = (struct iovec){buffers[i], (size_t)frame_bytes};
    int count = recvmmsg(in->fd, messages, BATCH, MSG_DONTWAIT, NULL);
    if (count <= 0) return 0;
    for (int i = 0; i < count; i++) {
        rewrite(buffers[i], in->out);
        vectors[i].iov_len = messages[i].msg_len;
    }
    send_batch(in->out, count);
    return count;
}

static int relay_ring(struct port *in) {
    const unsigned first = in->slot;
    int count = 0;
    for (; count < BATCH; count++) {
        unsigned slot = (first + (unsigned)count) & (in->slots - 1);
        struct tpacket2_hdr *header = (struct tpacket2_hdr *)(in->ring + (size_t)slot * (size_t)in->frame_bytes);
        if (!(__atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER)) break;
        uint8_t *frame = (uint8_t *)header + header->tp_mac;
        rewrite(frame, in->out);
        vectors[count] = (struct iovec){frame, header->tp_snaplen};
    }
    if (count == 0) return 0;
    send_batch(in->out, count);
    for (int i = 0; i < count; i++) {
        unsigned slot = (first + (unsigned)i) & (in->slots - 1);
        struct tpacket2_hdr *header = (struct tpacket2_hdr *)(in->ring + (size_t)slot * (size_t)in->frame_bytes);
        __atomic_store_n(&header->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    }
    in->slot = (first + (unsigned)count) & (in->slots - 1);
    return count;
}

static void run(enum technique technique, bool spins) {
    int epoll = epoll_create1(0);
    for (int i = 0; i < port_count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        epoll_ctl(epoll, EPOLL_CTL_ADD, ports[i].fd, &event);
    }
    while (!stopped) {
        struct epoll_event ready[MAX_PORTS];
        int count = port_count;
        if (!spins) {
            count = epoll_wait(epoll, ready, MAX_PORTS, -1);
            wakeups++;
        }
        for (int i = 0; i < count; i++) {
            struct port *in = &ports[spins ? (uint32_t)i : ready[i].data.u32];
            if (technique == RING_V2) {
                relay_ring(in);
            } else {
                relay_recvmmsg(in);
            }
        }
    }
}

int main(int argc, char **argv) {
    enum technique technique = RECVMMSG;
    bool spins = false;
    const char *own = NULL;
    unsigned slots = 512;
    int receive_bytes = 8 << 20;
    for (int option; (option = getopt(argc, argv, "t:w:f:n:r:")) != -1;) {
        switch (option) {
        case 't': technique = strcmp(optarg, "v2") == 0 ? RING_V2 : RECVMMSG; break;
        case 'w': spins = strcmp(optarg, "spin") == 0; break;
        case 'f': own = optarg; break;
        case 'n': slots = (unsigned)atoi(optarg); break;
        case 'r': receive_bytes = atoi(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind < 4 || (argc - optind) % 4 != 0 || (argc - optind) / 2 > MAX_PORTS || (slots & (slots - 1)) ||
        slots < 4) {
        fprintf(stderr, "usage: relay [-t recvmmsg|v2] [-w block|spin] [-n slots (power of two)] [-r bytes] [-f HEX] "
                        "NIC-A MAC-A NIC-B MAC-B ...\n");
        return 2;
    }
    stop_on_signals();
    for (int i = 0; i < BATCH; i++) messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    for (int i = optind; i + 1 < argc; i += 2) {
        struct port *port = &ports[port_count];
        port->nic = nic_open(argv[i]);
        parse_mac(argv[i + 1], port->next_hop);
        port->out = &ports[port_count ^ 1];
        port->fd = packet_socket(&port->nic, receive_bytes, 8 << 20);
        if (own) keep_own_out(port->fd, own);
        if (technique == RING_V2) ring_open(port, slots);
        packet_bind(port->fd, &port->nic, HXB_ETHERTYPE);
        port_count++;
    }
    printf("{\"ready\":true}\n");
    fflush(stdout);
    uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    run(technique, spins);
    cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    unsigned drops = 0;
    for (int i = 0; i < port_count; i++) drops += kernel_drops(ports[i].fd);
    printf("{\"frames\":%" PRIu64 ",\"wakeups\":%" PRIu64 ",\"kernel_drops\":%u,\"send_errors\":%" PRIu64
           ",\"cpu_ns\":%" PRIu64 ",\"cpu_ns_per_frame\":%.0f}\n",
           relayed, wakeups, drops, send_errors, cpu_ns, relayed ? (double)cpu_ns / (double)relayed : 0.0);
    return 0;
}
