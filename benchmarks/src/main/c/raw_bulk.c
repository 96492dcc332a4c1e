/*
 * raw_bulk: bulk data over packet sockets on one or several NICs, in Ethernet frames, in trains of UDP over IPv4, or in
 * long frames that look like segments of TCP over IPv4.
 *
 *   raw_bulk -m server [-g|-t] [-p pause_us] [-w warm_up_seconds] [-S seconds] NIC [NIC ...]
 *   raw_bulk -m client [-g|-t] [-p pause_us] [-s size] NIC [NIC ...]
 *
 * -g sends trains of datagrams, which the kernel cuts (PACKET_VNET_HDR), to a MAC address that is nobody's, and lets
 * the receiving kernel join what nobody's socket receives. -t sends frames of 64 KB, each as one segment of no
 * connection (draft-davie-stt-08, 5): the sequence number has the frame's length and the offset in it, to which the device that
 * cuts adds that of each piece, and the acknowledgement number has the frame's number, so that pieces of two frames are
 * not joined. Everything else is as in udp_bulk: the client stores every byte once and sends size bytes a frame (-t: a
 * piece) on each NIC in turn until SIGTERM, the server loads every byte once. With -t it also prints how many pieces a
 * frame arrived in.
 */
#include "hxbb.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stddef.h>

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif
#define TRAIN_BYTES 65507
/* A NIC is given at most 65,535 bytes with all headers (gso_max_size); what is longer is cut by the kernel. */
#define LONG_FRAME_BYTES 65480
#define MESSAGES 8
#define PORT HXB_ETHERTYPE
#define VNET_BYTES 10
#define FEATURE "rx-udp-gro-forwarding"
#define MAX_FEATURES 256

enum dress { ETHERNET, TRAINS, LONG_FRAMES };

struct __attribute__((packed)) headers {
    uint8_t vnet[VNET_BYTES];
    struct ethhdr ether;
    struct iphdr ip;
    union {
        struct udphdr udp;
        struct tcphdr tcp;
    };
};

static uint8_t data[MESSAGES][1 << 17] __attribute__((aligned(64)));
static struct mmsghdr messages[MESSAGES];
static struct iovec vectors[MESSAGES][2];
static struct headers headers[MESSAGES];
static int sockets[MAX_LINKS];
static int link_count;
static int pause_us;

static int header_bytes(enum dress dress) {
    int until_ip = (int)(offsetof(struct headers, ip) + sizeof(struct iphdr));
    return dress == ETHERNET ? ETHER_BYTES
        : until_ip + (int)(dress == TRAINS ? sizeof(struct udphdr) : sizeof(struct tcphdr));
}

static void serve(double warm_up, double seconds, enum dress dress) {
    uint64_t start = 0, bytes = 0, before = 0, sum = 0, begun = 0, now = 0, pieces = 0;
    int skipped = header_bytes(dress);
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (!stopped && (!begun || now - begun < (uint64_t)(seconds * 1e9))) {
        bool found = false;
        for (int l = 0; l < link_count; l++) {
            for (int i = 0; i < MESSAGES; i++) {
                vectors[i][0] = (struct iovec){&headers[i], (size_t)skipped};
                vectors[i][1] = (struct iovec){data[i], sizeof data[i]};
                messages[i].msg_hdr = (struct msghdr){.msg_iov = vectors[i], .msg_iovlen = 2};
            }
            int count = recvmmsg(sockets[l], messages, MESSAGES, MSG_DONTWAIT, NULL);
            for (int i = 0; i < count; i++) {
                int length = (int)messages[i].msg_len - skipped;
                if (length <= 0) continue;
                sum += load(data[i], (size_t)length);
                bytes += (uint64_t)length;
                pieces += begun != 0;
            }
            found |= count > 0;
        }
        now = now_ns();
        if (!start && bytes) start = now;
        if (start && !begun && now - start >= (uint64_t)(warm_up * 1e9)) {
            begun = now;
            before = bytes;
            printf("{\"begun\":true}\n");
            fflush(stdout);
        }
        if (!found) rest_or_wait(pause_us, sockets, link_count, POLLIN);
    }
    double length = (double)(now - begun) / 1e9;
    printf("{\"MBps\":%.2f,\"sum\":%" PRIu64, (double)(bytes - before) / length / 1e6, sum);
    if (dress == LONG_FRAMES) printf(",\"pieces\":%.2f", (double)pieces * LONG_FRAME_BYTES / (double)(bytes - before));
    printf("}\n");
}

