/* Messages whose every byte is checked, by libhxb: starting a JVM takes long where a CPU is emulated.
 *
 * probe serve                           answers; attaches again when its node has ended
 * probe NODE ping COUNT INTERVAL_MS     round trips
 * probe NODE send SECONDS BYTES         a stream of messages, checked for content, order and number
 *
 * Each prints one line of JSON, and events before it. */
#define _POSIX_C_SOURCE 200809L
#include <hxb.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { PING = 1, DATA, BEGIN, REPORT };
enum { SERVER = 9, CLIENT = 10, MAX_ERRORS = 6 };

struct head {
    uint32_t kind;
    uint32_t bytes;
    uint64_t number;
};

struct tally {
    uint64_t good;
    uint64_t bad;
    uint64_t misplaced;
    uint64_t next;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Source: Marsaglia, Xorshift RNGs, 2003. */
static uint64_t next_word(uint64_t x) {
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ (x << 17);
}

static void fill(unsigned char *bytes, uint32_t count, uint64_t seed) {
    uint64_t word = seed * 0x9E3779B97F4A7C15u + 1;
    for (uint32_t i = 0; i < count; i += 8) {
        word = next_word(word);
        memcpy(bytes + i, &word, count - i < 8 ? count - i : 8);
    }
}

static bool is_filled(const unsigned char *bytes, uint32_t count, uint64_t seed) {
    uint64_t word = seed * 0x9E3779B97F4A7C15u + 1;
    for (uint32_t i = 0; i < count; i += 8) {
        word = next_word(word);
        if (memcmp(bytes + i, &word, count - i < 8 ? count - i : 8) != 0) {
            return false;
        }
    }
    return true;
}

static void print_events(hxb_context *context) {
    hxb_event event;
    while (hxb_poll_event(context, &event) == HXB_OK) {
        printf("event of node %d: %s\n", event.peer.node, hxb_result_name(event.status));
    }
    fflush(stdout);
}

static bool open_at(int number, hxb_device **device, hxb_context **context) {
    if (hxb_attach(NULL, device) < 0) {
        printf("attach: %s\n", hxb_last_error());
        return false;
    }
    if (hxb_open_context(*device, number, NULL, context) < 0) {
        printf("open: %s\n", hxb_last_error());
        hxb_detach(*device);
        return false;
    }
    return true;
}

/* Returns HXB_OK, or why there was no message. A node that stands still has lost nothing. */
static int receive(hxb_context *context, hxb_message *message, int64_t timeout_ns) {
    int result;
    while ((result = hxb_receive_wait(context, message, timeout_ns)) == HXB_STATUS_EVENT || result == HXB_NODE_SILENT) {
        print_events(context);
    }
    return result;
}

/* As hxb_send, but waits for a node that stands still. */
static int deliver(hxb_context *context, hxb_address to, const void *data, size_t bytes) {
    int result;
    do {
        result = hxb_send(context, to, data, bytes, 0, 30 * HXB_SECOND);
    } while (result == HXB_NODE_SILENT);
    return result;
}

static int wait_all(hxb_context *context) {
    int result;
    do {
        result = hxb_wait_all_sends(context, 60 * HXB_SECOND);
    } while (result == HXB_NODE_SILENT);
    return result;
}

static void count(struct tally *tally, const struct head *head, const hxb_message *message) {
    const unsigned char *body = (const unsigned char *)message->data + sizeof *head;
    if (head->bytes == message->length && is_filled(body, message->length - (uint32_t)sizeof *head, head->number)) {
        tally->good++;
    } else {
        tally->bad++;
    }
    tally->misplaced += head->number != tally->next;
    tally->next = head->number + 1;
}

static void serve_once(void) {
    hxb_device *device;
    hxb_context *context;
    hxb_message message;
    struct tally tally = {0};
    if (!open_at(SERVER, &device, &context)) {
        return;
    }
    puts("serving");
    fflush(stdout);
    while (receive(context, &message, HXB_FOREVER) == HXB_OK) {
        struct head head = {0};
        memcpy(&head, message.data, message.length < sizeof head ? message.length : sizeof head);
        switch (head.kind) {
        case BEGIN: memset(&tally, 0, sizeof tally); break;
        case PING: deliver(context, message.from, message.data, message.length); break;
        case REPORT: deliver(context, message.from, &tally, sizeof tally); break;
        default: count(&tally, &head, &message); break;
        }
        hxb_release(context, &message);
    }
    puts("the node has ended");
    fflush(stdout);
    hxb_detach(device);
}

static int ping(hxb_context *context, hxb_address to, int count, long interval_ms) {
    int answered = 0;
    double longest = 0, total = 0;
    for (int i = 0; i < count; i++) {
        struct head head = {PING, sizeof head, (uint64_t)i}, answer = {0};
        double start = now();
        hxb_message message;
        int result = deliver(context, to, &head, sizeof head);
        while (result >= 0 && (result = receive(context, &message, 60 * HXB_SECOND)) == HXB_OK) {
            memcpy(&answer, message.data, sizeof answer);
            hxb_release(context, &message);
            if (answer.number == head.number) {
                break;
            }
        }
        double took = now() - start;
        if (result == HXB_OK) {
            answered++;
            total += took;
            longest = took > longest ? took : longest;
        } else {
            printf("ping %d: %s\n", i, hxb_result_name(result));
        }
        struct timespec pause = {interval_ms / 1000, interval_ms % 1000 * 1000000};
        nanosleep(&pause, NULL);
    }
    printf("{\"ok\": %s, \"sent\": %d, \"answered\": %d, \"meanMs\": %.1f, \"maxMs\": %.1f}\n",
           answered == count ? "true" : "false", count, answered, answered > 0 ? total / answered * 1e3 : 0,
           longest * 1e3);
    return answered == count ? 0 : 1;
}

static bool ask(hxb_context *context, hxb_address to, struct tally *tally) {
    struct head head = {REPORT, sizeof head, 0};
    hxb_message message;
    if (deliver(context, to, &head, sizeof head) < 0 ||
        receive(context, &message, 30 * HXB_SECOND) != HXB_OK) {
        return false;
    }
    memcpy(tally, message.data, sizeof *tally);
    return hxb_release(context, &message) == HXB_OK;
}

static int stream(hxb_context *context, hxb_address to, double seconds, uint32_t bytes) {
    unsigned char *body = malloc(bytes);
    struct head begin = {BEGIN, sizeof begin, 0};
    struct tally tally = {0};
    uint64_t sent = 0;
    int errors = body == NULL || deliver(context, to, &begin, sizeof begin) < 0 ? MAX_ERRORS : 0;
    double start = now(), last = start, gap = 0;
    while (errors < MAX_ERRORS && now() - start < seconds) {
        struct head head = {DATA, bytes, sent};
        memcpy(body, &head, sizeof head);
        fill(body + sizeof head, bytes - (uint32_t)sizeof head, sent);
        int result = deliver(context, to, body, bytes);
        if (result < 0) {
            printf("message %" PRIu64 ": %s\n", sent, hxb_result_name(result));
            errors++;
            print_events(context);
            continue;
        }
        sent++;
        double t = now();
        gap = t - last > gap ? t - last : gap;
        last = t;
    }
    int waited = wait_all(context);
    double took = now() - start;
    bool is_told = ask(context, to, &tally);
    bool ok = errors == 0 && waited == HXB_OK && is_told && sent > 0 && tally.good == sent && tally.bad == 0 &&
              tally.misplaced == 0;
    printf("{\"ok\": %s, \"sent\": %" PRIu64 ", \"good\": %" PRIu64 ", \"bad\": %" PRIu64 ", \"misplaced\": %" PRIu64
           ", \"megabytesPerSecond\": %.2f, \"longestGapMs\": %.0f, \"waited\": \"%s\"}\n",
           ok ? "true" : "false", sent, tally.good, tally.bad, tally.misplaced, (double)sent * bytes / took / 1e6,
           gap * 1e3, hxb_result_name(waited));
    free(body);
    return ok ? 0 : 1;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "serve") == 0) {
        struct timespec pause = {0, 500 * 1000000};
        for (;;) {
            serve_once();
            nanosleep(&pause, NULL);
        }
    }
    if (count != 5 || (strcmp(words[2], "ping") != 0 && strcmp(words[2], "send") != 0)) {
        fputs("usage: probe serve | probe NODE ping COUNT INTERVAL_MS | probe NODE send SECONDS BYTES\n", stderr);
        return 2;
    }
    hxb_device *device;
    hxb_context *context;
    if (!open_at(CLIENT, &device, &context)) {
        printf("{\"ok\": false, \"error\": \"no node to attach to\"}\n");
        return 1;
    }
    hxb_address to = {atoi(words[1]), SERVER};
    int status = strcmp(words[2], "ping") == 0 ? ping(context, to, atoi(words[3]), atol(words[4]))
                                               : stream(context, to, atof(words[3]), (uint32_t)atoi(words[4]));
    hxb_detach(device);
    return status;
}
