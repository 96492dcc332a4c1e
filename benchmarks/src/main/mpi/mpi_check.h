/* What the tests of mpi_check have in common: ends, random numbers that all ranks draw alike, plans of messages whose
 * bytes follow from their number, and the ways to wait for requests. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#define _POSIX_C_SOURCE 200809L
#include <mpi.h>

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_MESSAGE (3u << 20)
#define GUARD 0xA5 /* what bytes are before something is received into them */
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static int rank, ranks, round_number, rounds = -1, first_round, limit_s = 60;
static double seconds = -1;
static uint64_t seed, checks;
static const char *test_name = "start", *only = "";
static bool is_verbose, is_strict;
static char where[160]; /* for the handler of a timeout */

/* ---- Ends ---- */

static void wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void wrong(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "mpi_check: WRONG: seed %" PRIu64 " round %d test %s rank %d of %d: %s\n", seed, round_number, test_name,
            rank, ranks, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void on_timeout(int number) {
    (void)number;
    ssize_t written = write(STDERR_FILENO, where, strlen(where));
    _exit(written > 0 ? 1 : 3);
}

static void begin(const char *name) {
    test_name = name;
    snprintf(where, sizeof where, "mpi_check: HANGS: seed %" PRIu64 " round %d test %s rank %d of %d: over %d s\n", seed,
             round_number, name, rank, ranks, limit_s);
    alarm((unsigned)limit_s);
}

#define CHECK(condition, ...) \
    do { \
        checks++; \
        if (!(condition)) wrong(__VA_ARGS__); \
    } while (0)

static void *allocate(size_t bytes) {
    void *made = malloc(bytes + 1);
    if (made == NULL) wrong("no memory for %zu bytes", bytes);
    return made;
}

static void *zeros(size_t bytes) {
    return memset(allocate(bytes), 0, bytes);
}

/* ---- Numbers: all ranks draw the same from `plan`, so that each knows what the others do ---- */

static uint64_t plan, own;

/* Source: S. Vigna, splitmix64. */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static int below(uint64_t *state, int limit) {
    return (int)(draw(state) % (uint64_t)limit);
}

/* None, few and many bytes, and sizes beside powers of two, where protocols change. */
static int random_size(uint64_t *state) {
    int kind = below(state, 16);
    if (kind == 0) return 0;
    if (kind == 1) return below(state, MAX_MESSAGE + 1);
    if (kind <= 4) return (1 << below(state, 22)) + below(state, 3) - 1;
    return below(state, 1 << (1 + below(state, 17)));
}

static void fill(void *target, int bytes, uint64_t number) {
    uint8_t *at = target;
    uint64_t state = seed ^ number * 0xD1342543DE82EF95u;
    int i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t word = draw(&state);
        memcpy(at + i, &word, 8);
    }
    for (uint64_t word = draw(&state); i < bytes; i++, word >>= 8) at[i] = (uint8_t)word;
}

static void check_bytes(const void *found, int bytes, uint64_t number, const char *what) {
    static uint8_t *expected;
    if (expected == NULL) expected = allocate(2 * MAX_MESSAGE);
    fill(expected, bytes, number);
    checks++;
    if (memcmp(found, expected, (size_t)bytes) == 0) return;
    int i = 0;
    while (((const uint8_t *)found)[i] == expected[i]) i++;
    wrong("%s: byte %d of %d is %02x instead of %02x", what, i, bytes, ((const uint8_t *)found)[i], expected[i]);
}

static void check_guard(const uint8_t *from, int bytes, const char *what) {
    checks++;
    for (int i = 0; i < bytes; i++) {
        if (from[i] != GUARD) wrong("%s: byte %d after the end was written", what, i);
    }
}

/* ---- Plans of messages ---- */

struct message {
    int source, destination, tag, size;
    bool is_synchronous, is_taken;
    uint64_t number;
    uint8_t *bytes;
};

static struct message *messages;
static int message_count;
static uint64_t next_number;

