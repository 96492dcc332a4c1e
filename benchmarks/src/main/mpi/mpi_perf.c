/*
 * mpi_perf: what MPI messages, collective and one-sided operations cost, with any MPI.
 *
 *   mpirun -n RANKS mpi_perf TEST [options]
 *
 *   TEST           what is done again and again, one iteration                 ranks      sizes   window
 *   latency        a message to rank 1 and back: whole round trips             2          8       -
 *   bandwidth      `window` messages to rank 1, then an empty answer           2          1M      64
 *   bidirectional  the same both ways at once; MB/s of both                    2          1M      64
 *   rate           bandwidth, from rank i to rank i + RANKS/2, all at once     even       32      64
 *   allreduce      sum of doubles, `size` bytes of them (a multiple of 8)      2 or more  8       -
 *   barrier        a barrier                                                   2 or more  -       -
 *   bcast          from rank 0, after a barrier that is not timed              2 or more  8       -
 *   alltoall       `size` bytes from each rank to each                         2 or more  8       -
 *   put, get       `window` operations on the memory of rank 1, then a flush   2          8       1
 *
 *   --sizes LIST      bytes of a message, such as 0,8,64K,1M; at most 1G
 *   --window N        messages or operations of an iteration, 1 to 4096
 *   --seconds S       length of a measurement, about: the warm-up finds how many iterations these are (default: 2)
 *   --iterations N    that many instead, 1 to 10,000,000
 *   --warmup S       seconds before each measurement (default: 0.5)
 *   --json            one object a line instead of a table
 *   --help
 *
 * Percentiles are those of all iterations; where all ranks take part, of each iteration on its slowest rank. In
 * bandwidth, bidirectional and rate, an iteration is the whole window, seen by rank 0. What is counted a second are the
 * messages or operations of all ranks together, two a round trip. MB are 10^6 bytes.
 *
 * Messages of 8 bytes or more are numbered, and the numbers are compared as they arrive. All other bytes, and the
 * results of collective and one-sided operations, are compared before the warm-up and after each part of the run, outside
 * of what is timed. Ends with 0, 1 if something was wrong, 2 for wrong usage.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_SIZES 64
#define MAX_WINDOW 4096
#define MAX_ITERATIONS 10000000
#define MAX_BYTES (1ull << 30)
#define STAMP_BYTES sizeof(uint64_t)
#define CHECKED_FIRST 3

enum ranks_needed { PAIR, EVEN, GROUP };

struct test {
    const char *name, *sample;
    enum ranks_needed ranks;
    const char *sizes; /* by default; NULL: it has none */
    int window;        /* by default; 0: it has none */
    bool is_numbered;  /* its messages are */
    void (*iterate)(uint64_t number);
    bool (*is_received)(int slot, int *sender, int *their_slot);
};

