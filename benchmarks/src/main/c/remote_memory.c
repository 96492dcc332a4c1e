/*
 * remote_memory: operations on the memory of another program, or large messages to it, through attached nodes.
 *
 *   remote_memory -m server -a SOCKET
 *   remote_memory -m client -a SOCKET -n NODE -k KEY -o put|get|add|message [-s size] [-d depth] [-W warm_up] [-S seconds]
 *
 * The server shares memory, prints the key, and receives large messages, until SIGTERM. The client keeps `depth`
 * operations under way and waits by sleeping, as by default.
 */
#include "hxbb.h"
#include "hxb.h"

#define CLIENT 1
#define SERVER 2
#define MESSAGES 3 /* the server's context for large messages */
#define REGION_BYTES (64u << 20)
#define MAX_DEPTH 64

static hxb_device *device;
static hxb_context *context;
static hxb_region *region;
static struct histogram histogram;
static uint64_t begun[4096];
static uint64_t done_bytes, size = 8;
static bool is_counting;

static int checked(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %s: %s\n", what, hxb_result_name(result), hxb_last_error());
        exit(1);
    }
    return result;
}

static void open_all(const char *socket, int id) {
    checked(hxb_attach(socket, &device), "attach");
    checked(hxb_open_context(device, id, NULL, &context), "context");
    checked(hxb_open_writable_region(device, REGION_BYTES, &region), "region");
}

/* ---- Server ---- */

static void *on_start(void *user, hxb_address from, uint64_t length, uint32_t tag) {
    (void)user, (void)from, (void)tag;
    return length <= REGION_BYTES ? hxb_region_data(region) : HXB_REJECT;
}

static void on_end(void *user, hxb_address from, uint64_t length, uint32_t tag, void *target, int status) {
    (void)user, (void)from, (void)length, (void)tag, (void)target;
    checked(status, "a message received");
}

static void serve(const char *socket) {
    hxb_remote *remote;
    hxb_context *messages;
    hxb_large *large;
    uint64_t key;
    open_all(socket, SERVER);
    checked(hxb_open_remote(context, NULL, &remote), "remote memory");
    checked(hxb_share_region(region, HXB_ACCESS_READ | HXB_ACCESS_WRITE | HXB_ACCESS_ATOMIC, &key), "share");
    checked(hxb_open_context(device, MESSAGES, NULL, &messages), "context");
    const hxb_large_handler handler = {sizeof handler, on_start, NULL, on_end, NULL, NULL};
    checked(hxb_open_large(messages, &handler, NULL, &large), "large messages");
    printf("{\"ready\":true,\"key\":\"%" PRIx64 "\"}\n", key);
    fflush(stdout);
    while (!stopped) {
        if (checked(hxb_large_poll(large), "poll") == 0) hxb_large_wait(large, HXB_SECOND / 10);
    }
}

/* ---- Client ---- */

static void note(int operation, int status) {
    checked(status, "an operation");
    if (is_counting) {
        histogram_add(&histogram, now_ns() - begun[operation]);
        done_bytes += size;
    }
}

static void on_sent(void *user, int64_t transfer, int status) {
    (void)user;
    note((int)(transfer % 4096), status);
}

static int begin(hxb_remote *remote, const char *kind, const hxb_remote_region *peer, uint64_t at) {
    switch (kind[0]) {
    case 'p': return hxb_put(remote, region, at, peer, at, size);
    case 'g': return hxb_get(remote, peer, at, region, at, size);
    default: return hxb_fetch_add(remote, peer, 0, 1);
    }
}

