/* Scenarios of the tests of libhxb: `scenario NAME SOCKET [ARGUMENT...]`. Ends with 0, or says what was wrong. */
#define _GNU_SOURCE
#include "scenario.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

hxb_device *device;
hxb_context *context;

/* ---- Applications that serve a test ---- */

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

static void echo(char **arguments) {
    serve(arguments, false);
}

static void hold(char **arguments) {
    serve(arguments, true);
}

/* Round trips with context ARGUMENT, of any length; sends by copy and in place in turns. */
static void ping(char **arguments) {
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
            EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, peer}, sent, length, (uint32_t)i, HXB_SECOND));
        } else {
            int slot = hxb_claim(context, (hxb_address){0, peer}, length, &data);
            CHECK(slot >= 0);
            memcpy(data, sent, length);
            EXPECT(HXB_OK, hxb_commit(context, slot, length, (uint32_t)i));
        }
        hxb_message message;
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 10 * HXB_SECOND));
        CHECK(message.tag == (uint32_t)i && message.length == length && message.from.context == peer);
        CHECK(memcmp(message.data, sent, length) == 0 && ((uintptr_t)message.data & 7) == 0);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, HXB_SECOND));
    close_both();
}

/* ---- Messages ---- */

static void facts(char **arguments) {
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
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, &i, sizeof i, 0, HXB_SECOND));
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 5 * HXB_SECOND));
        hxb_message again = first;
        EXPECT(HXB_E_STATE, hxb_release(context, &again));
        CHECK(hxb_messages_held(context) == 1 && memcmp(message.data, &i, sizeof i) == 0);
        first = message;
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
}

/* What a program may do wrong, and that it can go on afterwards. */
static void misuse(char **arguments) {
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
    EXPECT(HXB_OK, hxb_receive_wait(context, &message, 5 * HXB_SECOND));
    CHECK(message.length == 10 && message.tag == 7 && memcmp(message.data, "last bytes", 10) == 0);
    EXPECT(1, hxb_messages_held(context));
    EXPECT(HXB_OK, hxb_release(context, &message));
    EXPECT(HXB_E_STATE, hxb_release(context, &message));
    expect_no_other_released();
    EXPECT(HXB_OK, hxb_wait_all_sends(context, HXB_SECOND));
    EXPECT(HXB_OK, hxb_close_region(region));
    EXPECT(0, strcmp("HXB_FLOW_LIMIT", hxb_result_name(HXB_FLOW_LIMIT)));
    EXPECT(0, strcmp("HXB_UNKNOWN", hxb_result_name(-99)));
    CHECK(strlen(hxb_strerror(-99)) > 0 && strlen(hxb_version()) > 0);
    close_both();
}

/* Whatever is sent however arrives in order: runs of short messages, long ones, from regions, many under way. */
static void order(char **arguments) {
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
    uint32_t sent = 0;
    uint32_t received = 0;
    while (received < count) {
        uint64_t burst = next_random(&random) % 64;
        for (uint64_t i = 0; i < burst && sent < count; i++) {
            size_t length = next_random(&random) % 20 == 0 ? next_random(&random) % 8000 : next_random(&random) % 300;
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
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 10 * HXB_SECOND));
    EXPECT(0, hxb_unfinished_sends(context));
    EXPECT(HXB_OK, hxb_detach(device));
}

/* ---- Waiting and events ---- */

static void events(char **arguments) {
    hxb_context_options options;
    hxb_default_options(&options);
    options.peer_wait_ns = 0;
    EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
    EXPECT(HXB_OK, hxb_open_context(device, 1, &options, &context));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 9}, "to nobody", 9, 1, HXB_SECOND));
    EXPECT(HXB_STATUS_EVENT, hxb_wait(context, HXB_WAIT_MESSAGES, 10 * HXB_SECOND));
    EXPECT(HXB_STATUS_EVENT, hxb_wait(context, HXB_WAIT_MESSAGES, 10 * HXB_SECOND));
    hxb_event event;
    int count = 0;
    bool has_slot = false;
    int status;
    /* The slot's event and that of the peer may come one after the other. */
    do {
        while (hxb_poll_event(context, &event) == HXB_OK) {
            CHECK(event.status == HXB_NO_SUCH_CONTEXT && event.peer.node == 0 && event.peer.context == 9);
            has_slot |= event.slot >= 0;
            count++;
        }
        status = hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND / 10);
    } while (status == HXB_STATUS_EVENT);
    CHECK(has_slot && count >= 1 && count <= 2);
    EXPECT(HXB_TIMED_OUT, status);
    /* A message comes before the event of an earlier one. */
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 9}, "to nobody", 9, 2, HXB_SECOND));
    EXPECT(HXB_STATUS_EVENT, hxb_wait_all_sends(context, 10 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "to myself", 9, 3, HXB_SECOND));
    hxb_message message;
    const time_t end = time(NULL) + 10;
    do {
        status = hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND);
    } while (status == HXB_STATUS_EVENT && time(NULL) < end);
    EXPECT(HXB_OK, status);
    EXPECT(HXB_OK, hxb_receive(context, &message));
    CHECK(message.tag == 3);
    EXPECT(HXB_OK, hxb_release(context, &message));
    while (hxb_poll_event(context, &event) == HXB_OK) {
        CHECK(event.status == HXB_NO_SUCH_CONTEXT);
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 10 * HXB_SECOND));
    close_both();
}

