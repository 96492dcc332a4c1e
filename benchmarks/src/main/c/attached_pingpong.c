/* Round trips between two programs attached to their nodes: what MessageEnd does in Java, by libhxb.
 * attached_pingpong ping|pong SOCKET CONTEXT PEER_NODE PEER_CONTEXT SIZE WARM_UP_S SECONDS block|spin|hybrid */
#include "hxbb.h"

#include "hxb.h"

#define LOOK_NS (HXB_SECOND / 50)
#define LOST_NS (2 * SECOND_NS)

static hxb_context *context;
static int peer_node, peer_context;
static size_t size;
static struct histogram later, first;

static void check(int status, const char *what) {
    if (status < 0) {
        fprintf(stderr, "%s: %s %s\n", what, hxb_result_name(status), hxb_last_error());
        exit(1);
    }
}

static void give(uint32_t sequence) {
    void *data;
    int slot = hxb_claim_wait(context, (hxb_address){peer_node, peer_context}, size, &data, HXB_SECOND);
    check(slot, "claim");
    memcpy(data, &sequence, sizeof sequence);
    check(hxb_commit(context, slot, size, 0), "commit");
}

/* The number of the next message; false when none has come in LOOK_NS, or the program has to end. */
static bool take(uint32_t *sequence) {
    hxb_message message;
    int status = hxb_receive_wait(context, &message, LOOK_NS);
    if (status == HXB_STATUS_EVENT) { /* the other program is not there yet, or has ended */
        hxb_event event;
        while (hxb_poll_event(context, &event) == HXB_OK) {
            if (event.status != HXB_NO_SUCH_CONTEXT) check(event.status, "the peer is lost");
        }
        return false;
    }
    if (status == HXB_TIMED_OUT) return false;
    check(status, "receive");
    memcpy(sequence, message.data, sizeof *sequence);
    hxb_release(context, &message);
    return true;
}

static void answer(void) {
    while (!stopped) {
        uint32_t sequence;
        if (take(&sequence)) give(sequence);
    }
}

/* The first round trip, in which contexts find one another, counts nowhere. */
static void ask(uint64_t warm_up_ns, uint64_t end_ns) {
    uint64_t start = now_ns(), lost = 0, cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t sequence = 1; !stopped && now_ns() - start < end_ns; sequence++) {
        uint64_t sent = now_ns();
        uint32_t seen = 0;
        give(sequence);
        while (!stopped && seen != sequence && now_ns() - sent < LOST_NS) take(&seen);
        uint64_t taken = now_ns() - sent;
        if (seen != sequence) {
            lost++;
            continue;
        }
        if (sequence > 1 && sequence <= 1001) histogram_add(&first, taken);
        if (sent - start >= warm_up_ns) histogram_add(&later, taken);
    }
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("{");
    histogram_print(&later);
    printf(",\"first_p50_us\":%.3f,\"first_p99_us\":%.3f", histogram_us(&first, 0.5), histogram_us(&first, 0.99));
    printf(",\"lost\":%" PRIu64 ",\"cpu_ns\":%.0f}\n", lost, (double)cpu / (double)(later.total + 1));
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count != 10) {
        fprintf(stderr, "usage: attached_pingpong ping|pong SOCKET CONTEXT PEER_NODE PEER_CONTEXT SIZE WARM_UP_S"
                        " SECONDS block|spin|hybrid\n");
        return 2;
    }
    peer_node = atoi(arguments[4]);
    peer_context = atoi(arguments[5]);
    size = (size_t)atoi(arguments[6]);
    hxb_device *device;
    check(hxb_attach(arguments[2], &device), "attach");
    hxb_context_options options;
    hxb_default_options(&options);
    if (strcmp(arguments[9], "block") == 0) options.spin_ns = 0;
    if (strcmp(arguments[9], "spin") == 0) options.spin_ns = HXB_FOREVER;
    check(hxb_open_context(device, atoi(arguments[3]), &options, &context), "open");
    puts("{\"ready\":true}");
    fflush(stdout);
    stop_on_signals();
    if (strcmp(arguments[1], "pong") == 0) {
        answer();
    } else {
        uint64_t warm_up_ns = (uint64_t)(atof(arguments[7]) * 1e9);
        ask(warm_up_ns, warm_up_ns + (uint64_t)(atof(arguments[8]) * 1e9));
    }
    check(hxb_detach(device), "detach");
    return 0;
}
