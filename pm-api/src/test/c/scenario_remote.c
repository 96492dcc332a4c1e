/* Scenarios of programs that use remote memory. */
#define _GNU_SOURCE
#include "scenario.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#define REGION (1 << 20)
#define TIMEOUT (20 * HXB_SECOND)

static hxb_remote *remote;

static void fill(uint8_t *data, size_t length, uint64_t *random) {
    for (size_t at = 0; at + 8 <= length; at += 8) {
        uint64_t value = next_random(random);
        memcpy(data + at, &value, sizeof value);
    }
}

static hxb_outcome outcome_of(int operation) {
    hxb_outcome outcome;
    CHECK(operation >= 0);
    EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_REMOTE, TIMEOUT));
    EXPECT(HXB_OK, hxb_poll_outcome(remote, &outcome));
    EXPECT(operation, outcome.operation);
    return outcome;
}

/* Puts, gets and changes at random, against a copy of what the other memory must contain. */
static void exchange(const hxb_remote_region *peer, hxb_region *local, uint8_t *expected, uint64_t random) {
    uint8_t *data = hxb_region_data(local);
    for (int i = 0; i < 300; i++) {
        uint64_t length = next_random(&random) % (i % 20 == 0 ? REGION / 2 : 3000);
        uint64_t here = next_random(&random) % (REGION - length);
        uint64_t there = next_random(&random) % (REGION - length);
        uint64_t number;
        switch (next_random(&random) % 4) {
        case 0:
            fill(data + here, length, &random);
            CHECK(hxb_put(remote, local, here, peer, there, length) >= 0);
            EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
            memcpy(expected + there, data + here, length);
            break;
        case 1:
            CHECK(hxb_get(remote, peer, there, local, here, length) >= 0);
            EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
            CHECK(memcmp(expected + there, data + here, length) == 0);
            break;
        case 2:
            there &= ~UINT64_C(7);
            memcpy(&number, expected + there, sizeof number);
            int add = hxb_fetch_add(remote, peer, there, length);
            if (i % 2 == 0) {
                EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT)); /* leaves the value */
                EXPECT(1, hxb_unfinished_operations(remote));
            }
            CHECK(outcome_of(add).value == number);
            number += length;
            memcpy(expected + there, &number, sizeof number);
            break;
        default:
            there &= ~UINT64_C(7);
            memcpy(&number, expected + there, sizeof number);
            uint64_t wanted = i % 2 == 0 ? number : number + 1;
            CHECK(outcome_of(hxb_compare_swap(remote, peer, there, wanted, length)).value == number);
            if (wanted == number) {
                memcpy(expected + there, &length, sizeof length);
            }
        }
    }
    CHECK(hxb_get(remote, peer, 0, local, 0, REGION) >= 0);
    EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
    CHECK(memcmp(expected, data, REGION) == 0);
    /* All at once: the fence is done last but one, and the put after it last. */
    CHECK(hxb_put(remote, local, 0, peer, 0, REGION) >= 0);
    int fence = hxb_fence(remote, peer->at);
    int last = hxb_put_notify(remote, local, 0, peer, 8, 24, 4711);
    CHECK(fence >= 0 && last >= 0);
    EXPECT(3, hxb_unfinished_operations(remote));
    outcome_of(0);
    outcome_of(fence);
    EXPECT(HXB_OK, outcome_of(last).status);
    EXPECT(0, hxb_unfinished_operations(remote));
}

static void open_remote(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    EXPECT(HXB_OK, hxb_open_remote(context, NULL, &remote));
}

/* Works in the memory of zeros that a context of node 1 shares by a key: ARGUMENTs own context, peer's, key, seed. */
void remote_use(char **arguments) {
    open_remote(arguments);
    const hxb_remote_region peer = {{1, number(arguments, 2, 2)}, strtoull(arguments[3], NULL, 16)};
    hxb_region *local;
    uint8_t *expected = calloc(1, REGION);
    EXPECT(HXB_OK, hxb_open_writable_region(device, REGION, &local));
    exchange(&peer, local, expected, 88172645463325252u + (uint64_t)number(arguments, 4, 0));
    free(expected);
    close_both();
}

/* Shares memory of zeros, prints the key, and waits for a notification; prints its tag. */
void remote_serve(char **arguments) {
    open_remote(arguments);
    hxb_region *shared;
    hxb_notification notification;
    uint64_t key;
    EXPECT(HXB_OK, hxb_open_writable_region(device, REGION, &shared));
    EXPECT(HXB_OK, hxb_share_region(shared, HXB_ACCESS_READ | HXB_ACCESS_WRITE | HXB_ACCESS_ATOMIC, &key));
    printf("%" PRIx64 "\n", key);
    fflush(stdout);
    EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_REMOTE | HXB_WAIT_MESSAGES, 60 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_poll_notification(remote, &notification));
    CHECK(notification.key == key && notification.offset == 8 && notification.length == 24);
    EXPECT(HXB_OK, hxb_revoke(device, key));
    EXPECT(HXB_E_REFUSED, hxb_revoke(device, key));
    printf("%" PRIu64 "\n", notification.tag);
    /* The other end may still wait for the reply to its put, which a context that closes may not send. */
    while (getchar() != EOF) {}
    close_both();
}