/* Waits by the program's own poll(2), for messages and for sends. */
static void polling(char **arguments) {
    open_both(arguments[0], 1);
    struct pollfd fds[2] = {{hxb_context_fd(context), POLLIN, 0}, {hxb_device_fd(device), POLLIN, 0}};
    hxb_message message;
    for (uint32_t i = 0; i < 500; i++) {
        EXPECT(1, hxb_arm(context, HXB_WAIT_MESSAGES));
        EXPECT(0, poll(fds, 2, 0));
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, &i, sizeof i, i, HXB_SECOND));
        EXPECT(1, poll(fds, 2, 10000));
        CHECK(fds[0].revents == POLLIN && fds[1].revents == 0);
        EXPECT(HXB_OK, hxb_disarm(context));
        EXPECT(HXB_OK, hxb_receive(context, &message));
        CHECK(message.tag == i);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "", 0, 0, HXB_SECOND));
    while (hxb_arm(context, HXB_WAIT_MESSAGES) == 1) {
        poll(fds, 2, 10000);
        EXPECT(HXB_OK, hxb_disarm(context));
    }
    EXPECT(0, hxb_arm(context, HXB_WAIT_MESSAGES | HXB_WAIT_SENDS));
    close_both();
}

static void on_signal(int number_) {
    (void)number_;
}

/* A wait that signals interrupt goes on, and ends in time. */
static void interrupted(char **arguments) {
    open_both(arguments[0], 1);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGALRM, &action, NULL);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0);
    EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND / 5));
    hxb_region *region;
    EXPECT(HXB_OK, hxb_open_region(device, 20 << 20, &region));
    EXPECT(HXB_OK, hxb_close_region(region));
    timer_delete(timer);
    close_both();
}

static hxb_link_event last_link_event;

static void on_link(void *user, const hxb_link_event *event) {
    last_link_event = *event;
    ++*(int *)user;
}

/* The test puts link events while this one waits. */
static void links(char **arguments) {
    open_both(arguments[0], 1);
    int count = 0;
    int64_t before = hxb_link_event_count(device);
    EXPECT(HXB_OK, hxb_on_link_event(device, on_link, &count));
    puts("ready");
    fflush(stdout);
    EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND / 2));
    for (int i = 0; i < 100 && count == 0; i++) {
        EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND / 10));
    }
    CHECK(count == 1 && hxb_link_event_count(device) == before + 1);
    CHECK(last_link_event.time_ms == 2000 && last_link_event.neighbour == 1 && last_link_event.dimension == 2);
    CHECK(last_link_event.number == 3 && !last_link_event.is_good && last_link_event.is_last);
    CHECK(strcmp(last_link_event.reason, "cut") == 0);
    EXPECT(HXB_OK, hxb_on_link_event(device, NULL, NULL));
    EXPECT(0, hxb_poll_link_events(device));
    close_both();
}

/* ---- Threads, forks, cancellation ---- */

static void *use_foreign(void *unused) {
    (void)unused;
    hxb_message message = {.handle = 0};
    hxb_event event;
    void *data;
    EXPECT(HXB_E_THREAD, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 0));
    CHECK(strstr(hxb_last_error(), "belongs to another thread") != NULL);
    EXPECT(HXB_E_THREAD, hxb_claim(context, (hxb_address){0, 1}, 1, &data));
    EXPECT(HXB_E_THREAD, hxb_commit(context, 0, 1, 0));
    EXPECT(HXB_E_THREAD, hxb_abort(context, 0));
    EXPECT(HXB_E_THREAD, hxb_receive(context, &message));
    EXPECT(HXB_E_THREAD, hxb_release(context, &message));
    EXPECT(HXB_E_THREAD, hxb_poll_event(context, &event));
    EXPECT(HXB_E_THREAD, hxb_wait(context, HXB_WAIT_MESSAGES, 0));
    EXPECT(HXB_E_THREAD, hxb_arm(context, HXB_WAIT_MESSAGES));
    EXPECT(HXB_E_THREAD, hxb_disarm(context));
    EXPECT(HXB_E_THREAD, hxb_close_context(context));
    return NULL;
}

