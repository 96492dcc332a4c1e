/*
 * delay_box: a cable that is longer. It takes what arrives at one of two NICs and sends it by the other after a time, in
 * both directions, each in order. With -j the time is from delay_us to delay_us + jitter_us, another one for each piece.
 *
 *   delay_box -d delay_us [-j jitter_us] [-q megabytes] NIC NIC
 *
 * Pieces that the kernel has not cut stay whole (PACKET_VNET_HDR). Frames wait in a ring of -q megabytes a direction.
 * It prints its counts at each SIGUSR1, and once more at its end on SIGTERM: frames that it sent, frames that were
 * dropped by its sockets, its rings and the NICs that it sends by, and the longest time that one waited beyond the delay.
 */
#include "hxbb.h"

#define VNET_BYTES 10
#define MAX_PIECE_BYTES (1 << 17)
#define SOCKET_BYTES (64 << 20)
#define ALIGN 16u
/* A signal that comes just before a wait is seen after it. */
#define LONGEST_WAIT_NS 20000000u

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

/* What precedes each piece in a ring; a length of 0 means that the ring goes on at its start. */
struct waiting {
    uint64_t due_ns;
    uint32_t length;
    uint32_t unused;
};

struct direction {
    int from, to;
    uint8_t *ring;
    size_t head, tail, used;
    uint64_t last_due_ns, random;
    uint64_t frames, dropped, late_ns;
};

static size_t ring_bytes = 32u << 20;
static uint64_t delay_ns, jitter_ns;
static volatile sig_atomic_t asked;

static void on_question(int signal) {
    (void)signal;
    asked = 1;
}

static int open_nic(const char *name) {
    struct nic nic = nic_open(name);
    int fd = packet_socket(&nic, SOCKET_BYTES, SOCKET_BYTES), one = 1;
    struct packet_mreq all = {.mr_ifindex = nic.index, .mr_type = PACKET_MR_PROMISC};
    if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) != 0) fail("PACKET_VNET_HDR", name);
    if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0) fail("PACKET_IGNORE_OUTGOING", name);
    if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0) fail("PACKET_MR_PROMISC", name);
    packet_bind(fd, &nic, ETH_P_ALL);
    return fd;
}

/* What a NIC did not take, or its peer did not. */
static uint64_t dropped_by(const char *name) {
    char path[128];
    uint64_t dropped = 0;
    snprintf(path, sizeof path, "/sys/class/net/%.15s/statistics/tx_dropped", name);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%" SCNu64, &dropped) != 1) fail("read", path);
    fclose(file);
    return dropped;
}

/* Room for the largest piece in one part at the tail, and for a mark behind it; NULL when the ring is full. */
static struct waiting *room(struct direction *d) {
    size_t wanted = 2 * sizeof(struct waiting) + MAX_PIECE_BYTES, rest = ring_bytes - d->tail;
    bool wraps = rest < wanted;
    if (ring_bytes - d->used < wanted + (wraps ? rest : 0)) return NULL;
    if (wraps) {
        ((struct waiting *)(d->ring + d->tail))->length = 0;
        d->used += rest;
        d->tail = 0;
    }
    return (struct waiting *)(d->ring + d->tail);
}