/* ---- What is refused, here or by the destination, changes nothing ---- */

static hxb_region *local, *writable, *foreign;
static uint64_t key, write_key;

static void refuse_to_open(void) {
    hxb_remote_options sizes;
    hxb_remote *second;
    hxb_default_remote_options(NULL);
    hxb_default_remote_options(&sizes);
    EXPECT(HXB_E_STATE, hxb_wait(context, HXB_WAIT_REMOTE, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_wait(context, 8, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_wait(context, 0, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_open_remote(NULL, NULL, &remote));
    EXPECT(HXB_E_ARGUMENT, hxb_open_remote(context, NULL, NULL));
    sizes.operations = 24;
    EXPECT(HXB_E_ARGUMENT, hxb_open_remote(context, &sizes, &remote));
    sizes = (hxb_remote_options){sizeof sizes, 16, 1 << 17, 8};
    EXPECT(HXB_E_ARGUMENT, hxb_open_remote(context, &sizes, &remote));
    sizes = (hxb_remote_options){sizeof sizes, 16, 16, 7};
    EXPECT(HXB_E_ARGUMENT, hxb_open_remote(context, &sizes, &remote));
    sizes.fragments = 8;
    EXPECT(HXB_OK, hxb_open_remote(context, &sizes, &remote));
    EXPECT(HXB_E_STATE, hxb_open_remote(context, &sizes, &second));
    CHECK(second == NULL);
}

static void refuse_to_share(hxb_device *other) {
    EXPECT(HXB_E_ARGUMENT, hxb_share_region(NULL, HXB_ACCESS_READ, &key));
    EXPECT(HXB_E_ARGUMENT, hxb_share_region(local, HXB_ACCESS_READ, NULL));
    EXPECT(HXB_E_ARGUMENT, hxb_share_region(local, HXB_ACCESS_WRITE, &key));
    EXPECT(HXB_E_ARGUMENT, hxb_share_region(writable, 0, &key));
    EXPECT(HXB_E_ARGUMENT, hxb_share_region(writable, 8, &key));
    EXPECT(HXB_OK, hxb_share_region(local, HXB_ACCESS_READ, &key));
    EXPECT(HXB_OK, hxb_share_region(writable, HXB_ACCESS_WRITE, &write_key));
    EXPECT(HXB_E_REFUSED, hxb_revoke(other, key));
}

static void refuse_arguments(void) {
    const hxb_remote_region readable = {{0, 1}, key}, written = {{0, 1}, write_key};
    const hxb_remote_region nowhere = {{0, 1 << 20}, key}, no_node = {{-1, 1}, key};
    hxb_outcome outcome;
    hxb_notification notification;
    EXPECT(HXB_E_ARGUMENT, hxb_put(NULL, local, 0, &written, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, NULL, 0, &written, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, foreign, 0, &written, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, local, 0, NULL, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, local, 4090, &written, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, local, UINT64_MAX - 3, &written, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, local, 0, &written, 0, (1 << 30) + 1));
    EXPECT(HXB_E_ARGUMENT, hxb_put(remote, local, 0, &nowhere, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_get(remote, &readable, 0, local, 0, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_fetch_add(remote, &no_node, 0, 1));
    EXPECT(HXB_E_ARGUMENT, hxb_compare_swap(remote, NULL, 0, 1, 2));
    EXPECT(HXB_E_ARGUMENT, hxb_fence(remote, (hxb_address){0, -1}));
    EXPECT(HXB_E_ARGUMENT, hxb_finish(remote, -1));
    EXPECT(HXB_E_ARGUMENT, hxb_poll_outcome(remote, NULL));
    EXPECT(HXB_E_ARGUMENT, hxb_poll_notification(remote, NULL));
    EXPECT(0, hxb_unfinished_operations(remote));
    EXPECT(HXB_EMPTY, hxb_poll_outcome(remote, &outcome));
    EXPECT(HXB_EMPTY, hxb_poll_notification(remote, &notification));
    EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_REMOTE, 1000));
    EXPECT(1, hxb_arm(context, HXB_WAIT_REMOTE));
    EXPECT(HXB_OK, hxb_disarm(context));
}

static void be_refused(void) {
    const hxb_remote_region readable = {{0, 1}, key}, written = {{0, 1}, write_key}, unknown = {{0, 1}, key ^ 1};
    EXPECT(HXB_BAD_KEY, outcome_of(hxb_put(remote, local, 0, &unknown, 0, 8)).status);
    EXPECT(HXB_NO_ACCESS, outcome_of(hxb_put(remote, local, 0, &readable, 0, 8)).status);
    EXPECT(HXB_NO_ACCESS, outcome_of(hxb_get(remote, &written, 0, writable, 0, 8)).status);
    EXPECT(HXB_NO_ACCESS, outcome_of(hxb_fetch_add(remote, &written, 0, 1)).status);
    EXPECT(HXB_BAD_RANGE, outcome_of(hxb_put(remote, local, 0, &written, 4090, 8)).status);
    EXPECT(HXB_BAD_RANGE, outcome_of(hxb_put(remote, local, 0, &written, UINT64_MAX - 3, 8)).status);
    for (size_t i = 0; i < 4096; i++) {
        CHECK(((const uint8_t *)hxb_region_data(writable))[i] == 0);
    }
}

static void fill_rings(void) {
    const hxb_remote_region written = {{0, 1}, write_key};
    hxb_notification notification;
    /* More than may be under way are refused until outcomes are taken; notifications do not keep a wait for
     * outcomes awake. */
    for (int i = 0; i < 13; i++) {
        CHECK(hxb_put_notify(remote, local, 0, &written, 0, 8, 1) >= 0);
    }
    EXPECT(HXB_NO_BUFFERS, hxb_put(remote, local, 0, &written, 0, 8)); /* the last three are for other destinations */
    EXPECT(13, hxb_unfinished_operations(remote));
    EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
    for (int i = 13; i < 16; i++) {
        CHECK(hxb_put_notify(remote, local, 0, &written, 0, 8, 1) >= 0);
    }
    EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
    EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_REMOTE, 0));
    /* The ring of notifications is full: one more waits until one is taken. */
    CHECK(hxb_put_notify(remote, local, 0, &written, 0, 8, 2) >= 0);
    EXPECT(HXB_TIMED_OUT, hxb_finish(remote, HXB_SECOND / 20));
    for (int i = 0; i < 17; i++) {
        EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_REMOTE, TIMEOUT));
        while (hxb_poll_notification(remote, &notification) == HXB_EMPTY) {
            EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
            EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_REMOTE, TIMEOUT));
        }
        EXPECT(i < 16 ? 1 : 2, notification.tag);
    }
    EXPECT(HXB_OK, hxb_finish(remote, TIMEOUT));
}