static void operate(const char *kind, const hxb_remote_region *peer, int depth, uint64_t begin_ns, uint64_t end_ns) {
    hxb_remote *remote;
    checked(hxb_open_remote(context, NULL, &remote), "remote memory");
    int turn = 0;
    for (uint64_t now = now_ns(); now < end_ns && !stopped; now = now_ns()) {
        is_counting = now >= begin_ns;
        while (hxb_unfinished_operations(remote) < depth) {
            uint64_t began = now_ns();
            int operation = checked(begin(remote, kind, peer, (uint64_t)(turn++ % depth) * size), "begin");
            begun[operation] = began;
        }
        hxb_outcome outcome;
        int status = hxb_wait(context, HXB_WAIT_REMOTE, HXB_SECOND);
        if (status != HXB_TIMED_OUT) checked(status, "wait");
        while (hxb_poll_outcome(remote, &outcome) == HXB_OK) note(outcome.operation, outcome.status);
    }
    checked(hxb_finish(remote, 10 * HXB_SECOND), "finish");
}

static void send_messages(int node, int depth, uint64_t begin_ns, uint64_t end_ns) {
    const hxb_large_handler handler = {sizeof handler, on_start, NULL, on_end, on_sent, NULL};
    hxb_large *large;
    checked(hxb_open_large(context, &handler, NULL, &large), "large messages");
    int turn = 0;
    for (uint64_t now = now_ns(); (now < end_ns && !stopped) || hxb_large_unfinished(large) > 0; now = now_ns()) {
        is_counting = now >= begin_ns && now < end_ns;
        while (now < end_ns && hxb_large_unfinished(large) < depth) {
            uint64_t began = now_ns();
            int64_t transfer = hxb_large_send_from(large, (hxb_address){node, MESSAGES}, region, (uint64_t)(turn++ % depth) * size, size, 0);
            if (transfer < 0) break;
            begun[transfer % 4096] = began;
        }
        if (checked(hxb_large_poll(large), "poll") == 0) hxb_large_wait(large, HXB_SECOND / 10);
    }
}

static void print_figures(double seconds) {
    printf("{\"p50_us\":%.3f,\"p99_us\":%.3f,\"p999_us\":%.3f", histogram_us(&histogram, 0.5),
           histogram_us(&histogram, 0.99), histogram_us(&histogram, 0.999));
    printf(",\"MBps\":%.3f,\"rate\":%.0f}\n", (double)done_bytes / seconds / 1e6, (double)histogram.total / seconds);
}

int main(int count, char **arguments) {
    const char *mode = "", *socket = NULL, *kind = "put";
    hxb_remote_region peer = {{0, SERVER}, 0};
    int depth = 1, option;
    double warm_up = 1, seconds = 2;
    while ((option = getopt(count, arguments, "m:a:n:k:o:s:d:W:S:")) >= 0) {
        switch (option) {
        case 'm': mode = optarg; break;
        case 'a': socket = optarg; break;
        case 'n': peer.at.node = atoi(optarg); break;
        case 'k': peer.key = strtoull(optarg, NULL, 16); break;
        case 'o': kind = optarg; break;
        case 's': size = strtoull(optarg, NULL, 10); break;
        case 'd': depth = atoi(optarg); break;
        case 'W': warm_up = atof(optarg); break;
        case 'S': seconds = atof(optarg); break;
        default: return 2;
        }
    }
    bool is_valid = depth >= 1 && depth <= MAX_DEPTH && size >= 1 && size * (uint64_t)depth <= REGION_BYTES;
    if ((strcmp(mode, "server") != 0 && strcmp(mode, "client") != 0) || !is_valid) {
        fprintf(stderr, "usage: remote_memory -m server|client -a SOCKET [-n NODE -k KEY -o put|get|add|message -s SIZE "
                        "-d 1..64 -W WARM_UP -S SECONDS]\n");
        return 2;
    }
    stop_on_signals();
    if (strcmp(mode, "server") == 0) {
        serve(socket);
    } else {
        open_all(socket, CLIENT);
        uint64_t begin_ns = now_ns() + (uint64_t)(warm_up * 1e9);
        uint64_t end_ns = begin_ns + (uint64_t)(seconds * 1e9);
        if (kind[0] == 'm') {
            send_messages(peer.at.node, depth, begin_ns, end_ns);
        } else {
            operate(kind, &peer, depth, begin_ns, end_ns);
        }
        print_figures(seconds);
    }
    hxb_detach(device);
    return 0;
}
