/*
 * pingpong: round trips of HXB frames over raw sockets, with whatever relays lie between.
 *
 *   pingpong -m client|server|both [-w block|epoll|spin] [-s size] [-S seconds] [-W warm_up_seconds] [-H header_hex]
 *            [-R reply_header_hex] [-A hello_hex] [-a server_hello_hex] [-I hello_ms] [-x]
 *            CLIENT-NIC MAC [SERVER-NIC MAC]
 *
 * MAC is where frames from that NIC go (the first relay, or the other end). Mode server takes one NIC and answers
 * until SIGTERM. Mode both holds the two ends in one thread that looks at both sockets in turn, so that a spinning run
 * needs one core for the ends and leaves the other to the relay. Waiting by epoll makes the calls of a program that waits
 * for several NICs: epoll_wait, recvmmsg and sendmmsg instead of recv and send. -x tells HXB nodes that they are to relay the frames. Frames that got lost are counted after 200 ms.
 */
#include "hxbb.h"

#define LOST_NS 200000000ull

struct end {
    struct nic nic;
    int fd;
    int epoll;
    uint8_t frame[ETHER_BYTES + MAX_FRAME_BYTES];
    int length;
    struct hello hello;
};

static uint8_t received[ETHER_BYTES + MAX_FRAME_BYTES];
static struct histogram histogram;
static bool spins, polls;

/* Only data frames, and only those of others: hello and status frames of an HXB node are not ours to answer. */
static void end_open(struct end *end, const char *nic, const char *mac, const struct template *header, int size) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETHER_BYTES + 1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    uint8_t destination[6];
    end->nic = nic_open(nic);
    parse_mac(mac, destination);
    end->length = frame_build(end->frame, destination, &end->nic, header, size);
    end->frame[ETHER_BYTES + 1] = 1;
    end->fd = packet_socket(&end->nic, 1 << 20, 0);
    attach_filter(end->fd, code, sizeof code / sizeof code[0]);
    packet_bind(end->fd, &end->nic, HXB_ETHERTYPE);
    struct epoll_event readable = {.events = EPOLLIN};
    end->epoll = epoll_create1(0);
    if (end->epoll < 0 || epoll_ctl(end->epoll, EPOLL_CTL_ADD, end->fd, &readable) < 0) fail("epoll", nic);
}

static ssize_t send_frame(struct end *end) {
    if (!polls) return send(end->fd, end->frame, (size_t)end->length, 0);
    struct iovec part = {.iov_base = end->frame, .iov_len = (size_t)end->length};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    return sendmmsg(end->fd, &message, 1, 0);
}

static ssize_t receive_frame(struct end *end) {
    if (!polls) return recv(end->fd, received, sizeof received, spins ? MSG_DONTWAIT : 0);
    struct epoll_event ready;
    if (epoll_wait(end->epoll, &ready, 1, 20) <= 0) return -1;
    struct iovec part = {.iov_base = received, .iov_len = sizeof received};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    return recvmmsg(end->fd, &message, 1, MSG_DONTWAIT, NULL) == 1 ? (ssize_t)message.msg_len : -1;
}

static void end_send(struct end *end, uint32_t sequence) {
    frame_sequence(end->frame, sequence);
    if (send_frame(end) < 0 && errno != EINTR && errno != ENOBUFS) {
        fail("send", end->nic.name);
    }
}

/* Waits until a frame is there, or 20 ms have passed: hellos go on. */
static bool end_receive(struct end *end, uint32_t *sequence) {
    ssize_t n = receive_frame(end);
    if (n < ETHER_BYTES + HXB_HEADER_BYTES) return false;
    *sequence = frame_sequence_of(received);
    return true;
}

