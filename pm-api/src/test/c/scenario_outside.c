/* Scenarios of influences from outside: a node that does not answer, threads that end the waits of others. */
#define _GNU_SOURCE
#include "scenario.h"

#include "base/clock.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* ---- A node that does not answer ---- */

static void *open_unanswered(void *result) {
    hxb_region *region;
    *(int *)result = hxb_open_region(device, 5000, &region);
    CHECK(region == NULL);
    return NULL;
}

/* The node grants a context and reports rings for it, and answers nothing else but the second region. */
void unanswered(char **arguments) {
    hxb_message message;
    hxb_region *region;
    void *data;
    open_both(arguments[0], 1);
    int64_t start = now_ns();
    for (int i = 0; i < 100; i++) {
        if (hxb_receive(context, &message) == HXB_OK) {
            EXPECT(HXB_OK, hxb_release(context, &message));
        }
    }
    for (int i = 0; i < 50; i++) {
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 2}, "x", 1, 0, 0));
        int slot = hxb_claim(context, (hxb_address){0, 3}, 1, &data);
        CHECK(slot >= 0);
        EXPECT(HXB_OK, hxb_commit(context, slot, 1, 0));
        EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_MESSAGES, 0));
    }
    CHECK(now_ns() - start < 4 * HXB_SECOND);
    puts("no more answers");
    fflush(stdout);
    CHECK(getchar() == '\n');
    int result = HXB_OK;
    pthread_t thread;
    start = now_ns();
    pthread_create(&thread, NULL, open_unanswered, &result);
    /* Until the other thread waits for its answer. */
    while (now_ns() - start < HXB_SECOND / 5) {
        EXPECT(HXB_EMPTY, hxb_receive(context, &message));
    }
    start = now_ns();
    EXPECT(HXB_OK, hxb_close_context(context));
    CHECK(now_ns() - start < 4 * HXB_SECOND);
    pthread_join(thread, NULL);
    EXPECT(HXB_E_SILENT, result);
    puts("answer");
    fflush(stdout);
    CHECK(getchar() == '\n');
    EXPECT(HXB_OK, hxb_open_region(device, 5000, &region));
    EXPECT(HXB_OK, hxb_close_region(region));
    EXPECT(HXB_OK, hxb_detach(device));
    puts("done");
}

/* ---- Waits that others end ---- */

static hxb_remote *remote;
static hxb_group *group;

static int wait_for_message(void) {
    hxb_message message;
    return hxb_receive_wait(context, &message, 20 * HXB_SECOND);
}

static int wait_for_any(void) {
    return hxb_wait(context, HXB_WAIT_MESSAGES | HXB_WAIT_SENDS, 20 * HXB_SECOND);
}

static int wait_for_outcome(void) {
    return hxb_wait(context, HXB_WAIT_REMOTE, 20 * HXB_SECOND);
}

static int wait_for_group(void) {
    return hxb_group_wait(group, 20 * HXB_SECOND);
}

typedef int (*wait_function)(void);

struct waiter {
    wait_function wait;
    atomic_bool is_owner;
    volatile int result;
    volatile int64_t ended;
    int again;
};

static void *wait_in_thread(void *argument) {
    struct waiter *waiter = argument;
    EXPECT(HXB_OK, hxb_own_context(context));
    waiter->is_owner = true;
    waiter->result = waiter->wait();
    waiter->ended = now_ns();
    waiter->again = hxb_wait(context, HXB_WAIT_MESSAGES, 0);
    return NULL;
}

