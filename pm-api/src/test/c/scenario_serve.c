/* Scenarios of libhxb: applications that serve a test. */
#define _GNU_SOURCE
#include "scenario.h"

#include <string.h>

static void send_back(const hxb_message *message) {
    void *data;
    int slot = hxb_claim_wait(context, message->from, message->length, &data, 5 * HXB_SECOND);
    CHECK(slot >= 0);
    memcpy(data, message->data, message->length);
    EXPECT(HXB_OK, hxb_commit(context, slot, message->length, message->tag));
}

/* Echoes, or holds, what comes to context ARGUMENT until the node is gone; prints why it ended. */
static void serve(char **arguments, bool is_holding) {
    open_both(arguments[0], number(arguments, 1, 1));
    puts("ready");
    fflush(stdout);
    int status = HXB_OK;
    while (status == HXB_OK || status == HXB_TIMED_OUT || status == HXB_STATUS_EVENT) {
        hxb_message message;
        hxb_event event;
        status = hxb_receive_wait(context, &message, HXB_SECOND);
        if (status == HXB_OK && !is_holding) {
            send_back(&message);
            EXPECT(HXB_OK, hxb_release(context, &message));
        }
        while (status == HXB_STATUS_EVENT && hxb_poll_event(context, &event) == HXB_OK) {
            fprintf(stderr, "event %s\n", hxb_result_name(event.status));
        }
    }
    puts(hxb_result_name(status));
}

void echo(char **arguments) {
    serve(arguments, false);
}

void hold(char **arguments) {
    serve(arguments, true);
}

/* Round trips with context ARGUMENT, of any length; sends by copy and in place in turns. */
void ping(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    int peer = number(arguments, 2, 2);
    int count = number(arguments, 3, 1000);
    uint64_t random = 88172645463325252u;
    static uint8_t sent[1 << 20];
    for (int i = 0; i < count; i++) {
        size_t length = next_random(&random) % (i % 16 == 0 ? (uint64_t)hxb_max_length(context) : 300);
        for (size_t j = 0; j < length; j++) {
            sent[j] = (uint8_t)next_random(&random);
        }
        void *data;
        if (i % 2 == 0) {
            EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, peer}, sent, length, (uint32_t)i, 20 * HXB_SECOND));
        } else {
            int slot = hxb_claim(context, (hxb_address){0, peer}, length, &data);
            CHECK(slot >= 0);
            memcpy(data, sent, length);
            EXPECT(HXB_OK, hxb_commit(context, slot, length, (uint32_t)i));
        }
        hxb_message message;
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
        CHECK(message.tag == (uint32_t)i && message.length == length && message.from.context == peer);
        CHECK(memcmp(message.data, sent, length) == 0 && ((uintptr_t)message.data & 7) == 0);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    close_both();
}
