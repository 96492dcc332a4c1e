/* Messages in one direction between two programs attached to their nodes: what MessageEnd does in Java, by libhxb.
 * attached_rate send|sink SOCKET CONTEXT PEER_NODE PEER_CONTEXT SIZE WARM_UP_S SECONDS untouched|whole
 * The last chooses whether all bytes of a message are copied, from memory of its own and into it. */
#include "hxbb.h"

#include "hxb.h"

static hxb_context *context;
static int peer_node, peer_context;
static size_t size;
static char *own; /* what whole messages are copied from or to, or NULL */
static uint32_t sent, seen;
static uint64_t received, disordered;

static void check(int status, const char *what) {
    if (status < 0 && status != HXB_NO_BUFFERS && status != HXB_EMPTY && status != HXB_TIMED_OUT
        && status != HXB_STATUS_EVENT) {
        fprintf(stderr, "%s: %s %s\n", what, hxb_result_name(status), hxb_last_error());
        exit(1);
    }
}

static void idle(int interest) {
    hxb_event event;
    check(hxb_wait(context, interest, 20000000), "wait");
    while (hxb_poll_event(context, &event) == HXB_OK) {
        if (event.status != HXB_NO_SUCH_CONTEXT) {
            fprintf(stderr, "the peer is lost: %s\n", hxb_result_name(event.status));
            exit(1);
        }
    }
}

static bool offer(void) {
    void *data;
    int slot = hxb_claim(context, (hxb_address){peer_node, peer_context}, size, &data);
    if (slot < 0) {
        check(slot, "claim");
        return false;
    }
    sent++;
    if (own) {
        memcpy(data, own, size);
    }
    memcpy(data, &sent, sizeof sent);
    check(hxb_commit(context, slot, size, 0), "commit");
    return true;
}

static int take(void) {
    int count = 0;
    hxb_message message;
    while (count < BATCH && hxb_receive(context, &message) == HXB_OK) {
        uint32_t sequence;
        memcpy(&sequence, message.data, sizeof sequence);
        if (own) {
            memcpy(own, message.data, message.length < size ? message.length : size);
        }
        disordered += (received > 0 && sequence != seen + 1) || message.length != size;
        seen = sequence;
        received++;
        hxb_release(context, &message);
        count++;
    }
    return count;
}

static void report(uint64_t messages, uint64_t wall_ns, uint64_t cpu_ns) {
    double seconds = (double)wall_ns / 1e9;
    printf("{\"messages\":%" PRIu64 ",\"messages_per_s\":%.0f,\"MBps\":%.2f,\"cpu_ns_per_message\":%.1f,"
           "\"allocated_bytes\":0,\"disordered\":%" PRIu64 "}\n",
           messages, (double)messages / seconds, (double)messages * (double)size / seconds / 1e6,
           (double)cpu_ns / (double)(messages > 0 ? messages : 1), disordered);
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count != 10) {
        fprintf(stderr, "usage: attached_rate send|sink SOCKET CONTEXT PEER_NODE PEER_CONTEXT SIZE WARM_UP_S"
                        " SECONDS untouched|whole\n");
        return 2;
    }
    bool is_sender = strcmp(arguments[1], "send") == 0;
    hxb_device *device;
    check(hxb_attach(arguments[2], &device), "attach");
    peer_node = atoi(arguments[4]);
    peer_context = atoi(arguments[5]);
    size = (size_t)atoi(arguments[6]);
    if (strcmp(arguments[9], "whole") == 0) {
        own = calloc(1, size);
        if (!own) {
            perror("calloc");
            return 1;
        }
    }
    hxb_context_options options; /* as HxbEndOptions has them */
    hxb_default_options(&options);
    options.send_buffers = size <= 256 ? 8192 : 1024;
    options.send_buffer_bytes = ((int)size + 63) & -64;
    options.delivery_entries = 1 << 14;
    check(hxb_open_context(device, atoi(arguments[3]), &options, &context), "open");
    uint64_t warm_up_ns = (uint64_t)(atof(arguments[7]) * 1e9);
    uint64_t end_ns = warm_up_ns + (uint64_t)(atof(arguments[8]) * 1e9);
    puts("{\"ready\":true}");
    fflush(stdout);
    stop_on_signals();
    while (!stopped && !is_sender && take() == 0) {
        idle(HXB_WAIT_MESSAGES);
    }
    uint64_t start_ns = now_ns(), at_ns = start_ns, mark_ns = 0, mark_cpu_ns = 0, mark_messages = 0;
    while (!stopped && at_ns - start_ns < end_ns) {
        if (mark_ns == 0 && at_ns - start_ns >= warm_up_ns) {
            mark_ns = at_ns;
            mark_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
            mark_messages = is_sender ? sent : received;
        }
        if (is_sender) {
            bool has_room = true;
            for (int i = 0; i < BATCH && has_room; i++) {
                has_room = offer();
            }
            if (!has_room) {
                idle(HXB_WAIT_MESSAGES | HXB_WAIT_SENDS);
            }
        } else if (take() == 0) {
            idle(HXB_WAIT_MESSAGES);
        }
        at_ns = now_ns();
    }
    report((is_sender ? sent : received) - mark_messages, at_ns - mark_ns,
        clock_ns(CLOCK_PROCESS_CPUTIME_ID) - mark_cpu_ns);
    while (!stopped && !is_sender) {
        if (take() == 0) {
            idle(HXB_WAIT_MESSAGES);
        }
    }
    if (is_sender) {
        hxb_wait_all_sends(context, 2 * HXB_SECOND);
    }
    hxb_detach(device);
    return 0;
}
