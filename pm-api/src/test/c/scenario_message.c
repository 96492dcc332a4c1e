/* Scenarios of libhxb: facts, misuse, the order of messages, and destinations that have all that they may have. */
#define _GNU_SOURCE
#include "scenario.h"

#include <fcntl.h>
#include <string.h>

void facts(char **arguments) {
    EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
    EXPECT(0, hxb_node_id(device));
    EXPECT(2, hxb_node_count(device));
    EXPECT(64, hxb_context_count(device));
    CHECK(hxb_mtu(device) > 1000 && strcmp(hxb_shape(device), "2") == 0);
    int coordinates[8] = {9, 9};
    EXPECT(1, hxb_coordinates(device, 1, coordinates, 8));
    CHECK(coordinates[0] == 1 && coordinates[1] == 9);
    EXPECT(1, hxb_node_at(device, coordinates, 1));
    coordinates[0] = 2;
    EXPECT(HXB_E_ARGUMENT, hxb_node_at(device, coordinates, 1));
    EXPECT(HXB_E_ARGUMENT, hxb_node_at(device, coordinates, 2));
    EXPECT(HXB_E_ARGUMENT, hxb_coordinates(device, 2, coordinates, 8));
    EXPECT(1, hxb_is_node_alive(device));
    CHECK((fcntl(hxb_device_fd(device), F_GETFD) & FD_CLOEXEC) != 0);
    EXPECT(HXB_OK, hxb_open_context(device, 3, NULL, &context));
    CHECK((fcntl(hxb_context_fd(context), F_GETFD) & FD_CLOEXEC) != 0);
    EXPECT(3, hxb_context_id(context));
    EXPECT(256, hxb_send_buffer_count(context));
    EXPECT(hxb_mtu(device), hxb_max_length(context));
    close_both();
    EXPECT(HXB_OK, hxb_detach(NULL));
}