static size_t size_of(uint32_t length) { return (sizeof(struct waiting) + length + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

/* When a piece that comes now is due: not before the one that came before it. Source: Marsaglia, Xorshift RNGs. */
static uint64_t next_due(struct direction *d) {
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    uint64_t due = now_ns() + delay_ns + (jitter_ns > 0 ? d->random % jitter_ns : 0);
    if (due > d->last_due_ns) d->last_due_ns = due;
    return d->last_due_ns;
}

/* The time of arrival is that at which the socket is read. */
static void take(struct direction *d) {
    static uint8_t rest[MAX_PIECE_BYTES];
    for (int i = 0; i < BATCH; i++) {
        struct waiting *piece = room(d);
        ssize_t length = recv(d->from, piece ? (uint8_t *)(piece + 1) : rest, MAX_PIECE_BYTES, MSG_DONTWAIT | MSG_TRUNC);
        if (length < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN) fail("receive", "");
        if (length < 0) return;
        if (!piece || length > MAX_PIECE_BYTES) {
            d->dropped++;
            continue;
        }
        piece->due_ns = next_due(d);
        piece->length = (uint32_t)length;
        d->tail += size_of(piece->length);
        d->used += size_of(piece->length);
    }
}

/* The ring may go on at its start before there is a piece. */
static struct waiting *first(struct direction *d) {
    if (d->used > 0 && ((struct waiting *)(d->ring + d->head))->length == 0) {
        d->used -= ring_bytes - d->head;
        d->head = 0;
    }
    return d->used > 0 ? (struct waiting *)(d->ring + d->head) : NULL;
}

/* Sends what is due; returns how long the next piece has to wait. */
static uint64_t give(struct direction *d) {
    struct waiting *piece;
    while ((piece = first(d)) != NULL) {
        uint64_t now = now_ns();
        if (now < piece->due_ns) return piece->due_ns - now;
        if (now - piece->due_ns > d->late_ns) d->late_ns = now - piece->due_ns;
        if (send(d->to, piece + 1, piece->length, 0) < 0) {
            if (errno == EINTR) continue;
            if (errno != ENOBUFS && errno != ENETDOWN && errno != EIO) fail("send", "");
            d->dropped++;
        } else {
            d->frames++;
        }
        size_t size = size_of(piece->length);
        d->head += size;
        d->used -= size;
    }
    return LONGEST_WAIT_NS;
}

static void print_counts(struct direction *both, char **nics, const uint64_t *before) {
    uint64_t frames = 0, dropped = 0, late = 0;
    for (int i = 0; i < 2; i++) {
        both[i].dropped += kernel_drops(both[i].from);
        frames += both[i].frames;
        dropped += both[i].dropped + dropped_by(nics[i]) - before[i];
        if (both[i].late_ns > late) late = both[i].late_ns;
        both[i].late_ns = 0;
    }
    printf("{\"frames\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"late_us\":%.0f}\n", frames, dropped, (double)late / 1e3);
    fflush(stdout);
}

static void forward(struct direction *both, char **nics) {
    uint64_t before[2] = {dropped_by(nics[0]), dropped_by(nics[1])};
    printf("{\"ready\":true}\n");
    fflush(stdout);
    while (!stopped) {
        uint64_t wait = LONGEST_WAIT_NS;
        for (int i = 0; i < 2; i++) {
            take(&both[i]);
            uint64_t next = give(&both[i]);
            if (next < wait) wait = next;
        }
        if (asked) {
            asked = 0;
            print_counts(both, nics, before);
        }
        struct pollfd polled[2] = {{.fd = both[0].from, .events = POLLIN}, {.fd = both[1].from, .events = POLLIN}};
        struct timespec limit = {0, (long)wait};
        ppoll(polled, 2, &limit, NULL);
    }
    print_counts(both, nics, before);
}

/* A cable does not wait for the programs that are measured. */
static void hurry(void) {
    struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
        fprintf(stderr, "delay_box: no real-time priority: %s\n", strerror(errno));
    }
}

int main(int argc, char **argv) {
    int option;
    while ((option = getopt(argc, argv, "d:j:q:")) != -1) {
        if (option == 'd') delay_ns = strtoull(optarg, NULL, 10) * 1000u;
        else if (option == 'j') jitter_ns = strtoull(optarg, NULL, 10) * 1000u;
        else if (option == 'q') ring_bytes = (size_t)strtoull(optarg, NULL, 10) << 20;
        else return 2;
    }
    if (argc - optind != 2 || ring_bytes == 0) {
        fprintf(stderr, "usage: delay_box -d delay_us [-j jitter_us] [-q megabytes] NIC NIC\n");
        return 2;
    }
    struct sigaction question = {.sa_handler = on_question};
    stop_on_signals();
    sigaction(SIGUSR1, &question, NULL);
    hurry();
    int a = open_nic(argv[optind]), b = open_nic(argv[optind + 1]);
    struct direction both[2] = {{.from = a, .to = b, .random = 1}, {.from = b, .to = a, .random = 2}};
    /* The NIC that a direction sends by is the other's. */
    char *nics[2] = {argv[optind + 1], argv[optind]};
    for (int i = 0; i < 2; i++) {
        both[i].ring = mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (both[i].ring == MAP_FAILED) fail("ring", "");
    }
    forward(both, nics);
    return 0;
}