static void receive_timeout(struct end *end) {
    struct timeval t = {.tv_usec = 20000};
    setsockopt(end->fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

static void serve(struct end *server) {
    while (!stopped) {
        uint32_t sequence;
        if (end_receive(server, &sequence)) {
            end_send(server, sequence);
        } else if (!spins || server->hello.length) {
            hello_tick(&server->hello, now_ns());
        }
    }
}

/* With a server, both ends are looked at in turn by this thread. */
static void ask(struct end *client, struct end *server, double warm_up, double seconds) {
    uint64_t start = now_ns(), counted = start + (uint64_t)(warm_up * 1e9);
    uint64_t end = counted + (uint64_t)(seconds * 1e9), lost = 0;
    uint32_t sequence = 0;
    uint64_t cpu = 0;
    for (uint64_t now = start; !stopped && now < end; now = now_ns()) {
        if (cpu == 0 && now >= counted) cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        hello_tick(&client->hello, now);
        if (server) hello_tick(&server->hello, now);
        const uint64_t sent = now_ns();
        end_send(client, ++sequence);
        bool is_back = false;
        while (!is_back && !stopped) {
            uint32_t seen;
            if (server && end_receive(server, &seen)) end_send(server, seen);
            is_back = end_receive(client, &seen) && seen == sequence;
            if (!is_back && now_ns() - sent > LOST_NS) break;
        }
        if (!is_back) {
            lost += sent >= counted;
        } else if (sent >= counted) {
            histogram_add(&histogram, now_ns() - sent);
        }
    }
    printf("{");
    histogram_print(&histogram);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf(",\"lost\":%" PRIu64 ",\"cpu_ns\":%.0f}\n", lost, (double)cpu / (double)(histogram.total + 1));
}

int main(int argc, char **argv) {
    const char *mode = "both", *hello_hex = NULL, *server_hello_hex = NULL;
    static struct template header, reply;
    static struct end client, server;
    bool is_relayed = false, is_wait = true;
    int size = 64, hello_ms = 100;
    double seconds = 2, warm_up = 0.3;
    for (int option; (option = getopt(argc, argv, "m:w:s:S:W:H:R:A:a:I:x")) != -1;) {
        switch (option) {
        case 'm': mode = optarg; break;
        case 'w':
            spins = strcmp(optarg, "spin") == 0;
            polls = strcmp(optarg, "epoll") == 0;
            is_wait = spins || polls || strcmp(optarg, "block") == 0;
            break;
        case 's': size = atoi(optarg); break;
        case 'S': seconds = atof(optarg); break;
        case 'W': warm_up = atof(optarg); break;
        case 'H': template_parse(&header, optarg); break;
        case 'R': template_parse(&reply, optarg); break;
        case 'A': hello_hex = optarg; break;
        case 'a': server_hello_hex = optarg; break;
        case 'I': hello_ms = atoi(optarg); break;
        case 'x': is_relayed = true; break;
        default: return 2;
        }
    }
    bool is_both = strcmp(mode, "both") == 0, is_server = strcmp(mode, "server") == 0;
    if (argc - optind != (is_both ? 4 : 2) || size < HXB_HEADER_BYTES || size > MAX_FRAME_BYTES || (is_both && !spins) || !is_wait) {
        fprintf(stderr, "usage: pingpong -m client|server|both [-w block|epoll|spin] [-s size] [-S seconds] [-W warm-up] "
                        "[-H hex] [-R hex] [-A hex] [-a hex] [-I ms] [-x] NIC MAC [SERVER-NIC MAC] (both only spins)\n");
        return 2;
    }
    stop_on_signals();
    char **nics = argv + optind;
    if (is_server || is_both) {
        char **own = is_both ? nics + 2 : nics;
        end_open(&server, own[0], own[1], &reply, size);
        if (is_relayed) frame_relayed(server.frame);
        hello_open(&server.hello, &server.nic, server_hello_hex, hello_ms);
        receive_timeout(&server);
    }
    if (!is_server) {
        end_open(&client, nics[0], nics[1], &header, size);
        if (is_relayed) frame_relayed(client.frame);
        hello_open(&client.hello, &client.nic, hello_hex, hello_ms);
        receive_timeout(&client);
        ask(&client, is_both ? &server : NULL, warm_up, seconds);
    } else {
        printf("{\"ready\":true}\n");
        fflush(stdout);
        serve(&server);
    }
    return 0;
}
