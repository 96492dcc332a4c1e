/* Scenarios of programs that send to others of their node directly. */
#define _GNU_SOURCE
#include "scenario.h"

#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define DIRECT_SLOTS 64
#define DIRECT_REGION 8192

/* One end of an exchange: sends numbered messages in many ways, and checks those of the other end. */
struct end {
    hxb_device *device;
    hxb_context *context;
    hxb_region *region;
    uint64_t random;
    int peer, count, sent, received, claim_count, held_count;
    int claimed[4];
    void *places[4];
    size_t rooms[4];
    hxb_message held[41];
};

static uint64_t below(struct end *end, uint64_t limit) {
    return next_random(&end->random) % limit;
}

/* Known from the number of a message. */
static uint32_t direct_length(int i) {
    int kind = i % 7;
    return (uint32_t)(kind == 6 ? 8 + (int64_t)i * 131 % 8000 : 4 + i * 17 % (kind == 5 ? 900 : 60));
}

static uint32_t write_direct(void *data, int i) {
    memset(data, i, direct_length(i));
    memcpy(data, &i, sizeof i);
    return direct_length(i);
}

static void open_end(struct end *end, const char *socket, int own, int peer, int count, int seed) {
    hxb_context_options options;
    hxb_default_options(&options);
    options.send_buffers = DIRECT_SLOTS;
    *end = (struct end){.random = (uint64_t)seed * 2654435761u + 88172645463325252u, .peer = peer, .count = count};
    EXPECT(HXB_OK, hxb_attach(socket, &end->device));
    EXPECT(HXB_OK, hxb_open_context(end->device, own, &options, &end->context));
    EXPECT(HXB_OK, hxb_open_region(end->device, DIRECT_SLOTS * DIRECT_REGION, &end->region));
}

static void claim_some(struct end *end) {
    void *data;
    size_t length = below(end, 2) == 0 ? (size_t)hxb_max_length(end->context) : direct_length(end->sent);
    int slot = hxb_claim(end->context, (hxb_address){0, end->peer}, length, &data);
    if (slot >= 0) {
        memset(data, 0x5A, length < 64 ? length : 64);
        end->places[end->claim_count] = data;
        end->rooms[end->claim_count] = length;
        end->claimed[end->claim_count++] = slot;
    } else {
        EXPECT(HXB_NO_BUFFERS, slot);
    }
}

static void end_claim(struct end *end) {
    int which = (int)below(end, (uint64_t)end->claim_count);
    int slot = end->claimed[which];
    void *data = end->places[which];
    size_t room = end->rooms[which];
    end->claimed[which] = end->claimed[--end->claim_count];
    end->places[which] = end->places[end->claim_count];
    end->rooms[which] = end->rooms[end->claim_count];
    uint64_t how = below(end, 8);
    uint32_t tag = (uint32_t)end->sent * 3;
    /* A slot of an earlier message may be too short. */
    if (how == 0 || end->sent == end->count || direct_length(end->sent) > room) {
        EXPECT(HXB_OK, hxb_abort(end->context, slot));
    } else if (how == 1) {
        uint64_t offset = (uint64_t)slot * DIRECT_REGION;
        uint32_t length = write_direct((uint8_t *)hxb_region_data(end->region) + offset, end->sent++);
        EXPECT(HXB_OK, hxb_commit_from(end->context, slot, end->region, offset, length, tag));
    } else {
        uint32_t length = write_direct(data, end->sent++);
        EXPECT(HXB_OK, hxb_commit(end->context, slot, length, tag));
    }
}

static void receive_some(struct end *end) {
    hxb_message *message = &end->held[end->held_count];
    int status = hxb_receive(end->context, message);
    if (status != HXB_OK) {
        EXPECT(HXB_EMPTY, status);
        return;
    }
    static uint8_t bytes[16384];
    uint32_t length = write_direct(bytes, end->received);
    CHECK(message->from.node == 0 && message->from.context == end->peer && message->tag == (uint32_t)end->received * 3);
    CHECK(message->length == length && memcmp(message->data, bytes, length) == 0);
    CHECK(((uintptr_t)message->data & 7) == 0);
    end->held_count++;
    end->received++;
}

static void release_some(struct end *end) {
    hxb_message *message = &end->held[below(end, (uint64_t)end->held_count)];
    hxb_message again = *message;
    EXPECT(HXB_OK, hxb_release(end->context, message));
    *message = end->held[--end->held_count];
    if (below(end, 16) == 0 && again.length > 8) {
        memset(&again.tag, 0, sizeof again.tag);
        EXPECT(end->held_count, hxb_messages_held(end->context));
    }
}