void remote_misuse(char **arguments) {
    hxb_device *other;
    open_both(arguments[0], 1);
    refuse_to_open();
    EXPECT(HXB_OK, hxb_attach(arguments[0], &other));
    EXPECT(HXB_OK, hxb_open_region(device, 4096, &local));
    EXPECT(HXB_OK, hxb_open_writable_region(device, 4096, &writable));
    EXPECT(HXB_OK, hxb_open_writable_region(other, 4096, &foreign));
    refuse_to_share(other);
    refuse_arguments();
    be_refused();
    fill_rings();
    const hxb_remote_region readable = {{0, 1}, key}, written = {{0, 1}, write_key};
    EXPECT(HXB_OK, hxb_revoke(device, write_key));
    EXPECT(HXB_BAD_KEY, outcome_of(hxb_put(remote, local, 0, &written, 0, 8)).status);
    EXPECT(HXB_OK, hxb_close_region(local));
    /* The node takes note of a region that was closed in its own time; until then, its bytes are there to be read. */
    int status = HXB_OK;
    for (int i = 0; i < 10000 && status == HXB_OK; i++) {
        status = outcome_of(hxb_get(remote, &readable, 0, writable, 0, 8)).status;
    }
    EXPECT(HXB_BAD_KEY, status);
    EXPECT(HXB_OK, hxb_detach(other));
    close_both();
}

static void *use_from_elsewhere(void *argument) {
    hxb_outcome outcome;
    EXPECT(HXB_E_THREAD, hxb_poll_outcome(argument, &outcome));
    EXPECT(HXB_E_THREAD, hxb_fence(argument, (hxb_address){0, 1}));
    return NULL;
}

/* Puts into memory that a context of node 1 shares, until one fails; prints the status. */
void remote_outlive(char **arguments) {
    open_remote(arguments);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_from_elsewhere, remote) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    const hxb_remote_region peer = {{1, number(arguments, 2, 2)}, strtoull(arguments[3], NULL, 16)};
    hxb_region *region;
    EXPECT(HXB_OK, hxb_open_region(device, REGION, &region));
    int status = HXB_OK;
    for (int i = 0; status == HXB_OK; i++) {
        CHECK(hxb_put(remote, region, 0, &peer, 0, REGION) >= 0);
        CHECK(hxb_put(remote, region, 0, &peer, 0, REGION) >= 0);
        status = hxb_finish(remote, TIMEOUT);
        if (i == 0) {
            puts("ready");
            fflush(stdout);
        }
    }
    puts(hxb_result_name(status));
    close_both();
}