static void pause_ms(int ms) {
    struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

enum { WAKE, CLOSE, DETACH };

/* One thread waits, this one ends that. */
static void end_wait(const char *socket, wait_function wait, int how) {
    open_both(socket, 1);
    if (wait == wait_for_outcome) {
        EXPECT(HXB_OK, hxb_open_remote(context, NULL, &remote));
    }
    if (wait == wait_for_group) {
        const int nodes[] = {0, 0};
        EXPECT(HXB_OK, hxb_group_start_join(context, 4711, nodes, 2, 0, &group));
    }
    struct waiter waiter = {.wait = wait};
    pthread_t thread;
    pthread_create(&thread, NULL, wait_in_thread, &waiter);
    while (!waiter.is_owner) {
        pause_ms(1);
    }
    pause_ms(50);
    int64_t start = now_ns();
    if (how == WAKE) {
        EXPECT(HXB_OK, hxb_wake(context));
    } else if (how == CLOSE) {
        EXPECT(HXB_OK, hxb_close_context(context));
    } else {
        EXPECT(HXB_OK, hxb_detach(device));
    }
    pthread_join(thread, NULL);
    EXPECT(how == WAKE ? HXB_INTERRUPTED : HXB_CONTEXT_CLOSED, waiter.result);
    EXPECT(how == WAKE ? HXB_TIMED_OUT : HXB_E_STATE, waiter.again);
    CHECK(waiter.ended - start < 10 * HXB_SECOND);
    if (how == WAKE) {
        EXPECT(HXB_OK, hxb_own_context(context));
        close_both();
    } else if (how == CLOSE) {
        EXPECT(HXB_E_STATE, hxb_close_context(context));
        EXPECT(HXB_OK, hxb_detach(device));
    }
}

static void end_waits(const char *socket, wait_function wait) {
    for (int how = WAKE; how <= DETACH; how++) {
        end_wait(socket, wait, how);
    }
}

void waits_ended(char **arguments) {
    end_waits(arguments[0], wait_for_message);
    end_waits(arguments[0], wait_for_any);
}

/* The same at a node that has remote memory and groups. */
void more_waits_ended(char **arguments) {
    end_waits(arguments[0], wait_for_outcome);
    end_waits(arguments[0], wait_for_group);
}

static void wake_by_signal(int number_) {
    (void)number_;
    hxb_wake(context);
}

/* A handler of a signal ends the wait of the thread that it interrupts; one call ends one wait. */
void waits_signalled(char **arguments) {
    open_both(arguments[0], 1);
    struct sigaction action = {.sa_handler = wake_by_signal};
    sigaction(SIGALRM, &action, NULL);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec soon = {{0, 0}, {0, 50000000}};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
    int64_t start = now_ns();
    EXPECT(HXB_INTERRUPTED, hxb_wait(context, HXB_WAIT_MESSAGES, 20 * HXB_SECOND));
    CHECK(now_ns() - start < 5 * HXB_SECOND);
    EXPECT(HXB_TIMED_OUT, hxb_wait(context, HXB_WAIT_MESSAGES, 1000000));
    /* Before the wait, it ends the next one, unless that has nothing to wait for. */
    hxb_message message;
    EXPECT(HXB_OK, hxb_wake(context));
    EXPECT(HXB_OK, hxb_wake(context));
    EXPECT(HXB_INTERRUPTED, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
    EXPECT(HXB_TIMED_OUT, hxb_receive_wait(context, &message, 1000000));
    timer_delete(timer);
    close_both();
    EXPECT(HXB_E_ARGUMENT, hxb_wake(NULL));
}

/* A thread that asks the node while another one detaches gets an answer or the end. */
static void *ask_on(void *id) {
    hxb_context *mine;
    hxb_region *region;
    int result = HXB_OK;
    while (result == HXB_OK) {
        result = hxb_open_region(device, 5000, &region);
        if (result == HXB_OK) {
            result = hxb_open_context(device, (int)(intptr_t)id, NULL, &mine);
            if (result == HXB_OK) {
                *(volatile int *)hxb_region_data(region) = 1;
                return NULL;
            }
        }
    }
    CHECK(result == HXB_NODE_GONE);
    return NULL;
}

void detached_amid(char **arguments) {
    for (int i = 0; i < 20; i++) {
        pthread_t asking[2];
        EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
        for (int j = 0; j < 2; j++) {
            pthread_create(&asking[j], NULL, ask_on, (void *)(intptr_t)(j + 1));
        }
        for (int j = 0; j < 2; j++) {
            pthread_join(asking[j], NULL);
        }
        EXPECT(HXB_OK, hxb_detach(device));
    }
}

/* ---- The API as a whole ---- */

/* Programs know structs of their own version: older ones are shorter, newer ones longer. */
static void try_sizes(void) {
    hxb_context *other;
    struct {
        hxb_context_options known;
        uint64_t unknown;
    } newer = {.unknown = 0};
    hxb_default_options_sized(&newer.known, sizeof newer);
    CHECK(newer.known.size == sizeof newer && newer.known.send_buffers == 256);
    EXPECT(HXB_OK, hxb_open_context(device, 2, &newer.known, &other));
    EXPECT(HXB_OK, hxb_close_context(other));
    newer.unknown = 1;
    EXPECT(HXB_E_VERSION, hxb_open_context(device, 2, &newer.known, &other));
    hxb_context_options older = {.size = offsetof(hxb_context_options, delivery_entries), .send_buffers = 7};
    EXPECT(HXB_OK, hxb_open_context(device, 2, &older, &other));
    EXPECT(7, hxb_send_buffer_count(other));
    EXPECT(HXB_OK, hxb_close_context(other));
    older.size = 0;
    EXPECT(HXB_E_ARGUMENT, hxb_open_context(device, 2, &older, &other));
    CHECK(strcmp(hxb_version(), HXB_VERSION_STRING) == 0 && HXB_VERSION_AT_LEAST(0, 1) && !HXB_VERSION_AT_LEAST(9, 0));
}

/* Parts are joined, and as many messages taken as there are. */
static void try_parts(hxb_address to) {
    const struct iovec parts[] = {{"one ", 4}, {NULL, 0}, {"and another", 12}};
    hxb_message messages[8];
    EXPECT(HXB_EMPTY, hxb_receive_many(context, messages, 8));
    EXPECT(HXB_E_ARGUMENT, hxb_receive_many(context, messages, 0));
    EXPECT(HXB_E_ARGUMENT, hxb_sendv(context, to, NULL, 1, 0, 0, 0));
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT(HXB_OK, hxb_sendv(context, to, parts, i == 0 ? 0 : 3, i, 0, 20 * HXB_SECOND));
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    EXPECT(5, hxb_receive_many(context, messages, 8));
    CHECK(messages[0].length == 0);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(messages[i].tag == i && messages[i].from.node == to.node && messages[i].from.context == to.context);
        CHECK(i == 0 || (messages[i].length == 16 && memcmp(messages[i].data, "one and another", 16) == 0));
        EXPECT(HXB_OK, hxb_release(context, &messages[i]));
    }
}

static void take_named_events(uint64_t first) {
    hxb_event event;
    while (hxb_poll_event(context, &event) == HXB_OK) {
        CHECK(event.slot < 0 || (event.cookie >= first && event.cookie < first + 100));
    }
}

/* Each message with a cookie has one completion, with or without success, and its slot until then. */
static void try_cookies(hxb_address to, uint64_t first) {
    const struct iovec part = {"named", 6};
    hxb_completion completion;
    void *data;
    EXPECT(HXB_EMPTY, hxb_poll_completion(context, &completion));
    int slot = hxb_claim(context, to, 6, &data);
    CHECK(slot >= 0);
    EXPECT(HXB_E_ARGUMENT, hxb_set_cookie(context, slot, 0));
    EXPECT(HXB_OK, hxb_set_cookie(context, slot, first));
    memcpy(data, "named", 6);
    EXPECT(HXB_OK, hxb_commit(context, slot, 6, 0));
    EXPECT(HXB_E_STATE, hxb_set_cookie(context, slot, first));
    int status = HXB_OK;
    int count = 0;
    while (status == HXB_OK) {
        count++;
        status = hxb_sendv(context, to, &part, 1, 0, first + (uint64_t)count, 10000000);
        while (status == HXB_STATUS_EVENT) {
            take_named_events(first);
            status = hxb_sendv(context, to, &part, 1, 0, first + (uint64_t)count, 10000000);
        }
    }
    EXPECT(HXB_TIMED_OUT, status);
    CHECK(count > 5);
    /* No slot is free before its completion is read, although all messages may be done. */
    hxb_wait_all_sends(context, 5 * HXB_SECOND);
    take_named_events(first);
    EXPECT(HXB_NO_BUFFERS, hxb_claim(context, to, 6, &data));
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        EXPECT(HXB_OK, hxb_wait(context, HXB_WAIT_SENDS, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_poll_completion(context, &completion));
        CHECK(completion.to.context == to.context);
        CHECK((completion.status == HXB_OK) == (to.context != 9));
        sum += completion.cookie - first;
    }
    CHECK(sum == (uint64_t)count * (uint64_t)(count - 1) / 2);
    EXPECT(HXB_EMPTY, hxb_poll_completion(context, &completion));
}

static void release_all(hxb_context *of) {
    hxb_message message;
    while (hxb_receive_wait(of, &message, 10000000) == HXB_OK) {
        EXPECT(HXB_OK, hxb_release(of, &message));
    }
}

/* A context that is armed twice is woken once, and nothing of it is left. */
static void try_arming(hxb_address to) {
    struct pollfd fd = {hxb_context_fd(context), POLLIN, 0};
    for (int i = 0; i < 20; i++) {
        EXPECT(1, hxb_arm(context, HXB_WAIT_MESSAGES));
        EXPECT(1, hxb_arm(context, HXB_WAIT_MESSAGES));
        EXPECT(0, poll(&fd, 1, 0));
        EXPECT(HXB_OK, hxb_send(context, to, "x", 1, 0, 20 * HXB_SECOND));
        EXPECT(1, poll(&fd, 1, 10000));
        EXPECT(0, hxb_arm(context, HXB_WAIT_MESSAGES));
        EXPECT(HXB_OK, hxb_disarm(context));
        release_all(context);
        EXPECT(0, poll(&fd, 1, 0));
    }
}

void whole_api(char **arguments) {
    hxb_context *other;
    hxb_context_options options = {.size = sizeof options};
    EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
    hxb_default_options(&options);
    options.send_buffers = 20;
    options.peer_wait_ns = 0;
    EXPECT(HXB_OK, hxb_open_context(device, 1, &options, &context));
    try_sizes();
    const hxb_address self = {0, 1}, peer = {0, 3}, nobody = {0, 9};
    try_parts(self);
    try_arming(self);
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    try_cookies(self, 1000);
    release_all(context);
    /* Through a direct ring, too. */
    EXPECT(HXB_OK, hxb_open_context(device, 3, NULL, &other));
    for (int i = 0; i < 6; i++) {
        try_cookies(peer, 2000);
        release_all(other);
    }
    try_cookies(nobody, 3000);
    EXPECT(HXB_OK, hxb_detach(device));
}