static void step(struct end *end) {
    uint64_t what = below(end, 10);
    if (what < 3 && end->claim_count < 4 && end->sent < end->count) {
        claim_some(end);
    } else if (what < 6 && end->claim_count > 0) {
        end_claim(end);
    } else if (what < 8 && end->held_count < 40) {
        receive_some(end);
    } else if (end->held_count > 0) {
        release_some(end);
    }
}

static bool is_finished(const struct end *end) {
    return end->sent == end->count && end->received == end->count && end->claim_count == 0 && end->held_count == 0;
}

static void close_end(struct end *end) {
    EXPECT(HXB_OK, hxb_wait_all_sends(end->context, 20 * HXB_SECOND));
    EXPECT(0, hxb_messages_held(end->context));
    EXPECT(HXB_OK, hxb_detach(end->device));
}

/* Both ends in one thread: seed, messages each way. */
void direct(char **arguments) {
    static struct end one, two;
    int seed = number(arguments, 1, 1);
    int count = arguments[1] != NULL ? number(arguments, 2, 4000) : 4000;
    open_end(&one, arguments[0], 1, 2, count, seed);
    open_end(&two, arguments[0], 2, 1, count, ~seed);
    while (!is_finished(&one) || !is_finished(&two)) {
        step(&one);
        step(&two);
    }
    close_end(&one);
    close_end(&two);
}

/* One end; the other one, in C or Java, is another process: own context, its context, seed, messages each way. Begins
 * when there is a line to read. */
void direct_end(char **arguments) {
    static struct end end;
    open_end(&end, arguments[0], number(arguments, 1, 1), number(arguments, 2, 2), number(arguments, 4, 4000),
             number(arguments, 3, 1));
    puts("ready");
    fflush(stdout);
    CHECK(getchar() == '\n');
    while (!is_finished(&end)) {
        step(&end);
        if (below(&end, 64) == 0) {
            hxb_wait(end.context, below(&end, 2) == 0 ? HXB_WAIT_MESSAGES : HXB_WAIT_MESSAGES | HXB_WAIT_SENDS, 100000);
        }
    }
    close_end(&end);
}

/* True if a place to write in, or a message, lies in the memory of a ring. */
static bool is_in_ring(const void *place) {
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[512];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t begin, end;
        is_found = sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 && (uintptr_t)place >= begin
            && (uintptr_t)place < end && strstr(line, "memfd:hxb-direct ") != NULL;
    }
    fclose(maps);
    return is_found;
}

/* True if the next message to a context goes directly. */
static bool is_direct(int peer) {
    void *data;
    int slot = hxb_claim(context, (hxb_address){0, peer}, 1, &data);
    CHECK(slot >= 0);
    bool is_found = is_in_ring(data);
    EXPECT(HXB_OK, hxb_abort(context, slot));
    return is_found;
}

static void round_trips(int peer, int count) {
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        hxb_message message;
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, peer}, &i, sizeof i, i, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_receive_wait(context, &message, 20 * HXB_SECOND));
        CHECK(message.tag == i && memcmp(message.data, &i, sizeof i) == 0);
        EXPECT(HXB_OK, hxb_release(context, &message));
    }
}

/* Round trips until messages to a context go directly: the node answers offers when it likes. */
static void go_direct(int peer) {
    int64_t end = now_ns() + 20 * HXB_SECOND;
    do {
        CHECK(now_ns() < end);
        round_trips(peer, 100);
    } while (!is_direct(peer));
}

/* The same for a context of this thread: after 32 messages the ring is offered. */
static void go_direct_to(hxb_context *to, int peer) {
    hxb_message message;
    for (int i = 0; i < 32; i++) {
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, peer}, "x", 1, 0, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_receive_wait(to, &message, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_release(to, &message));
    }
    int64_t end = now_ns() + 20 * HXB_SECOND;
    while (!is_direct(peer)) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
        CHECK(now_ns() < end);
        EXPECT(HXB_EMPTY, hxb_receive(to, &message));
    }
}

static void *receive_late(void *to) {
    struct timespec pause = {0, 50000000};
    nanosleep(&pause, NULL);
    hxb_message message;
    EXPECT(HXB_OK, hxb_own_context(to));
    for (int i = 0; i < 4; i++) {
        EXPECT(HXB_OK, hxb_receive_wait(to, &message, 20 * HXB_SECOND));
        EXPECT(HXB_OK, hxb_release(to, &message));
    }
    return NULL;
}

