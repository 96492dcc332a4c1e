/* One publisher, N subscribers, the last of which takes nothing if SLOW is "slow", "drop" or "wait": what that costs
 * the others. The publisher sends to each in turn and does not wait for a slow one ("slow": HXB_NO_BUFFERS, "drop":
 * HXB_DROPPED), or only as long as it waits for all, 1 s ("wait", which shows what the options are for).
 * fan SOCKET_OF_PUBLISHER SOCKET_OF_SUBSCRIBERS N SECONDS SIZE none|slow|drop|wait
 * Prints one JSON object. */
#include "hxbb.h"

#include "hxb.h"

#include <pthread.h>
#include <stdatomic.h>

#define MAX_SUBSCRIBERS 64
#define FIRST_CONTEXT 30
#define PUBLISHER 29

static const char *subscribers_socket;
static int subscribers;
static bool has_sleeper;
static atomic_bool has_ended;
static atomic_int opened;
static uint64_t received[MAX_SUBSCRIBERS], gaps[MAX_SUBSCRIBERS];

static void check(int status, const char *what) {
    if (status < 0) {
        fprintf(stderr, "%s: %s %s\n", what, hxb_result_name(status), hxb_last_error());
        exit(1);
    }
}

static bool is_sleeper(int number) {
    return has_sleeper && number == subscribers - 1;
}

static void *subscribe(void *argument) {
    int number = (int)(intptr_t)argument;
    hxb_device *device;
    hxb_context *context;
    hxb_message message;
    uint32_t next = 0;
    check(hxb_attach(subscribers_socket, &device), "attach");
    check(hxb_open_context(device, FIRST_CONTEXT + number, NULL, &context), "open");
    opened++;
    while (!has_ended) {
        if (is_sleeper(number)) {
            nanosleep(&(struct timespec){0, 50000000}, NULL);
        } else if (hxb_receive_wait(context, &message, HXB_SECOND / 10) == HXB_OK) {
            gaps[number] += message.tag != next;
            next = message.tag + 1;
            received[number]++;
            hxb_release(context, &message);
        }
    }
    hxb_detach(device);
    return NULL;
}

static int64_t time_ns(void) {
    return (int64_t)now_ns();
}

static void join_all(const pthread_t *threads, uint64_t *taken, uint64_t *lost_order) {
    *taken = *lost_order = 0;
    for (int i = 0; i < subscribers; i++) {
        pthread_join(threads[i], NULL);
        *taken += received[i];
        *lost_order += gaps[i];
    }
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "usage: fan SOCKET_OF_PUBLISHER SOCKET_OF_SUBSCRIBERS N SECONDS SIZE none|slow|drop|wait\n");
        return 2;
    }
    static char data[1 << 16];
    const char *kind = arguments[6];
    size_t size = (size_t)atol(arguments[5]);
    int64_t length_ns = (int64_t)(atof(arguments[4]) * 1e9);
    subscribers_socket = arguments[2];
    subscribers = atoi(arguments[3]);
    has_sleeper = strcmp(kind, "none") != 0;
    if (subscribers < 1 || subscribers > MAX_SUBSCRIBERS || size > sizeof data) {
        fprintf(stderr, "N must be 1..%d, and SIZE at most %zu\n", MAX_SUBSCRIBERS, sizeof data);
        return 2;
    }
    pthread_t threads[MAX_SUBSCRIBERS];
    uint32_t sequence[MAX_SUBSCRIBERS] = {0};
    hxb_device *device, *other;
    hxb_context *context;
    hxb_event event;
    check(hxb_attach(subscribers_socket, &other), "attach");
    int node = hxb_node_id(other);
    for (int i = 0; i < subscribers; i++) {
        pthread_create(&threads[i], NULL, subscribe, (void *)(intptr_t)i);
    }
    check(hxb_attach(arguments[1], &device), "attach");
    check(hxb_open_context(device, PUBLISHER, NULL, &context), "open");
    while (opened < subscribers) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (has_sleeper && strcmp(kind, "wait") != 0) {
        hxb_destination_options options = {
            .size = sizeof options, .max_wait_ns = 0, .is_dropping = strcmp(kind, "drop") == 0};
        check(hxb_set_destination(context, (hxb_address){node, FIRST_CONTEXT + subscribers - 1}, &options), "options");
    }
    int64_t begin = time_ns(), worst = 0, worst_sleeper = 0;
    uint64_t rounds = 0, unsent = 0, unsent_to_sleeper = 0;
    int64_t now = begin;
    while (now - begin < length_ns) {
        for (int i = 0; i < subscribers; i++) {
            int status = hxb_send(context, (hxb_address){node, FIRST_CONTEXT + i}, data, size, sequence[i], HXB_SECOND);
            int64_t after = time_ns();
            int64_t *slowest = is_sleeper(i) ? &worst_sleeper : &worst;
            *slowest = after - now > *slowest ? after - now : *slowest;
            now = after;
            sequence[i] += status == HXB_OK;
            *(is_sleeper(i) ? &unsent_to_sleeper : &unsent) += status != HXB_OK;
        }
        rounds++;
        while (hxb_poll_event(context, &event) == HXB_OK) {
            fprintf(stderr, "event: %s\n", hxb_result_name(event.status));
        }
    }
    hxb_unfinished left = {0};
    check(hxb_unfinished_to(context, (hxb_address){node, FIRST_CONTEXT + subscribers - 1}, &left), "unfinished");
    hxb_wait_all_sends(context, HXB_SECOND / 10);
    has_ended = true;
    uint64_t taken, lost_order;
    join_all(threads, &taken, &lost_order);
    printf("{\"kind\":\"%s\",\"subscribers\":%d,\"rounds_per_s\":%.0f,\"worst_send_ms\":%.3f,\"unsent\":%" PRIu64
           ",\"worst_send_to_sleeper_ms\":%.3f,\"unsent_to_sleeper\":%" PRIu64 ",\"unfinished_to_last\":%d"
           ",\"dropped\":%" PRId64 ",\"received\":%" PRIu64 ",\"disordered\":%" PRIu64 "}\n",
           kind, subscribers, (double)rounds * 1e9 / (double)(now - begin), (double)worst / 1e6, unsent,
           (double)worst_sleeper / 1e6, unsent_to_sleeper, left.messages, left.dropped, taken, lost_order);
    hxb_detach(device);
    hxb_detach(other);
    return 0;
}
