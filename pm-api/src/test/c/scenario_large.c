/* Scenarios of libhxb: large messages. */
#define _GNU_SOURCE
#include "scenario.h"

#include <string.h>

struct assembly {
    uint8_t *target;
    uint64_t in_place;
    int ended, status, sent, sent_status;
    uint64_t length;
};

static void *on_start(void *user, hxb_address from, uint64_t length, uint32_t tag) {
    struct assembly *assembly = user;
    CHECK(from.node == 0 && from.context >= 0);
    assembly->in_place = 0;
    return tag == 1 ? NULL : tag == 2 ? HXB_REJECT : length == 0 ? (void *)assembly : assembly->target;
}

static void on_fragment(void *user, hxb_address from, uint64_t offset, const void *data, uint32_t length) {
    struct assembly *assembly = user;
    (void)from;
    CHECK(offset == assembly->in_place && length > 0);
    memcpy(assembly->target + offset, data, length);
    assembly->in_place += length;
}

static void on_end(void *user, hxb_address from, uint64_t length, uint32_t tag, void *target, int status) {
    struct assembly *assembly = user;
    (void)from;
    CHECK(tag != 2 && (tag == 1) == (target == NULL));
    assembly->ended++;
    assembly->length = length;
    assembly->status = status;
}

static void on_sent(void *user, int64_t transfer, int status) {
    struct assembly *assembly = user;
    CHECK(transfer >= 0);
    assembly->sent++;
    assembly->sent_status = status;
}

static void poll_both(hxb_large *one, hxb_large *other) {
    CHECK(hxb_large_poll(one) >= 0 && hxb_large_poll(other) >= 0);
    hxb_large_wait(one, 100000);
}

/* The sender learns it before it has sent all. */
static void send_what_is_not_wanted(hxb_large *sender, hxb_large *receiver, const struct assembly *sent) {
    hxb_region *long_region;
    EXPECT(HXB_OK, hxb_open_region(device, 32 << 20, &long_region));
    CHECK(hxb_large_send_from(sender, (hxb_address){0, 2}, long_region, 0, 32 << 20, 2) >= 0);
    int before = sent->sent;
    while (sent->sent == before) {
        poll_both(sender, receiver);
    }
    CHECK(sent->sent_status == HXB_TOO_LONG && hxb_large_unfinished(sender) == 0);
}

void large(char **arguments) {
    static const uint64_t LENGTHS[] = {0, 1, 1000, 8000, 8904, 8905, 8920, 100000, 3000001};
    hxb_context *to;
    hxb_region *region;
    hxb_large *sender;
    hxb_large *receiver;
    struct assembly sent = {0};
    struct assembly got = {0};
    open_both(arguments[0], 1);
    EXPECT(HXB_OK, hxb_open_context(device, 2, NULL, &to));
    EXPECT(HXB_OK, hxb_open_region(device, 4 << 20, &region));
    hxb_large_handler handler = {sizeof handler, on_start, on_fragment, on_end, on_sent, &sent};
    EXPECT(HXB_E_ARGUMENT, hxb_open_large(context, NULL, NULL, &sender));
    EXPECT(HXB_OK, hxb_open_large(context, &handler, NULL, &sender));
    EXPECT(HXB_E_STATE, hxb_open_large(context, &handler, NULL, &receiver));
    handler.user = &got;
    EXPECT(HXB_OK, hxb_open_large(to, &handler, NULL, &receiver));
    uint8_t *data = hxb_region_data(region);
    got.target = calloc(1, 4 << 20);
    for (int i = 0; i < 4 << 20; i++) {
        data[i] = (uint8_t)(i * 7 + i / 1000);
    }
    EXPECT(HXB_E_ARGUMENT, hxb_large_send_from(sender, (hxb_address){0, 2}, region, 4 << 20, 1, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_large_is_sent(sender, -1));
    for (size_t i = 0; i < sizeof LENGTHS / sizeof LENGTHS[0]; i++) {
        for (uint32_t way = 0; way < 4; way++) {
            uint64_t length = LENGTHS[i];
            memset(got.target, 0, 4 << 20);
            int before = got.ended;
            int64_t transfer = way < 2 ? hxb_large_send(sender, (hxb_address){0, 2}, data + 13, length, way % 2)
                                       : hxb_large_send_from(sender, (hxb_address){0, 2}, region, 13, length, way % 2);
            CHECK(transfer >= 0);
            while (got.ended == before || !hxb_large_is_sent(sender, transfer)) {
                poll_both(sender, receiver);
            }
            CHECK(got.ended == before + 1 && got.length == length && got.status == HXB_OK);
            CHECK(memcmp(got.target, data + 13, length) == 0);
        }
    }
    /* Rejected, then one more; to nobody. */
    CHECK(hxb_large_send(sender, (hxb_address){0, 2}, data, 100000, 2) >= 0);
    CHECK(hxb_large_send(sender, (hxb_address){0, 2}, data, 100000, 0) >= 0);
    int before = got.ended;
    while (got.ended == before || hxb_large_unfinished(sender) > 0) {
        poll_both(sender, receiver);
    }
    CHECK(memcmp(got.target, data, 100000) == 0 && hxb_large_rejected(receiver) == 0);
    int reports = sent.sent;
    while (hxb_large_poll(sender) > 0) {
    }
    CHECK(sent.sent >= reports && sent.sent == 4 * (int)(sizeof LENGTHS / sizeof LENGTHS[0]) + 2);
    CHECK(sent.sent_status == HXB_OK);
    send_what_is_not_wanted(sender, receiver, &sent);
    /* A fragment of nothing, and a start that is too short, are dropped and counted. */
    hxb_context *rude;
    EXPECT(HXB_OK, hxb_open_context(device, 3, NULL, &rude));
    EXPECT(HXB_OK, hxb_send(rude, (hxb_address){0, 2}, "x", 1, 0x80000001u, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(rude, (hxb_address){0, 2}, "x", 1, 1, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(rude, (hxb_address){0, 2}, "\0\0\0\0\0\0\0\177tag-0000 ", 17, 1, 20 * HXB_SECOND));
    while (hxb_large_rejected(receiver) < 3) {
        poll_both(sender, receiver);
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(rude, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_detach(device));
    free(got.target);
}

/* Receives large messages, each of which it sends back, until the node is gone. */
static hxb_large *echo_large;
static uint8_t *echo_data;

static void *echo_start(void *user, hxb_address from, uint64_t length, uint32_t tag) {
    (void)user;
    (void)from;
    (void)tag;
    echo_data = malloc(length + 1);
    return echo_data;
}

static void echo_end(void *user, hxb_address from, uint64_t length, uint32_t tag, void *target, int status) {
    (void)user;
    EXPECT(HXB_OK, status);
    CHECK(hxb_large_send(echo_large, from, target, length, tag + 1) >= 0);
}

static void echo_sent(void *user, int64_t transfer, int status) {
    (void)user;
    (void)transfer;
    EXPECT(HXB_OK, status);
    free(echo_data);
}

void large_echo(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    hxb_large_handler handler = {sizeof handler, echo_start, NULL, echo_end, echo_sent, NULL};
    EXPECT(HXB_OK, hxb_open_large(context, &handler, NULL, &echo_large));
    puts("ready");
    fflush(stdout);
    int status = HXB_OK;
    while (status >= 0) {
        hxb_large_wait(echo_large, HXB_SECOND);
        status = hxb_large_poll(echo_large);
    }
    puts(hxb_result_name(status));
}