static const struct test *test;
static int rank, ranks, window = -1, slots, turn;
static size_t size, sizes[MAX_SIZES], size_count;
static uint8_t *outgoing, *incoming;
static MPI_Request *requests;
static MPI_Win memory = MPI_WIN_NULL;
static uint8_t *shared; /* rank 1's is read and written by rank 0 */
static double seconds = 2, warm_up = 0.5;
static uint64_t iterations;
static bool is_json;

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void fail(const char *what) {
    fprintf(stderr, "mpi_perf: rank %d: %s of %zu bytes: %s\n", rank, test->name, size, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *allocate(size_t bytes) {
    void *made = calloc(bytes + 1, 1);
    if (made == NULL) fail("no memory");
    return made;
}

/* ---- What messages contain ---- */

static uint8_t content(int sender, int slot, size_t i) {
    return (uint8_t)(i * 131 + (i >> 8) * 29 + (unsigned)(sender * 17 + slot * 5 + turn * 3));
}

static void stamp(uint8_t *message, uint64_t number) {
    if (size >= STAMP_BYTES) memcpy(message, &number, STAMP_BYTES);
}

static void check_stamp(const uint8_t *message, uint64_t number) {
    uint64_t found;
    if (size < STAMP_BYTES) return;
    memcpy(&found, message, STAMP_BYTES);
    if (found != number) {
        char text[96];
        snprintf(text, sizeof text, "message %" PRIu64 " came instead of %" PRIu64, found, number);
        fail(text);
    }
}

static double *doubles(uint8_t *bytes) {
    return (double *)(void *)bytes;
}

static bool is_sum(void) {
    return strcmp(test->name, "allreduce") == 0;
}

static void fill(void) {
    memset(incoming, 0xEE, size * (size_t)slots);
    if (is_sum()) {
        for (size_t i = 0; i < size / sizeof(double); i++) doubles(outgoing)[i] = (double)(rank + turn + (int)(i % 1000));
        return;
    }
    for (int slot = 0; slot < slots; slot++) {
        for (size_t i = 0; i < size; i++) outgoing[(size_t)slot * size + i] = content(rank, slot, i);
    }
    if (memory == MPI_WIN_NULL) return;
    memset(shared, 0xEE, size * (size_t)slots);
    if (rank == 1 && strcmp(test->name, "get") == 0) memcpy(shared, outgoing, size * (size_t)slots);
    MPI_Win_sync(memory);
}

static void verify_sum(void) {
    for (size_t i = 0; i < size / sizeof(double); i++) {
        double expected = (double)ranks * (double)(turn + (int)(i % 1000)) + (double)ranks * (ranks - 1) / 2;
        if (doubles(incoming)[i] != expected) fail("a wrong sum");
    }
}

static void verify(void) {
    const uint8_t *received = incoming;
    if (is_sum()) {
        verify_sum();
        return;
    }
    if (memory != MPI_WIN_NULL && rank == 1) {
        MPI_Win_sync(memory);
        received = shared;
    }
    for (int slot = 0; slot < slots; slot++) {
        int sender, their_slot;
        if (!test->is_received(slot, &sender, &their_slot)) continue;
        for (size_t i = test->is_numbered && size >= STAMP_BYTES ? STAMP_BYTES : 0; i < size; i++) {
            uint8_t found = received[(size_t)slot * size + i], expected = content(sender, their_slot, i);
            if (found != expected) {
                char text[128];
                snprintf(text, sizeof text, "byte %zu of message %d from rank %d is %02x instead of %02x", i, slot, sender,
                         found, expected);
                fail(text);
            }
        }
    }
}

/* ---- Messages ---- */

static bool from_peer(int slot, int *sender, int *their_slot) {
    *sender = 1 - rank;
    *their_slot = slot;
    return true;
}

static bool from_first_half(int slot, int *sender, int *their_slot) {
    *sender = rank - ranks / 2;
    *their_slot = slot;
    return *sender >= 0;
}

static bool from_root(int slot, int *sender, int *their_slot) {
    *sender = 0;
    *their_slot = slot;
    return rank != 0;
}

static bool from_each(int slot, int *sender, int *their_slot) {
    *sender = slot;
    *their_slot = rank;
    return true;
}

static bool got(int slot, int *sender, int *their_slot) {
    *sender = 1;
    *their_slot = slot;
    return rank == 0;
}

static bool nothing(int slot, int *sender, int *their_slot) {
    (void)slot, (void)sender, (void)their_slot;
    return false;
}

static void latency(uint64_t number) {
    if (rank == 0) {
        stamp(outgoing, number);
        MPI_Send(outgoing, (int)size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(incoming, (int)size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_stamp(incoming, number);
    if (rank == 1) {
        stamp(outgoing, number);
        MPI_Send(outgoing, (int)size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void post_sends(int peer, uint64_t number, MPI_Request *posted) {
    for (int slot = 0; slot < window; slot++) {
        uint8_t *message = outgoing + (size_t)slot * size;
        stamp(message, number * MAX_WINDOW + (uint64_t)slot);
        MPI_Isend(message, (int)size, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &posted[slot]);
    }
}

static void post_receives(int peer, MPI_Request *posted) {
    for (int slot = 0; slot < window; slot++) {
        MPI_Irecv(incoming + (size_t)slot * size, (int)size, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &posted[slot]);
    }
}

static void check_stamps(uint64_t number) {
    for (int slot = 0; slot < window; slot++) {
        check_stamp(incoming + (size_t)slot * size, number * MAX_WINDOW + (uint64_t)slot);
    }
}

static void send_window(int peer, uint64_t number) {
    post_sends(peer, number, requests);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_window(int peer, uint64_t number) {
    post_receives(peer, requests);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    check_stamps(number);
    MPI_Send(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
}

static void bandwidth(uint64_t number) {
    int half = ranks / 2;
    if (rank < half) send_window(rank + half, number);
    else receive_window(rank - half, number);
}

static void bidirectional(uint64_t number) {
    int peer = 1 - rank;
    post_receives(peer, requests);
    post_sends(peer, number, requests + window);
    MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
    check_stamps(number);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, 1, NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- Collective and one-sided operations ---- */

static void allreduce(uint64_t number) {
    (void)number;
    MPI_Allreduce(outgoing, incoming, (int)(size / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(uint64_t number) {
    (void)number;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(uint64_t number) {
    (void)number;
    MPI_Bcast(rank == 0 ? outgoing : incoming, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void alltoall(uint64_t number) {
    (void)number;
    MPI_Alltoall(outgoing, (int)size, MPI_BYTE, incoming, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}

static void put(uint64_t number) {
    (void)number;
    if (rank != 0) return;
    for (int slot = 0; slot < window; slot++) {
        size_t at = (size_t)slot * size;
        MPI_Put(outgoing + at, (int)size, MPI_BYTE, 1, (MPI_Aint)at, (int)size, MPI_BYTE, memory);
    }
    MPI_Win_flush(1, memory);
}

static void get(uint64_t number) {
    (void)number;
    if (rank != 0) return;
    for (int slot = 0; slot < window; slot++) {
        size_t at = (size_t)slot * size;
        MPI_Get(incoming + at, (int)size, MPI_BYTE, 1, (MPI_Aint)at, (int)size, MPI_BYTE, memory);
    }
    MPI_Win_flush(1, memory);
}

static const struct test TESTS[] = {
    {"latency", "round trip", PAIR, "8", 0, true, latency, from_peer},
    {"bandwidth", "window", PAIR, "1M", 64, true, bandwidth, from_first_half},
    {"bidirectional", "window", PAIR, "1M", 64, true, bidirectional, from_peer},
    {"rate", "window", EVEN, "32", 64, true, bandwidth, from_first_half},
    {"allreduce", "allreduce", GROUP, "8", 0, false, allreduce, nothing},
    {"barrier", "barrier", GROUP, NULL, 0, false, barrier, nothing},
    {"bcast", "bcast", GROUP, "8", 0, false, bcast, from_root},
    {"alltoall", "alltoall", GROUP, "8", 0, false, alltoall, from_each},
    {"put", "put and flush", PAIR, "8", 1, false, put, from_first_half},
    {"get", "get and flush", PAIR, "8", 1, false, get, got},
};

static bool is_one_sided(void) {
    return test->iterate == put || test->iterate == get;
}

/* ---- Measuring ---- */

/* Does it `count` times; samples, if wanted, are those of this rank. Returns the seconds of the slowest rank. */
static double run(uint64_t count, double *samples) {
    static uint64_t number;
    turn++;
    fill();
    MPI_Barrier(MPI_COMM_WORLD);
    double elapsed = 0, before = now_us();
    for (uint64_t i = 0; i < count; i++) {
        if (test->iterate == bcast) {
            MPI_Barrier(MPI_COMM_WORLD);
            before = now_us();
        }
        test->iterate(number++);
        double after = now_us();
        elapsed += (after - before) / 1e6;
        if (samples != NULL) samples[i] = after - before;
        before = after;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    verify();
    MPI_Allreduce(MPI_IN_PLACE, &elapsed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return elapsed;
}

/* Longer and longer, so that the last part shows how many iterations fill the time that was asked for. */
static uint64_t warmed_up(void) {
    uint64_t count = 1;
    double total = 0, last;
    for (int i = 0; i < CHECKED_FIRST; i++) run(1, NULL);
    for (;; count *= 2) {
        last = run(count, NULL);
        total += last;
        if (total >= warm_up || count >= MAX_ITERATIONS / 2) break;
    }
    if (iterations > 0) return iterations;
    double wanted = last > 0 ? ceil(seconds * (double)count / last) : MAX_ITERATIONS;
    return wanted < 1 ? 1 : wanted > MAX_ITERATIONS ? MAX_ITERATIONS : (uint64_t)wanted;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, uint64_t count, double share) {
    uint64_t at = (uint64_t)ceil(share * (double)count);
    return sorted[at == 0 ? 0 : at - 1];
}

static void print_heading(void) {
    if (rank != 0 || is_json) return;
    printf("# %s, %d ranks; times of one %s in us", test->name, ranks, test->sample);
    if (test->window > 0) printf(", %d messages or operations each", window);
    printf("\n%10s %10s %10s %10s %10s %10s %10s %10s %12s\n", "bytes", "count", "p50", "p90", "p99", "p99.9", "max",
           "MB/s", "a second");
}

/* Messages or operations of all ranks together: `rate` a second. */
static void print(double *samples, uint64_t count, double elapsed) {
    int messages = (test->window > 0 ? window : 1) * (test->ranks == EVEN ? ranks / 2 : 1);
    if (test->iterate == bidirectional || test->iterate == latency) messages *= 2;
    double rate = (double)count * messages / elapsed, mega = rate * (double)size / 1e6;
    double p[] = {0.5, 0.9, 0.99, 0.999, 1};
    qsort(samples, count, sizeof *samples, ascending);
    for (int i = 0; i < 5; i++) p[i] = percentile(samples, count, p[i]);
    if (is_json) {
        printf("{\"test\":\"%s\",\"ranks\":%d,\"bytes\":%zu,\"window\":%d,\"iterations\":%" PRIu64
               ",\"seconds\":%.3f,\"sample\":\"%s\",\"p50_us\":%.3f,\"p90_us\":%.3f,\"p99_us\":%.3f,\"p999_us\":%.3f,"
               "\"max_us\":%.3f,\"MBps\":%.3f,\"rate\":%.1f}\n",
               test->name, ranks, size, test->window > 0 ? window : 1, count, elapsed, test->sample, p[0], p[1], p[2], p[3],
               p[4], mega, rate);
    } else {
        printf("%10zu %10" PRIu64 " %10.2f %10.2f %10.2f %10.2f %10.2f %10.2f %12.1f\n", size, count, p[0], p[1], p[2],
               p[3], p[4], mega, rate);
    }
    fflush(stdout);
}

static void measure(void) {
    size_t bytes = size * (size_t)slots;
    outgoing = allocate(bytes);
    incoming = allocate(bytes);
    if (is_one_sided()) {
        MPI_Win_allocate((MPI_Aint)(bytes + 1), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &memory);
        MPI_Win_lock_all(0, memory);
    }
    uint64_t count = warmed_up();
    double *samples = allocate(count * sizeof *samples);
    double elapsed = run(count, samples);
    if (test->ranks == GROUP) {
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : samples, samples, (int)count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) print(samples, count, elapsed);
    if (is_one_sided()) {
        MPI_Win_unlock_all(memory);
        MPI_Win_free(&memory);
    }
    free(samples);
    free(outgoing);
    free(incoming);
}

/* ---- Command line ---- */

static const char USAGE[] =
    "usage: mpirun -n RANKS mpi_perf TEST [--sizes LIST] [--window N] [--seconds S | --iterations N]\n"
    "       [--warmup S] [--json]\n"
    "TEST: latency bandwidth bidirectional rate allreduce barrier bcast alltoall put get\n";

static void end(int status, const char *what, const char *value) {
    if (rank == 0 && status != 0) fprintf(stderr, "mpi_perf: %s%s\n", what, value);
    if (rank == 0) fputs(USAGE, status == 0 ? stdout : stderr);
    MPI_Finalize();
    exit(status);
}

static uint64_t number(const char *text, const char *option, uint64_t min, uint64_t max) {
    char *rest;
    uint64_t value = *text >= '0' && *text <= '9' ? strtoull(text, &rest, 10) : UINT64_MAX;
    if (value == UINT64_MAX || *rest != '\0' || value < min || value > max) {
        char what[96];
        snprintf(what, sizeof what, "%s must be %" PRIu64 " to %" PRIu64 ": ", option, min, max);
        end(2, what, text);
    }
    return value;
}

static double duration(const char *text, const char *option, double min) {
    char *rest;
    double value = strtod(text, &rest);
    if (rest == text || *rest != '\0' || !(value >= min && value <= 86400)) {
        char what[96];
        snprintf(what, sizeof what, "%s must be %g to 86400 seconds: ", option, min);
        end(2, what, text);
    }
    return value;
}

static void parse_sizes(const char *text) {
    for (const char *at = text; size_count == 0 || at[-1] == ','; at++) {
        char *rest = NULL;
        uint64_t value = *at >= '0' && *at <= '9' ? strtoull(at, &rest, 10) : UINT64_MAX;
        int shift = rest == NULL ? 0 : *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0;
        if (rest != NULL && shift > 0) rest++;
        if (value > MAX_BYTES >> shift || (*rest != ',' && *rest != '\0') || size_count == MAX_SIZES) {
            end(2, "--sizes are numbers up to 1G with commas between them, at most 64, such as 8,64K,1M: ", text);
        }
        sizes[size_count++] = value << shift;
        at = rest;
    }
}

static void parse(int argc, char **argv) {
    bool has_seconds = false;
    const char *given = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) end(0, "", "");
    }
    for (size_t i = 0; argc > 1 && i < sizeof TESTS / sizeof *TESTS; i++) {
        if (strcmp(TESTS[i].name, argv[1]) == 0) test = &TESTS[i];
    }
    if (test == NULL) end(2, "there is no such test: ", argc > 1 ? argv[1] : "(none given)");
    for (int i = 2; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(option, "--json") == 0) {
            is_json = true;
            continue;
        }
        if (strcmp(option, "--sizes") == 0) given = value;
        else if (strcmp(option, "--window") == 0) window = (int)number(value, option, 1, MAX_WINDOW);
        else if (strcmp(option, "--iterations") == 0) iterations = number(value, option, 1, MAX_ITERATIONS);
        else if (strcmp(option, "--warmup") == 0) warm_up = duration(value, option, 0);
        else if (strcmp(option, "--seconds") == 0) seconds = duration(value, option, 0.001), has_seconds = true;
        else end(2, "there is no such option: ", option);
        i++;
    }
    if (has_seconds && iterations > 0) end(2, "--seconds or --iterations, not both", "");
    if (given != NULL && test->sizes == NULL) end(2, "there are no --sizes of a ", test->name);
    if (window > 0 && test->window == 0) end(2, "there is no --window of ", test->name);
    parse_sizes(given != NULL ? given : test->sizes != NULL ? test->sizes : "0");
}

static void check_arguments(void) {
    if (test->ranks == PAIR && ranks != 2) end(2, "it needs 2 ranks: ", test->name);
    if (test->ranks == EVEN && ranks % 2 != 0) end(2, "it needs an even number of ranks: ", test->name);
    if (ranks < 2) end(2, "it needs 2 ranks or more: ", test->name);
    if (window < 0) window = test->window;
    slots = test->iterate == alltoall ? ranks : test->window > 0 ? window : 1;
    for (size_t i = 0; i < size_count; i++) {
        if (sizes[i] > MAX_BYTES / (size_t)slots) end(2, "all messages of an iteration together are at most 1G", "");
        if (is_sum() && sizes[i] % sizeof(double) != 0) end(2, "--sizes must be multiples of 8 for ", test->name);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    parse(argc, argv);
    check_arguments();
    requests = malloc(2 * (size_t)(window > 0 ? window : 1) * sizeof(MPI_Request));
    if (requests == NULL) fail("no memory");
    print_heading();
    for (size_t i = 0; i < size_count; i++) {
        size = sizes[i];
        measure();
    }
    free(requests);
    MPI_Finalize();
    if (ferror(stdout) || fclose(stdout) != 0) return 1;
    return 0;
}
