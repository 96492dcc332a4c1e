/* Scenarios of libhxb: nodes that are gone, stand still, or are none. */
#define _GNU_SOURCE
#include "scenario.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Uses a context whose node and whose peers write anything into its rings; returns how many messages that were. */
static int use_spoilt_rings(void) {
    int received = 0;
    hxb_message message;
    hxb_event event;
    uint64_t sum = 0;
    for (int i = 0; i < 40; i++) {
        if (i >= 2 && i <= 4) {
            /* Time for answers to requests. */
            struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
        }
        if (hxb_receive(context, &message) == HXB_OK) {
            CHECK(message.length <= (uint32_t)hxb_max_length(context));
            received++;
            for (uint32_t at = 0; at < message.length; at++) {
                sum += ((const uint8_t *)message.data)[at];
            }
            hxb_release(context, &message);
        }
        hxb_poll_event(context, &event);
        hxb_unfinished_sends(context);
    }
    CHECK(sum != UINT64_MAX);
    hxb_wait(context, HXB_WAIT_MESSAGES, 1000);
    hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 1000);
    hxb_remote *remote;
    hxb_region *region;
    hxb_remote_options few = {sizeof few, 16, 16, 8};
    if (hxb_open_remote(context, &few, &remote) == HXB_OK
        && hxb_open_writable_region(device, 5000, &region) == HXB_OK) {
        hxb_remote_region peer = {{0, 1}, 4711};
        hxb_outcome outcome;
        hxb_notification notification;
        for (int i = 0; i < 20; i++) {
            hxb_put(remote, region, 0, &peer, 0, 100);
            hxb_fetch_add(remote, &peer, 0, 1);
            hxb_poll_outcome(remote, &outcome);
            hxb_poll_notification(remote, &notification);
        }
        hxb_finish(remote, 1000);
    }
    return received;
}

/* Attaches by all means that a server may refuse or spoil: any error is fine that has a text, and no crash. */
void hostile(char **arguments) {
    int count = number(arguments, 1, 1);
    for (int i = 0; i < count; i++) {
        int received = 0;
        int result = hxb_attach(arguments[0], &device);
        if (result == HXB_OK) {
            hxb_region *region;
            result = hxb_open_context(device, 1, NULL, &context);
            if (result == HXB_OK) {
                received = use_spoilt_rings();
            } else if (hxb_open_region(device, 5000, &region) == HXB_OK) {
                CHECK(hxb_region_data(region) != NULL);
            }
            EXPECT(HXB_OK, hxb_detach(device));
        }
        CHECK(result == HXB_OK || strlen(hxb_last_error()) > 10);
        if (result == HXB_OK) {
            printf("%s %d messages\n", hxb_result_name(result), received);
        } else {
            printf("%s %s\n", hxb_result_name(result), hxb_last_error());
        }
        fflush(stdout);
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    CHECK(count_open_files() < 10);
}

/* Round trips with itself; the test kills or stops the node meanwhile. Prints how the waits end. */
void outlive(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    puts("ready");
    fflush(stdout);
    int status = HXB_OK;
    bool was_silent = false;
    while (status == HXB_OK) {
        hxb_message message;
        status = hxb_send(context, (hxb_address){0, hxb_context_id(context)}, "x", 1, 1, 20 * HXB_SECOND);
        if (status == HXB_OK) {
            status = hxb_receive_wait(context, &message, 20 * HXB_SECOND);
        }
        if (status == HXB_OK) {
            EXPECT(HXB_OK, hxb_release(context, &message));
        }
        if (status == HXB_NODE_SILENT) {
            if (!was_silent) {
                puts(hxb_result_name(status));
                fflush(stdout);
            }
            was_silent = true;
            status = HXB_OK;
        }
    }
    puts(hxb_result_name(status));
    fflush(stdout);
    hxb_message message;
    EXPECT(status, hxb_receive(context, &message));
    if (status == HXB_NODE_GONE) {
        EXPECT(0, hxb_is_node_alive(device));
    }
    close_both();
}