/* A ring without room: claims fail or wait, and go on when the receiver releases something. */
void direct_full(char **arguments) {
    static uint8_t payload[1 << 20];
    hxb_context *to;
    hxb_context_options options;
    hxb_default_options(&options);
    options.send_buffers = 4096;
    options.send_buffer_bytes = 0;
    EXPECT(HXB_OK, hxb_attach(arguments[0], &device));
    EXPECT(HXB_OK, hxb_open_context(device, 1, &options, &context));
    EXPECT(HXB_OK, hxb_open_context(device, 2, NULL, &to));
    hxb_message message;
    go_direct_to(to, 2);
    size_t length = (size_t)hxb_max_length(context);
    int sent = 0;
    int status;
    while ((status = hxb_send(context, (hxb_address){0, 2}, payload, length, 0, 1000000)) == HXB_OK) {
        sent++;
    }
    EXPECT(HXB_TIMED_OUT, status);
    CHECK(sent > 50 && sent < 1000);
    for (int i = 0; i < 20; i++) {
        void *data;
        pthread_t thread;
        EXPECT(HXB_NO_BUFFERS, hxb_claim(context, (hxb_address){0, 2}, length, &data));
        pthread_create(&thread, NULL, receive_late, to);
        for (int j = 0; j < 4; j++) {
            EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 2}, payload, length, 0, 20 * HXB_SECOND));
        }
        pthread_join(thread, NULL);
    }
    EXPECT(HXB_OK, hxb_own_context(to));
    /* A sender that only looks finds room for one message soon, too, which is not worth a notification. */
    for (int i = 0; i < 20; i++) {
        void *data;
        int slot = hxb_claim(context, (hxb_address){0, 2}, length, &data);
        EXPECT(HXB_NO_BUFFERS, slot);
        EXPECT(HXB_OK, hxb_receive(to, &message));
        EXPECT(HXB_OK, hxb_release(to, &message));
        for (int looks = 0; slot == HXB_NO_BUFFERS && looks < 64; looks++) {
            slot = hxb_claim(context, (hxb_address){0, 2}, length, &data);
        }
        CHECK(slot >= 0);
        EXPECT(HXB_OK, hxb_commit(context, slot, length, 0));
    }
    for (; sent > 0; sent--) {
        EXPECT(HXB_OK, hxb_receive(to, &message));
        EXPECT(HXB_OK, hxb_release(to, &message));
    }
    EXPECT(HXB_EMPTY, hxb_receive(to, &message));
    EXPECT(HXB_OK, hxb_detach(device));
}

/* Writes a header into its ring that cannot be: the receiver gives the ring up and goes on. Context, number of the
 * header. */
void direct_rude(char **arguments) {
    static const int32_t HEADERS[] = {INT32_MAX, -12, INT32_MIN, 1 << 20, -(1 << 20), -4};
    open_both(arguments[0], 1);
    int peer = number(arguments, 1, 5);
    uint64_t header = (uint32_t)HEADERS[number(arguments, 2, 0)];
    void *data;
    go_direct(peer);
    int slot = hxb_claim(context, (hxb_address){0, peer}, 1000, &data);
    CHECK(slot >= 0);
    __atomic_store_n((uint64_t *)data - 1, header, __ATOMIC_RELEASE);
    /* The receiver was not asked to wake, but looks often. */
    struct timespec pause = {0, 300000000};
    nanosleep(&pause, NULL);
    EXPECT(HXB_OK, hxb_abort(context, slot));
    round_trips(peer, 200);
    close_both();
}

/* Messages in a ring are received although their sender is closed before the receiver has looked. */
void direct_closed(char **arguments) {
    hxb_context *to;
    open_both(arguments[0], 1);
    EXPECT(HXB_OK, hxb_open_context(device, 2, NULL, &to));
    hxb_message message;
    go_direct_to(to, 2);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(HXB_OK, hxb_send(context, (hxb_address){0, 2}, "in the ring", 12, i, 20 * HXB_SECOND));
    }
    EXPECT(HXB_OK, hxb_wait_all_sends(context, 20 * HXB_SECOND));
    EXPECT(HXB_OK, hxb_close_context(context));
    /* The node serves this after the closing. */
    EXPECT(HXB_OK, hxb_open_context(device, 3, NULL, &context));
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(HXB_OK, hxb_receive_wait(to, &message, 20 * HXB_SECOND));
        CHECK(message.tag == i && message.length == 12 && message.from.context == 1);
        EXPECT(HXB_OK, hxb_release(to, &message));
    }
    EXPECT(HXB_EMPTY, hxb_receive(to, &message));
    EXPECT(HXB_OK, hxb_detach(device));
}

/* Endless round trips with context ARGUMENT, until the test kills it. */
void direct_ping(char **arguments) {
    open_both(arguments[0], number(arguments, 1, 1));
    go_direct(number(arguments, 2, 5));
    puts("ready");
    fflush(stdout);
    round_trips(number(arguments, 2, 5), INT32_MAX);
}
