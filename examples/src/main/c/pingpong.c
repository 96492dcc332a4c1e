/* Ping-pong between two nodes: `pingpong NODE [COUNT]` sends to context 1 of a node and prints the round trip,
 * `pingpong` alone answers all that send to context 1 of this node. Start the answering one first or last.
 *   cc pingpong.c $(pkg-config --cflags --libs hxb) */
#define _POSIX_C_SOURCE 200809L
#include <hxb.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CONTEXT 1
#define PINGER 2

static void check(int result, const char *what) {
    if (result < 0) {
        const char *details = result <= HXB_E_ARGUMENT ? hxb_last_error() : hxb_strerror(result);
        fprintf(stderr, "%s: %s: %s\n", what, hxb_result_name(result), details);
        exit(1);
    }
}

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void ping(hxb_context *context, int node, int count) {
    double start = 0;
    for (int i = 0; i <= count; i++) {
        hxb_message message;
        check(hxb_send(context, (hxb_address){node, CONTEXT}, &i, sizeof i, 0, HXB_SECOND), "sending");
        check(hxb_receive_wait(context, &message, 20 * HXB_SECOND), "waiting for the answer");
        check(hxb_release(context, &message), "releasing");
        if (i == 0) {
            start = now_us(); /* the first one waits for the peer to be started */
        }
    }
    printf("%d round trips, %.1f us each\n", count, (now_us() - start) / count);
}

/* Prints events of peers: one that has ended, for example. */
static void report_events(hxb_context *context) {
    hxb_event event;
    while (hxb_poll_event(context, &event) == HXB_OK) {
        fprintf(stderr, "context %d of node %d: %s\n", event.peer.context, event.peer.node, hxb_strerror(event.status));
    }
}

/* Answers in place: what has come is written where the answer is sent from. */
static void pong(hxb_context *context) {
    puts("answering");
    fflush(stdout);
    for (;;) {
        hxb_message message;
        void *answer;
        int status = hxb_receive_wait(context, &message, HXB_FOREVER);
        if (status == HXB_STATUS_EVENT) {
            report_events(context);
            continue;
        }
        check(status, "waiting");
        int slot = hxb_claim_wait(context, message.from, message.length, &answer, HXB_SECOND);
        check(slot, "claiming a buffer");
        for (uint32_t i = 0; i < message.length; i++) {
            ((char *)answer)[i] = ((const char *)message.data)[i];
        }
        check(hxb_commit(context, slot, message.length, message.tag), "answering");
        check(hxb_release(context, &message), "releasing");
    }
}

int main(int count, char **arguments) {
    hxb_device *device;
    hxb_context *context;
    check(hxb_attach(NULL, &device), "attaching");
    check(hxb_open_context(device, count > 1 ? PINGER : CONTEXT, NULL, &context), "opening a context");
    if (count > 1) {
        ping(context, atoi(arguments[1]), count > 2 ? atoi(arguments[2]) : 10000);
    } else {
        pong(context);
    }
    hxb_detach(device);
    return 0;
}
