/* Scenarios of libhxb: waiting, and events of messages and links. */
#define _GNU_SOURCE
#include "scenario.h"

#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

void events(char **arguments) {
    hxb_context_options options;
    hxb_default_options(&options);
    options.peer_wait_ns = 0;
    EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
    EXPECT(HXB_OK, hxb_open_context(device, 1, &options, &context));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 9}, "to nobody", 9, 1, 20 * HXB_SECOND));
    EXPECT(HXB_STATUS_EVENT, hxb_wait(context, HXB_WAIT_MESSAGES, 10 * HXB_SECOND));
    EXPECT(HXB_STATUS_EVENT, hxb_wait(context, HXB_WAIT_MESSAGES, 10 * HXB_SECOND));
    hxb_event event;
    int count = 0;
    bool has_slot = false;
    int status;
    const int64_t late = now_ns() + 20 * HXB_SECOND;
    /* The slot's event and that of the peer may come one after the other. */
    do {
        while (hxb_poll_event(context, &event) == HXB_OK) {
            CHECK(event.status == HXB_NO_SUCH_CONTEXT && event.peer.node == 0 && event.peer.context == 9);
            has_slot |= event.slot >= 0;
            count++;
        }
        status = hxb_wait(context, HXB_WAIT_MESSAGES, HXB_SECOND / 10);
    } while (status == HXB_STATUS_EVENT || (!has_slot && now_ns() < late));
    CHECK(has_slot && count >= 1 && count <= 2);
    EXPECT(HXB_TIMED_OUT, status);
    /* A message comes before the event of an earlier one. */
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 9}, "to nobody", 9, 2, 20 * HXB_SECOND));
    EXPECT(HXB_STATUS_EVENT, hxb_wait_all_sends(context, 10 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "to myself", 9, 3, 20 * HXB_SECOND));
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
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    close_both();
}

/* Waits by the program's own poll(2), for messages and for sends. */
void polling(char **arguments) {
    open_both(arguments[0], 1);
    struct pollfd fds[2] = {{hxb_context_fd(context), POLLIN, 0}, {hxb_device_fd(device), POLLIN, 0}};
    hxb_message message;
    for (uint32_t i = 0; i < 500; i++) {
        EXPECT(1, hxb_arm(context, HXB_WAIT_MESSAGES));
        EXPECT(0, poll(fds, 2, 0));
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, &i, sizeof i, i, 20 * HXB_SECOND));
        EXPECT(1, poll(fds, 2, 10000));
        CHECK(fds[0].revents == POLLIN && fds[1].revents == 0);
        EXPECT(HXB_OK, hxb_disarm(context));
        EXPECT(HXB_OK, hxb_receive(context, &message));
        CHECK(message.tag == i);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 1}, "", 0, 0, 20 * HXB_SECOND));
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
void interrupted(char **arguments) {
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
void links(char **arguments) {
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