static void plan_messages(int count, int tags) {
    message_count = count;
    messages = zeros((size_t)count * sizeof *messages);
    for (int i = 0; i < count; i++) {
        struct message *m = &messages[i];
        m->source = below(&plan, ranks);
        m->destination = below(&plan, ranks);
        m->tag = below(&plan, tags) * 1000;
        m->size = random_size(&plan);
        m->is_synchronous = below(&plan, 4) == 0;
        m->number = next_number++;
    }
}

static int post_sends(MPI_Comm comm, MPI_Request *requests) {
    int posted = 0;
    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];
        if (m->source != rank) continue;
        m->bytes = allocate((size_t)m->size);
        fill(m->bytes, m->size, m->number);
        (m->is_synchronous ? MPI_Issend : MPI_Isend)(m->bytes, m->size, MPI_BYTE, m->destination, m->tag, comm,
                                                     &requests[posted++]);
    }
    return posted;
}

static void free_messages(void) {
    for (int i = 0; i < message_count; i++) free(messages[i].bytes);
    free(messages);
}

/* The message that MPI must give to the next receive for `source` and `tag`, which may be MPI_ANY_TAG. */
static struct message *next_of(int source, int tag) {
    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];
        if (m->destination == rank && m->source == source && (tag == MPI_ANY_TAG || m->tag == tag) && !m->is_taken) {
            m->is_taken = true;
            return m;
        }
    }
    wrong("a message from rank %d with tag %d that nobody has sent", source, tag);
}

static void check_received(const uint8_t *bytes, int capacity, int tag, const MPI_Status *status) {
    int size;
    const struct message *m = next_of(status->MPI_SOURCE, tag);
    MPI_Get_count(status, MPI_BYTE, &size);
    CHECK(status->MPI_TAG == m->tag, "tag %d came from rank %d instead of %d", status->MPI_TAG, m->source, m->tag);
    CHECK(size == m->size, "%d bytes came from rank %d instead of %d", size, m->source, m->size);
    check_bytes(bytes, size, m->number, "a message");
    check_guard(bytes + size, capacity - size, "a message");
}

static void pause_randomly(void) {
    const struct timespec time = {0, below(&own, 3) == 0 ? 0 : below(&own, 2000000)};
    nanosleep(&time, NULL);
}

/* ---- Completion ---- */

static void wait_one_by_one(int count, MPI_Request *requests, MPI_Status *statuses) {
    for (int i = 0; i < count; i++) {
        int index;
        MPI_Status status;
        MPI_Waitany(count, requests, &index, &status);
        CHECK(index >= 0 && index < count, "Waitany has given index %d of %d", index, count);
        statuses[index] = status;
    }
}

static void wait_some(int count, MPI_Request *requests, MPI_Status *statuses, bool is_testing) {
    int *indexes = allocate((size_t)count * sizeof *indexes);
    MPI_Status *some = allocate((size_t)count * sizeof *some);
    for (int left = count; left > 0;) {
        int done;
        (is_testing ? MPI_Testsome : MPI_Waitsome)(count, requests, &done, indexes, some);
        CHECK(done >= 0 && done <= left, "%d requests were done of %d", done, left);
        for (int i = 0; i < done; i++) statuses[indexes[i]] = some[i];
        left -= done;
    }
    free(indexes);
    free(some);
}

static void test_each(int count, MPI_Request *requests, MPI_Status *statuses) {
    bool *is_done = zeros((size_t)count * sizeof *is_done);
    for (int left = count; left > 0;) {
        int i = below(&own, count), flag;
        if (is_done[i]) continue;
        MPI_Test(&requests[i], &flag, &statuses[i]);
        is_done[i] = flag;
        left -= flag;
    }
    free(is_done);
}

static void complete(int count, MPI_Request *requests, MPI_Status *statuses) {
    if (count == 0) return;
    switch (below(&own, 5)) {
    case 0: wait_one_by_one(count, requests, statuses); break;
    case 1: wait_some(count, requests, statuses, false); break;
    case 2: wait_some(count, requests, statuses, true); break;
    case 3: test_each(count, requests, statuses); break;
    default: MPI_Waitall(count, requests, statuses);
    }
    for (int i = 0; i < count; i++) CHECK(requests[i] == MPI_REQUEST_NULL, "request %d is left after its end", i);
}

#endif