static void *take_over(void *unused) {
    (void)unused;
    EXPECT(HXB_OK, hxb_own_context(context));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, HXB_SECOND));
    return NULL;
}

/* Threads of one device: each opens, uses and closes contexts and regions of its own. */
static void *own_contexts(void *id) {
    for (int i = 0; i < 20; i++) {
        hxb_context *mine;
        hxb_region *region;
        EXPECT(HXB_OK, hxb_open_context(device, (int)(intptr_t)id, NULL, &mine));
        EXPECT(HXB_OK, hxb_open_region(device, 10000, &region));
        for (int j = 0; j < 50; j++) {
            hxb_message message;
            EXPECT(HXB_OK, hxb_send(mine, (hxb_address){0, (int)(intptr_t)id}, "to myself", 9, (uint32_t)j, HXB_SECOND));
            EXPECT(HXB_OK, hxb_receive_wait(mine, &message, 10 * HXB_SECOND));
            CHECK(message.tag == (uint32_t)j);
            EXPECT(HXB_OK, hxb_release(mine, &message));
        }
        EXPECT(HXB_OK, hxb_wait_all_sends(mine, HXB_SECOND));
        EXPECT(HXB_OK, hxb_close_region(region));
        EXPECT(HXB_OK, hxb_close_context(mine));
    }
    return NULL;
}

static void threads(char **arguments) {
    open_both(arguments[0], 1);
    pthread_t thread;
    pthread_create(&thread, NULL, use_foreign, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, take_over, NULL);
    pthread_join(thread, NULL);
    hxb_message message;
    EXPECT(HXB_E_THREAD, hxb_receive(context, &message));
    EXPECT(HXB_OK, hxb_own_context(context));
    EXPECT(HXB_OK, hxb_receive_wait(context, &message, 5 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_release(context, &message));
    pthread_t users[4];
    for (intptr_t i = 0; i < 4; i++) {
        pthread_create(&users[i], NULL, own_contexts, (void *)(i + 10));
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(users[i], NULL);
    }
    close_both();
}

static int count_open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void in_child(const char *socket, hxb_region *region) {
    hxb_message message;
    hxb_context *other;
    hxb_event event;
    EXPECT(HXB_E_FORKED, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, 0));
    CHECK(strstr(hxb_last_error(), "fork") != NULL);
    EXPECT(HXB_E_FORKED, hxb_receive(context, &message));
    EXPECT(HXB_E_FORKED, hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND));
    EXPECT(HXB_E_FORKED, hxb_poll_event(context, &event));
    EXPECT(HXB_E_FORKED, hxb_own_context(context));
    EXPECT(HXB_E_FORKED, hxb_close_context(context));
    EXPECT(HXB_E_FORKED, hxb_open_context(device, 2, NULL, &other));
    EXPECT(HXB_E_FORKED, hxb_close_region(region));
    EXPECT(HXB_E_FORKED, hxb_node_id(device));
    EXPECT(HXB_E_FORKED, hxb_detach(device));
    hxb_device *mine;
    EXPECT(HXB_OK, hxb_attach(socket, &mine));
    EXPECT(HXB_E_FORKED, hxb_receive(context, &message));
    EXPECT(HXB_OK, hxb_open_context(mine, 2, NULL, &other));
    EXPECT(HXB_OK, hxb_send(other, (hxb_address){0, 1}, "from the child", 14, 77, HXB_SECOND));
    EXPECT(HXB_OK, hxb_wait_all_sends(other, 10 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_detach(mine));
}

static void forks(char **arguments) {
    int open_files = count_open_files();
    open_both(arguments[0], 1);
    hxb_region *region;
    EXPECT(HXB_OK, hxb_open_region(device, 10000, &region));
    for (int i = 0; i < 2; i++) {
        /* The second time by the bare system call, which no handler notices. */
        pid_t child = i == 0 ? fork() : (pid_t)syscall(SYS_fork);
        CHECK(child >= 0);
        if (child == 0) {
            CHECK(i > 0 || count_open_files() == open_files);
            in_child(arguments[0], region);
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        hxb_message message;
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 5 * HXB_SECOND));
        CHECK(message.tag == 77 && message.from.context == 2);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "still here", 10, 5, HXB_SECOND));
    EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_MESSAGES, 5 * HXB_SECOND));
    close_both();
}

/* A child that lives on; the test kills the parent, whose buffers have to come back all the same. */
static void fork_and_hold(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(STDOUT_FILENO);
        sleep(5);
        _exit(0);
    }
    puts("ready");
    fflush(stdout);
    hxb_message message;
    while (hxb_receive_wait(context, &message, 30 * HXB_SECOND) == HXB_OK) {
    }
}