static uint16_t folded(uint32_t sum) {
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)((sum & 0xFFFF) + (sum >> 16));
}

static void write_headers(struct headers *h, size_t length, int size, enum dress dress) {
    static const uint8_t to[6] = {0x0E, 'H', 'X', 'B', 0, 2}, from[6] = {0x0E, 'H', 'X', 'B', 0, 1};
    memset(h, 0, sizeof *h);
    memcpy(h->ether.h_dest, to, 6);
    memcpy(h->ether.h_source, from, 6);
    if (dress == ETHERNET) {
        memset(h->ether.h_dest, 0xFF, 6);
        h->ether.h_proto = htons(HXB_ETHERTYPE);
        return;
    }
    bool is_tcp = dress == LONG_FRAMES;
    size_t check = is_tcp ? offsetof(struct tcphdr, check) : offsetof(struct udphdr, check);
    struct virtio_net_hdr vnet = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                  .gso_type = is_tcp ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_UDP_L4,
                                  .hdr_len = (uint16_t)(header_bytes(dress) - VNET_BYTES),
                                  .gso_size = (uint16_t)size,
                                  .csum_start = ETHER_BYTES + sizeof h->ip,
                                  .csum_offset = (uint16_t)check};
    memcpy(h->vnet, &vnet, VNET_BYTES);
    h->ether.h_proto = htons(ETH_P_IP);
    uint8_t protocol = is_tcp ? IPPROTO_TCP : IPPROTO_UDP;
    uint16_t ip_payload = (uint16_t)((is_tcp ? sizeof h->tcp : sizeof h->udp) + length);
    h->ip = (struct iphdr){.version = 4, .ihl = 5, .ttl = 64, .protocol = protocol, .frag_off = htons(0x4000)};
    h->ip.tot_len = htons((uint16_t)(sizeof h->ip + ip_payload));
    h->ip.saddr = htonl(0x0A000001);
    h->ip.daddr = htonl(0x0A000002);
    uint32_t sum = 0;
    uint16_t words[10];
    memcpy(words, &h->ip, sizeof words);
    for (int i = 0; i < 10; i++) sum += ntohs(words[i]);
    h->ip.check = htons((uint16_t)~folded(sum));
    uint16_t pseudo = htons(folded((uint32_t)(0x0A00 + 1 + 0x0A00 + 2 + protocol + ip_payload)));
    if (is_tcp) {
        h->tcp = (struct tcphdr){.doff = 5, .ack = 1, .psh = 1, .window = htons(0xFFFF), .check = pseudo};
        h->tcp.source = h->tcp.dest = htons(PORT);
        h->tcp.seq = htonl((uint32_t)length << 16);
    } else {
        h->udp = (struct udphdr){.len = htons(ip_payload), .check = pseudo};
        h->udp.source = h->udp.dest = htons(PORT);
    }
}

/* Only what the kernel has taken is overwritten. */
static void send_all(int size, enum dress dress) {
    int segments = dress == TRAINS ? TRAIN_BYTES / size : 1;
    if (segments > 64) segments = 64;
    size_t length = dress == LONG_FRAMES ? LONG_FRAME_BYTES : (size_t)(segments * size);
    int batch = dress == ETHERNET ? MESSAGES : 1, taken = batch;
    uint64_t value = 0;
    uint32_t number = 0;
    for (int i = 0; i < batch; i++) {
        write_headers(&headers[i], length, size, dress);
        uint8_t *begin = (uint8_t *)&headers[i] + (dress == ETHERNET ? VNET_BYTES : 0);
        vectors[i][0] = (struct iovec){begin, (size_t)header_bytes(dress)};
        vectors[i][1] = (struct iovec){data[i], length};
    }
    while (!stopped) {
        bool found = false;
        for (int l = 0; l < link_count; l++) {
            for (int i = 0; i < taken; i++) memset(data[i], (int)(value++ & 0xFF), length);
            for (int i = 0; i < batch; i++) {
                messages[i].msg_hdr = (struct msghdr){.msg_iov = vectors[i], .msg_iovlen = 2};
            }
            if (dress == LONG_FRAMES) headers[0].tcp.ack_seq = htonl(number++);
            int count = sendmmsg(sockets[l], messages, (unsigned)batch, MSG_DONTWAIT);
            if (count < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR) fail("send", "");
            taken = count > 0 ? count : 0;
            found |= count > 0;
        }
        if (!found) rest_or_wait(pause_us, sockets, link_count, POLLOUT);
    }
    printf("{\"done\":true}\n");
}