/* A message that was released is not taken for another that lies in its buffer later. */
static void expect_no_other_released(void) {
    hxb_message first = {.handle = -1};
    for (int i = 0; i < 100; i++) {
        hxb_message message;
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, &i, sizeof i, 0, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
        hxb_message again = first;
        EXPECT(HXB_E_STATE, hxb_release(context, &again));
        CHECK(hxb_messages_held(context) == 1 && memcmp(message.data, &i, sizeof i) == 0);
        first = message;
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
}

/* Mistakes of programs, which can continue afterwards. */
void misuse(char **arguments) {
    void *data;
    hxb_message message = {.handle = 5};
    hxb_context *other;
    EXPECT(HXB_E_ARGUMENT, hxb_attach(arguments[0], NULL));
    EXPECT(HXB_E_NO_NODE, hxb_attach("/nonexistent/node.sock", &device));
    CHECK(device == NULL && strstr(hxb_last_error(), "no node listens on /nonexistent") != NULL);
    EXPECT(HXB_E_ARGUMENT, hxb_node_id(NULL));
    EXPECT(HXB_E_ARGUMENT, hxb_receive(NULL, &message));
    open_both(arguments[0], 1);
    EXPECT(HXB_E_REFUSED, hxb_open_context(device, 1, NULL, &other));
    CHECK(other == NULL);
    EXPECT(HXB_E_ARGUMENT, hxb_open_context(device, hxb_context_count(device), NULL, &other));
    hxb_context_options options;
    hxb_default_options(&options);
    options.delivery_entries = 100;
    EXPECT(HXB_E_ARGUMENT, hxb_open_context(device, 2, &options, &other));
    EXPECT(HXB_E_ARGUMENT, hxb_claim(context, (hxb_address){2, 1}, 1, &data));
    EXPECT(HXB_E_ARGUMENT, hxb_claim(context, (hxb_address){0, hxb_context_count(device)}, 1, &data));
    EXPECT(HXB_E_ARGUMENT, hxb_claim(context, (hxb_address){0, 1}, (size_t)hxb_max_length(context) + 1, &data));
    EXPECT(HXB_E_ARGUMENT, hxb_claim(context, (hxb_address){0, 1}, SIZE_MAX, &data));
    EXPECT(HXB_E_ARGUMENT, hxb_send(context, (hxb_address){0, 1}, NULL, 1, 0, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_send(context, (hxb_address){0, 1}, "", 0, 0, -1));
    EXPECT(HXB_E_STATE, hxb_commit(context, 0, 0, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_commit(context, 256, 0, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_abort(context, -1));
    int slot = hxb_claim(context, (hxb_address){0, 1}, 8, &data);
    EXPECT(HXB_E_ARGUMENT, hxb_commit(context, slot, 9, 0));
    EXPECT(HXB_OK, hxb_abort(context, slot));
    EXPECT(HXB_E_STATE, hxb_abort(context, slot));
    EXPECT(HXB_E_STATE, hxb_release(context, &message));
    EXPECT(HXB_E_ARGUMENT, hxb_wait(context, 0, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_wait(context, HXB_WAIT_MESSAGES, -1));
    EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_MESSAGES, 0));
    EXPECT(HXB_EMPTY, hxb_receive(context, &message));
    hxb_region *region;
    EXPECT(HXB_E_ARGUMENT, hxb_open_region(device, 0, &region));
    EXPECT(HXB_OK, hxb_open_region(device, 5000, &region));
    slot = hxb_claim(context, (hxb_address){0, 1}, 0, &data);
    EXPECT(HXB_E_ARGUMENT, hxb_commit_from(context, slot, region, 4990, 11, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_commit_from(context, slot, region, UINT64_MAX, 2, 0));
    memcpy((char *)hxb_region_data(region) + 4990, "last bytes", 10);
    EXPECT(HXB_OK, hxb_commit_from(context, slot, region, 4990, 10, 7));
    EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
    CHECK(message.length == 10 && message.tag == 7 && memcmp(message.data, "last bytes", 10) == 0);
    EXPECT(1, hxb_messages_held(context));
    EXPECT(HXB_OK, hxb_release(context, &message));
    EXPECT(HXB_E_STATE, hxb_release(context, &message));
    expect_no_other_released();
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_close_region(region));
    EXPECT(0, strcmp("HXB_FLOW_LIMIT", hxb_result_name(HXB_FLOW_LIMIT)));
    EXPECT(0, strcmp("HXB_UNKNOWN", hxb_result_name(-99)));
    CHECK(strlen(hxb_strerror(-99)) > 0 && strlen(hxb_version()) > 0);
    close_both();
}

/* All messages arrive in order: runs of short ones, long ones, from regions, many in flight. */
void order(char **arguments) {
    hxb_context *to;
    hxb_region *region;
    uint64_t random = (uint64_t)number(arguments, 1, 4711) * 2654435761u + 1;
    const uint32_t count = arguments[1] == NULL ? 20000 : (uint32_t)number(arguments, 2, 20000);
    hxb_context_options options;
    hxb_default_options(&options);
    options.send_buffers = 1 + (int)(next_random(&random) % 100);
    options.spin_ns = (int64_t)(next_random(&random) % 3) * 5000;
    EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
    EXPECT(HXB_OK, hxb_open_context(device, 1, &options, &context));
    EXPECT(HXB_OK, hxb_open_context(device, 2, NULL, &to));
    EXPECT(HXB_OK, hxb_open_region(device, 1 << 16, &region));
    uint8_t *bytes = hxb_region_data(region);
    for (int i = 0; i < 1 << 16; i++) {
        bytes[i] = (uint8_t)(i * 31);
    }
    uint64_t longest = hxb_mtu(device) > 64000 ? 64000 : 8000;
    uint32_t sent = 0;
    uint32_t received = 0;
    while (received < count) {
        uint64_t burst = next_random(&random) % 64;
        for (uint64_t i = 0; i < burst && sent < count; i++) {
            uint64_t limit = next_random(&random) % 20 == 0 ? longest : 300;
            size_t length = next_random(&random) % limit;
            uint64_t offset = next_random(&random) % 1000;
            void *data;
            void *unused;
            int spare = next_random(&random) % 8 == 0 ? hxb_claim(context, (hxb_address){0, 2}, 100, &unused) : -1;
            int slot = hxb_claim(context, (hxb_address){0, 2}, length, &data);
            if (slot >= 0 && next_random(&random) % 10 == 0) {
                EXPECT(HXB_OK, hxb_commit_from(context, slot, region, offset, length, sent++));
            } else if (slot >= 0) {
                memcpy(data, bytes + offset, length);
                EXPECT(HXB_OK, hxb_commit(context, slot, length, sent++));
            } else {
                EXPECT(HXB_NO_BUFFERS, slot);
            }
            if (spare >= 0) {
                EXPECT(HXB_OK, hxb_abort(context, spare));
            }
        }
        hxb_message messages[16];
        int held = 0;
        while (held < 16 && hxb_receive_wait(to, &messages[held], 100000) == HXB_OK) {
            const uint8_t *data = messages[held].data;
            CHECK(messages[held].tag == received++);
            for (uint32_t i = 1; i < messages[held].length; i++) {
                CHECK(data[i] == (uint8_t)(data[i - 1] + 31));
            }
            held++;
        }
        while (held > 0) {
            EXPECT(HXB_OK, hxb_release(to, &messages[--held]));
        }
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    EXPECT(0, hxb_unfinished_sends(context));
    EXPECT(HXB_OK, hxb_detach(device));
}

/* One destination has all that it may have: what becomes of messages to it, and to others. */
void slow(char **arguments) {
    enum { SHARE = 200 };
    enum { SIZE = sizeof(hxb_destination_options) };
    static const hxb_destination_options FAILING = {SIZE, 0, 0, false}, DROPPING = {SIZE, 0, 0, true};
    static const hxb_destination_options DROPPING_LATER = {SIZE, 0, 1000000, true};
    static const hxb_destination_options FEW = {SIZE, 3, HXB_FOREVER, false};
    int slots[SHARE];
    void *data;
    hxb_context *to;
    hxb_message message;
    hxb_unfinished left;
    open_both(arguments[0], 1);
    EXPECT(HXB_OK, hxb_open_context(device, 3, NULL, &to));
    EXPECT(HXB_E_ARGUMENT, hxb_set_destination(context, (hxb_address){2, 5}, NULL));
    const hxb_destination_options few_messages = {SIZE, -1, 0, false}, short_wait = {SIZE, 0, -1, false};
    EXPECT(HXB_E_ARGUMENT, hxb_set_destination(context, (hxb_address){1, 5}, &few_messages));
    EXPECT(HXB_E_ARGUMENT, hxb_set_destination(context, (hxb_address){1, 5}, &short_wait));
    EXPECT(HXB_E_ARGUMENT, hxb_unfinished_to(context, (hxb_address){1, 5}, NULL));
    for (int i = 0; i < SHARE; i++) {
        slots[i] = hxb_claim(context, (hxb_address){1, 5}, 8, &data);
        CHECK(slots[i] >= 0);
    }
    EXPECT(HXB_NO_BUFFERS, hxb_claim(context, (hxb_address){1, 5}, 8, &data));
    EXPECT(HXB_TIMED_OUT, hxb_claim_wait(context, (hxb_address){1, 5}, 8, &data, 1000000));
    EXPECT(HXB_OK, hxb_set_destination(context, (hxb_address){1, 5}, &FAILING));
    EXPECT(HXB_NO_BUFFERS, hxb_send(context, (hxb_address){1, 5}, "", 0, 0, HXB_FOREVER));
    EXPECT(HXB_OK, hxb_set_destination(context, (hxb_address){1, 5}, &DROPPING));
    EXPECT(HXB_DROPPED, hxb_send(context, (hxb_address){1, 5}, "", 0, 0, HXB_FOREVER));
    EXPECT(HXB_DROPPED, hxb_claim(context, (hxb_address){1, 5}, 8, &data));
    EXPECT(HXB_OK, hxb_set_destination(context, (hxb_address){1, 5}, &DROPPING_LATER));
    EXPECT(HXB_DROPPED, hxb_claim_wait(context, (hxb_address){1, 5}, 8, &data, HXB_FOREVER));
    EXPECT(HXB_OK, hxb_unfinished_to(context, (hxb_address){1, 5}, &left));
    CHECK(left.messages == SHARE && left.bytes == 0 && left.dropped == 3 && left.is_full);
    for (uint32_t i = 0; i < 1000; i++) {
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 3}, &i, sizeof i, i, 0));
        EXPECT(HXB_OK, hxb_receive_wait(to, &message, 20 * HXB_SECOND));
        CHECK(message.tag == i);
        EXPECT(HXB_OK, hxb_release(to, &message));
    }
    for (int i = 0; i < SHARE; i++) {
        EXPECT(HXB_OK, hxb_abort(context, slots[i]));
    }
    EXPECT(HXB_OK, hxb_unfinished_to(context, (hxb_address){1, 5}, &left));
    CHECK(left.messages == 0 && !left.is_full);
    /* More destinations than the table has at first; the options of one stay. */
    EXPECT(HXB_OK, hxb_set_destination(context, (hxb_address){1, 5}, &FEW));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 128; i++) {
            slots[i] = hxb_claim(context, (hxb_address){i / 64, i % 64}, 8, &data);
            CHECK(slots[i] >= 0);
        }
        EXPECT(HXB_OK, hxb_unfinished_to(context, (hxb_address){1, 63}, &left));
        CHECK(left.messages == 1);
        for (int i = 0; i < 128; i++) {
            EXPECT(HXB_OK, hxb_abort(context, slots[i]));
        }
    }
    for (int i = 0; i < 3; i++) {
        CHECK(hxb_claim(context, (hxb_address){1, 5}, 8, &data) >= 0);
    }
    EXPECT(HXB_NO_BUFFERS, hxb_claim(context, (hxb_address){1, 5}, 8, &data));
    EXPECT(HXB_OK, hxb_set_destination(context, (hxb_address){1, 5}, NULL));
    CHECK(hxb_claim(context, (hxb_address){1, 5}, 8, &data) >= 0);
    close_both();
}