static void *wait_for_ever(void *unused) {
    (void)unused;
    hxb_own_context(context);
    for (;;) {
        hxb_message message;
        hxb_region *region;
        if (hxb_receive_wait(context, &message, 20000000) == HXB_OK) {
            EXPECT(HXB_OK, hxb_release(context, &message));
        }
        EXPECT(HXB_OK, hxb_open_region(device, 5000, &region));
        EXPECT(HXB_OK, hxb_close_region(region));
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "x", 1, 0, HXB_SECOND));
        pthread_testcancel();
    }
    return NULL;
}

/* A thread that is cancelled ends between calls, never within one: no lock is held, no ring half written. */
static void cancelled(char **arguments) {
    open_both(arguments[0], 1);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, wait_for_ever, NULL);
        struct timespec pause = {0, 1000000 + i * 700000};
        nanosleep(&pause, NULL);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        CHECK(result == PTHREAD_CANCELED);
        hxb_region *region;
        EXPECT(HXB_OK, hxb_own_context(context));
        EXPECT(HXB_OK, hxb_open_region(device, 5000, &region));
        EXPECT(HXB_OK, hxb_close_region(region));
        hxb_message message;
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "after", 5, 123, HXB_SECOND));
        do {
            EXPECT(HXB_OK, hxb_receive_wait(context, &message, 5 * HXB_SECOND));
            EXPECT(HXB_OK, hxb_release(context, &message));
        } while (message.tag != 123);
    }
    close_both();
}

/* ---- Large messages ---- */

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

static void large(char **arguments) {
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
    /* A fragment of nothing, and a start that is too short, are dropped and counted. */
    hxb_context *rude;
    EXPECT(HXB_OK, hxb_open_context(device, 3, NULL, &rude));
    EXPECT(HXB_OK, hxb_send(rude, (hxb_address){0, 2}, "x", 1, 0x80000001u, HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(rude, (hxb_address){0, 2}, "x", 1, 1, HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(rude, (hxb_address){0, 2}, "\0\0\0\0\0\0\0\177tag-0000 ", 17, 1, HXB_SECOND));
    while (hxb_large_rejected(receiver) < 3) {
        poll_both(sender, receiver);
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(rude, HXB_SECOND));
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

/* One destination has all that it may have: what becomes of messages to it, and to others. */
static void slow(char **arguments) {
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
        EXPECT(HXB_OK, hxb_receive_wait(to, &message, 10 * HXB_SECOND));
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

static void large_echo(char **arguments) {
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

/* ---- Nodes that are gone, stand still, or are none ---- */

/* Uses a context whose node and whose peers write anything into its rings; returns how many messages that were. */
static int use_spoilt_rings(void) {
    int received = 0;
    hxb_message message;
    hxb_event event;
    uint64_t sum = 0;
    for (int i = 0; i < 40; i++) {
        if (i == 2 || i == 4) {
            /* What was asked for in the meantime is answered. */
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
static void hostile(char **arguments) {
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
static void outlive(char **arguments) {
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

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*run)(char **arguments);
    } SCENARIOS[] = {
        {"echo", echo},           {"hold", hold},       {"ping", ping},         {"facts", facts},
        {"misuse", misuse},       {"order", order},     {"events", events},     {"polling", polling},
        {"interrupted", interrupted}, {"links", links}, {"threads", threads},   {"forks", forks},
        {"fork-and-hold", fork_and_hold}, {"cancelled", cancelled}, {"large", large}, {"large-echo", large_echo},
        {"slow", slow},
        {"hostile", hostile},     {"outlive", outlive},
        {"direct", direct},       {"direct-end", direct_end}, {"direct-full", direct_full},
        {"direct-rude", direct_rude}, {"direct-ping", direct_ping},
        {"direct-closed", direct_closed}, {"remote-use", remote_use}, {"remote-serve", remote_serve},
        {"remote-misuse", remote_misuse}, {"remote-outlive", remote_outlive},
        {"unanswered", unanswered}, {"waits-ended", waits_ended}, {"waits-signalled", waits_signalled},
        {"more-waits-ended", more_waits_ended}, {"detached-amid", detached_amid}, {"whole-api", whole_api},
        {"rpc-use", rpc_use}, {"rpc-serve", rpc_serve}, {"rpc-ask", rpc_ask},
        {"group-use", group_use}, {"group-outlive", group_outlive}, {"group-misuse", group_misuse},
    };
    for (size_t i = 0; count > 2 && i < sizeof SCENARIOS / sizeof SCENARIOS[0]; i++) {
        if (strcmp(arguments[1], SCENARIOS[i].name) == 0) {
            SCENARIOS[i].run(arguments + 2);
            return 0;
        }
    }
    fprintf(stderr, "usage: scenario NAME SOCKET [ARGUMENT...]\n");
    return 2;
}