static void ethtool(int fd, const char *nic, void *ask) {
    struct ifreq request = {.ifr_data = ask};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", nic);
    if (ioctl(fd, SIOCETHTOOL, &request) != 0) fail("ethtool", nic);
}

static void join_foreign(const char *nic) {
    static union {
        struct ethtool_gstrings names;
        struct ethtool_gfeatures get;
        struct ethtool_sfeatures set;
        uint8_t room[64 + ETH_GSTRING_LEN * MAX_FEATURES];
    } ask;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    ask.get = (struct ethtool_gfeatures){.cmd = ETHTOOL_GFEATURES, .size = MAX_FEATURES / 32};
    ethtool(fd, nic, &ask);
    uint32_t blocks = ask.get.size;
    memset(&ask, 0, sizeof ask);
    ask.names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES, .len = blocks * 32};
    ethtool(fd, nic, &ask);
    for (uint32_t i = 0; i < ask.names.len; i++) {
        if (strcmp((char *)ask.names.data + i * ETH_GSTRING_LEN, FEATURE) != 0) continue;
        memset(&ask, 0, sizeof ask);
        ask.set = (struct ethtool_sfeatures){.cmd = ETHTOOL_SFEATURES, .size = blocks};
        ask.set.features[i / 32].valid = ask.set.features[i / 32].requested = 1u << i % 32;
        ethtool(fd, nic, &ask);
        break;
    }
    close(fd);
}

static void open_socket(const char *name, bool is_server, enum dress dress) {
    struct nic nic = nic_open(name);
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) fail("packet socket", name);
    if (dress != ETHERNET && setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) != 0) {
        fail("PACKET_VNET_HDR", name);
    }
    socket_buffer(fd, is_server ? SO_RCVBUFFORCE : SO_SNDBUFFORCE, is_server ? SO_RCVBUF : SO_SNDBUF,
                  is_server ? 8 << 20 : 1 << 20);
    if (is_server && dress == TRAINS) join_foreign(name);
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = nic.index};
    if (is_server) address.sll_protocol = htons(dress == ETHERNET ? HXB_ETHERTYPE : ETH_P_IP);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("bind", name);
    sockets[link_count++] = fd;
}

int main(int argc, char **argv) {
    const char *mode = "";
    enum dress dress = ETHERNET;
    int size = 1472;
    double warm_up = 1, seconds = 2;
    for (int option; (option = getopt(argc, argv, "m:gtp:s:w:S:")) != -1;) {
        switch (option) {
        case 'm': mode = optarg; break;
        case 'g': dress = TRAINS; break;
        case 't': dress = LONG_FRAMES; break;
        case 'p': pause_us = atoi(optarg); break;
        case 's': size = atoi(optarg); break;
        case 'w': warm_up = atof(optarg); break;
        case 'S': seconds = atof(optarg); break;
        default: return 2;
        }
    }
    bool is_server = strcmp(mode, "server") == 0;
    if (argc - optind < 1 || argc - optind > MAX_LINKS || size < 64 || size > TRAIN_BYTES || pause_us > 100000 ||
        (!is_server && strcmp(mode, "client") != 0)) {
        fprintf(stderr, "usage: raw_bulk -m server|client [-g|-t] [-p us] [-s size] [-w s] [-S s] NIC ...\n");
        return 2;
    }
    stop_on_signals();
    for (int i = optind; i < argc; i++) open_socket(argv[i], is_server, dress);
    if (is_server) {
        serve(warm_up, seconds, dress);
    } else {
        send_all(size, dress);
    }
    return 0;
}
