/*
 * mpi_check: does MPI deliver what it must? A program of random messages and operations that checks all that it gets.
 *
 *   mpirun -n RANKS mpi_check [--seed N] [--rounds N] [--seconds S] [--first N] [--timeout S] [--only PART]
 *                            [--strict] [--verbose]
 *
 *   --seed N      what is sent to whom follows from it (default: from the clock)
 *   --rounds N    each does all tests once (default 3)
 *   --seconds S   no round begins later than that (default 10 without --rounds, none with it)
 *   --first N     begins with that round (default 0), to repeat one that failed
 *   --timeout S   seconds that one test may take, 0 for ever (default 60)
 *   --only PART   only the tests whose names have PART in them
 *   --strict      also what Open MPI 4.1 cannot do by itself: nothing may be written behind the end of a receive that was
 *                 too short (its ob1 does), and a rank may compare and swap in its own window (its vader fails)
 *   --verbose     says how long each test took
 *
 * For any number of ranks. Rank 0 prints the seed first and `ok SEED checks=N` at last. What is wrong ends the program
 * with status 1 and a line that says which seed, round, test and rank; wrong usage ends it with status 2.
 */
#include "mpi_check.h"

/* ---- Messages between random ranks ---- */

struct receive {
    int tag, capacity;
    uint8_t *bytes;
};

/* All receives of a rank are of one kind, so that each can only get one message: exact, or any source, tag or both. */
static int post_receives(MPI_Comm comm, struct receive *receives, MPI_Request *requests) {
    bool is_any_source = below(&own, 2), is_any_tag = below(&own, 2);
    int posted = 0, longest = 0;
    for (int i = 0; i < message_count; i++) {
        if (messages[i].destination == rank && messages[i].size > longest) longest = messages[i].size;
    }
    for (int i = 0; i < message_count; i++) {
        const struct message *m = &messages[i];
        struct receive *r = &receives[posted];
        if (m->destination != rank) continue;
        r->capacity = is_any_source || is_any_tag ? longest : m->size + below(&own, 2) * 100;
        r->tag = is_any_tag ? MPI_ANY_TAG : m->tag;
        r->bytes = memset(allocate((size_t)r->capacity), GUARD, (size_t)r->capacity);
        MPI_Irecv(r->bytes, r->capacity, MPI_BYTE, is_any_source ? MPI_ANY_SOURCE : m->source, r->tag, comm,
                  &requests[posted++]);
    }
    return posted;
}

static void random_messages(void) {
    plan_messages(10 + 4 * ranks, 3);
    MPI_Request *requests = allocate(2 * (size_t)message_count * sizeof *requests);
    MPI_Status *statuses = allocate(2 * (size_t)message_count * sizeof *statuses);
    struct receive *receives = allocate((size_t)message_count * sizeof *receives);
    bool is_late = below(&own, 2);
    int sent = is_late ? post_sends(MPI_COMM_WORLD, requests) : 0;
    if (is_late) pause_randomly();
    int received = post_receives(MPI_COMM_WORLD, receives, requests + sent);
    MPI_Request *all = requests;
    if (!is_late) sent = post_sends(MPI_COMM_WORLD, requests + received);
    complete(sent + received, all, statuses);
    for (int i = 0; i < received; i++) {
        check_received(receives[i].bytes, receives[i].capacity, receives[i].tag, &statuses[is_late ? sent + i : i]);
        free(receives[i].bytes);
    }
    free(requests);
    free(statuses);
    free(receives);
    free_messages();
}

/* ---- Probes ---- */

static void probe_one(int kind) {
    MPI_Status status, second;
    MPI_Message handle = MPI_MESSAGE_NULL;
    int flag = 0, size;
    switch (kind) {
    case 0: MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status); break;
    case 1: MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &handle, &status); break;
    case 2:
        while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        break;
    default:
        while (!flag) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &handle, &status);
    }
    MPI_Get_count(&status, MPI_BYTE, &size);
    CHECK(size >= 0 && size <= (int)MAX_MESSAGE, "a probe has found %d bytes", size);
    uint8_t *bytes = memset(allocate((size_t)size), GUARD, (size_t)size);
    if (handle != MPI_MESSAGE_NULL) {
        MPI_Mrecv(bytes, size, MPI_BYTE, &handle, &second);
        CHECK(handle == MPI_MESSAGE_NULL, "Mrecv has left its message");
    } else {
        MPI_Recv(bytes, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &second);
    }
    CHECK(second.MPI_SOURCE == status.MPI_SOURCE, "probed rank %d, received from %d", status.MPI_SOURCE, second.MPI_SOURCE);
    check_received(bytes, size, MPI_ANY_TAG, &second);
    free(bytes);
}

/* No message is synchronous: Open MPI 4.1 never ends the send of one that MPI_Mrecv gets, with any provider of libfabric. */
static void probes(void) {
    int flag;
    MPI_Status status;
    plan_messages(4 + 3 * ranks, 3);
    for (int i = 0; i < message_count; i++) messages[i].is_synchronous = false;
    MPI_Iprobe(MPI_ANY_SOURCE, 31000, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag, "a probe has found a tag that nobody has sent");
    MPI_Request *requests = allocate((size_t)message_count * sizeof *requests);
    int sent = post_sends(MPI_COMM_WORLD, requests);
    for (int i = 0; i < message_count; i++) {
        if (messages[i].destination == rank) probe_one(below(&own, 4));
    }
    MPI_Waitall(sent, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free_messages();
}

/* ---- Floods ---- */

#define FLOOD 2000
#define FLOOD_BYTES 64
#define FLOOD_TAGS 7

/* All are sent before one is received, which is then by tag, not as they came. */
static void flood(void) {
    static uint8_t out[FLOOD][FLOOD_BYTES], in[FLOOD_BYTES];
    static MPI_Request requests[FLOOD];
    int shift = below(&plan, ranks), to = (rank + shift) % ranks, from = (rank + ranks - shift) % ranks;
    int start = below(&plan, FLOOD_TAGS);
    uint64_t base = next_number;
    next_number += FLOOD * (uint64_t)ranks;
    for (int i = 0; i < FLOOD; i++) {
        int size = i % (FLOOD_BYTES + 1);
        fill(out[i], size, base + (uint64_t)(rank * FLOOD + i));
        MPI_Isend(out[i], size, MPI_BYTE, to, i % FLOOD_TAGS, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < FLOOD_TAGS; turn++) {
        int tag = (start + turn * 3) % FLOOD_TAGS;
        for (int i = tag; i < FLOOD; i += FLOOD_TAGS) {
            int size;
            MPI_Status status;
            MPI_Recv(in, FLOOD_BYTES, MPI_BYTE, turn % 2 ? MPI_ANY_SOURCE : from, tag, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &size);
            CHECK(status.MPI_SOURCE == from, "message %d came from rank %d instead of %d", i, status.MPI_SOURCE, from);
            CHECK(size == i % (FLOOD_BYTES + 1), "message %d has %d bytes", i, size);
            check_bytes(in, size, base + (uint64_t)(from * FLOOD + i), "a message of the flood");
        }
    }
    MPI_Waitall(FLOOD, requests, MPI_STATUSES_IGNORE);
}

/* ---- Cancelled and cut receives ---- */

static void cancel(void) {
    enum { TAG = 77 };
    uint64_t base = next_number;
    next_number += (uint64_t)ranks;
    int size = random_size(&plan), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, flag;
    uint8_t *never = memset(allocate(64), GUARD, 64);
    uint8_t *out = allocate((size_t)size), *in = allocate((size_t)size);
    MPI_Request request, send;
    MPI_Status status;
    MPI_Irecv(never, 64, MPI_BYTE, below(&own, 2) ? from : MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, &status);
    CHECK(!flag, "a receive is done that nobody has sent to");
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag, "a receive was not cancelled");
    MPI_Barrier(MPI_COMM_WORLD);
    fill(out, size, base + (uint64_t)rank);
    MPI_Isend(out, size, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &send);
    MPI_Recv(in, size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag, "a message was received, and is said to be cancelled");
    check_bytes(in, size, base + (uint64_t)from, "a message after a cancelled receive");
    check_guard(never, 64, "a cancelled receive");
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    free(never);
    free(out);
    free(in);
}

static int class_of(int error) {
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS) MPI_Error_class(error, &class);
    return class;
}

/* A message that is too long for its receive is cut and said to be; what comes behind it is not harmed. */
static void truncate_one(MPI_Comm comm, int size, int capacity, bool is_late, uint64_t base) {
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, error;
    uint8_t *out = allocate((size_t)size), *in = memset(allocate((size_t)size), GUARD, (size_t)size);
    char cut[80];
    MPI_Request sends[2], receive = MPI_REQUEST_NULL;
    MPI_Status status;
    fill(out, size, base + (uint64_t)rank);
    if (!is_late) MPI_Irecv(in, capacity, MPI_BYTE, from, 5, comm, &receive);
    MPI_Barrier(comm);
    MPI_Isend(out, size, MPI_BYTE, to, 5, comm, &sends[0]);
    MPI_Isend(out, size, MPI_BYTE, to, 5, comm, &sends[1]);
    if (is_late) {
        pause_randomly();
        error = MPI_Recv(in, capacity, MPI_BYTE, from, 5, comm, &status);
    } else {
        error = MPI_Wait(&receive, &status);
    }
    CHECK(class_of(error) == MPI_ERR_TRUNCATE, "%d bytes into %d: error class %d", size, capacity, class_of(error));
    snprintf(cut, sizeof cut, "a message of %d bytes cut to %d", size, capacity);
    if (is_strict) check_guard(in + capacity, size - capacity, cut);
    error = MPI_Recv(in, size, MPI_BYTE, from, 5, comm, &status);
    CHECK(error == MPI_SUCCESS, "after a message that was cut: error class %d", class_of(error));
    check_bytes(in, size, base + (uint64_t)from, "the message after one that was cut");
    for (int i = 0; i < 2; i++) {
        error = MPI_Wait(&sends[i], &status);
        CHECK(error == MPI_SUCCESS, "the sender of a message that was cut: error class %d", class_of(error));
    }
    free(out);
    free(in);
}

static void truncation(void) {
    static const int SIZES[] = {1, 100, 5000, 70000, 1 << 20};
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < COUNT(SIZES); i++) {
        truncate_one(comm, SIZES[i], below(&plan, SIZES[i]), below(&plan, 2), next_number);
        next_number += (uint64_t)ranks;
    }
    MPI_Comm_free(&comm);
}

/* ---- Persistent requests and datatypes ---- */

static void persistent(void) {
    enum { REQUESTS = 4, TURNS = 5 };
    MPI_Request requests[2 * REQUESTS];
    uint8_t *out[REQUESTS], *in[REQUESTS];
    int sizes[REQUESTS], to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    uint64_t base = next_number;
    next_number += (uint64_t)(ranks * TURNS * REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
        sizes[i] = random_size(&plan) / 4;
        out[i] = allocate((size_t)sizes[i]);
        in[i] = allocate((size_t)sizes[i]);
        MPI_Recv_init(in[i], sizes[i], MPI_BYTE, from, i, MPI_COMM_WORLD, &requests[i]);
        (i % 2 ? MPI_Ssend_init : MPI_Send_init)(out[i], sizes[i], MPI_BYTE, to, i, MPI_COMM_WORLD, &requests[REQUESTS + i]);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t number = base + (uint64_t)(turn * REQUESTS * ranks);
        for (int i = 0; i < REQUESTS; i++) {
            memset(in[i], GUARD, (size_t)sizes[i]);
            fill(out[i], sizes[i], number + (uint64_t)(rank * REQUESTS + i));
        }
        MPI_Startall(2 * REQUESTS, requests);
        MPI_Waitall(2 * REQUESTS, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < REQUESTS; i++) {
            check_bytes(in[i], sizes[i], number + (uint64_t)(from * REQUESTS + i), "a persistent request");
        }
    }
    for (int i = 0; i < 2 * REQUESTS; i++) MPI_Request_free(&requests[i]);
    for (int i = 0; i < REQUESTS; i++) {
        free(out[i]);
        free(in[i]);
    }
}

static int32_t number_at(int sender, int i) {
    return (int32_t)((unsigned)i * 7 + (unsigned)sender * 1000003 + (unsigned)round_number);
}

/* Numbers with gaps between them are sent, received without gaps, sent so, and received with gaps that stay. */
static void strided(int blocks, int length, int stride) {
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, all = (blocks - 1) * stride + length;
    int32_t *gapped = allocate((size_t)all * sizeof *gapped), *packed = allocate((size_t)(blocks * length) * sizeof *packed);
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    MPI_Type_vector(blocks, length, stride, MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < all; i++) gapped[i] = number_at(rank, i);
    MPI_Isend(gapped, 1, type, to, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(packed, blocks * length, MPI_INT32_T, from, 0, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    checks++;
    for (int i = 0; i < blocks * length; i++) {
        int32_t expected = number_at(from, i / length * stride + i % length);
        if (packed[i] != expected) wrong("number %d of %d packed: %d instead of %d", i, blocks * length, packed[i], expected);
    }
    memset(gapped, GUARD, (size_t)all * sizeof *gapped);
    MPI_Isend(packed, blocks * length, MPI_INT32_T, from, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(gapped, 1, type, to, 1, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    checks++;
    for (int i = 0; i < all; i++) {
        int32_t expected = i % stride < length ? number_at(rank, i) : (int32_t)0xA5A5A5A5;
        if (gapped[i] != expected) wrong("number %d of %d with gaps: %d instead of %d", i, all, gapped[i], expected);
    }
    MPI_Type_free(&type);
    free(gapped);
    free(packed);
}

struct particle {
    char kind;
    double position[3];
    int32_t charge;
};

static void structures(int count) {
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, lengths[] = {1, 3, 1};
    MPI_Aint places[] = {offsetof(struct particle, kind), offsetof(struct particle, position),
                         offsetof(struct particle, charge)};
    MPI_Datatype parts[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT32_T}, whole, type;
    struct particle *out = zeros((size_t)count * sizeof *out), *in = zeros((size_t)count * sizeof *in);
    MPI_Type_create_struct(3, lengths, places, parts, &whole);
    MPI_Type_create_resized(whole, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count; i++) out[i] = (struct particle){(char)(i % 100), {rank, i, i / 2.0}, number_at(rank, i)};
    MPI_Sendrecv(out, count, type, to, 2, in, count, type, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    checks++;
    for (int i = 0; i < count; i++) {
        if (in[i].kind != i % 100 || in[i].position[0] != from || in[i].position[1] != i || in[i].position[2] != i / 2.0
            || in[i].charge != number_at(from, i)) {
            wrong("structure %d of %d", i, count);
        }
    }
    MPI_Type_free(&type);
    MPI_Type_free(&whole);
    free(out);
    free(in);
}

/* Blocks of growing length, last one first. */
static void indexed(void) {
    enum { BLOCKS = 20, ALL = BLOCKS * (BLOCKS + 1) };
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, lengths[BLOCKS], places[BLOCKS], at = 0;
    int32_t out[ALL], in[ALL];
    MPI_Datatype type;
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = BLOCKS - i;
        places[i] = lengths[i] * (lengths[i] - 1);
    }
    for (int i = 0; i < ALL; i++) out[i] = number_at(rank, i);
    MPI_Type_indexed(BLOCKS, lengths, places, MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 1, type, to, 3, in, ALL, MPI_INT32_T, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int block = 0; block < BLOCKS; block++) {
        for (int i = 0; i < lengths[block]; i++, at++) {
            CHECK(in[at] == number_at(from, places[block] + i), "number %d of block %d", i, block);
        }
    }
    MPI_Type_free(&type);
}

static void datatypes(void) {
    strided(1 + below(&plan, 20), 1 + below(&plan, 4), 5);
    strided(1000 + below(&plan, 1000), 1 + below(&plan, 16), 20);
    strided(64, 4000 + below(&plan, 500), 5000);
    structures(1 + below(&plan, 5000));
    indexed();
}

/* ---- Collective operations ---- */

static void reductions(MPI_Comm comm, int count) {
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    int32_t *whole = allocate((size_t)count * 4), *whole_result = allocate((size_t)count * 4);
    double *real = allocate((size_t)count * 8), *real_result = allocate((size_t)count * 8);
    MPI_Request request;
    for (int i = 0; i < count; i++) {
        whole[i] = me * 3 + i;
        real[i] = me + 0.5 * (i % 1024);
    }
    MPI_Iallreduce(whole, whole_result, count, MPI_INT32_T, MPI_SUM, comm, &request);
    MPI_Allreduce(real, real_result, count, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int below_all = size * (size - 1) / 2;
    checks += 2;
    for (int i = 0; i < count; i++) {
        if (whole_result[i] != 3 * below_all + size * i) wrong("allreduce of int: %d at %d", whole_result[i], i);
        if (real_result[i] != below_all + 0.5 * (i % 1024) * size) wrong("allreduce of double: %g at %d", real_result[i], i);
    }
    MPI_Scan(whole, whole_result, count, MPI_INT32_T, MPI_SUM, comm);
    checks++;
    for (int i = 0; i < count; i++) {
        int expected = 3 * (me * (me + 1) / 2) + (me + 1) * i;
        if (whole_result[i] != expected) wrong("scan: %d instead of %d at %d", whole_result[i], expected, i);
    }
    int root = below(&plan, size);
    MPI_Reduce(real, real_result, count, MPI_DOUBLE, MPI_MAX, root, comm);
    for (int i = 0; me == root && i < count; i++) {
        if (real_result[i] != size - 1 + 0.5 * (i % 1024)) wrong("reduce: %g at %d", real_result[i], i);
    }
    free(whole);
    free(whole_result);
    free(real);
    free(real_result);
}

static void broadcasts(MPI_Comm comm, int bytes) {
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    int root = below(&plan, size);
    uint64_t number = next_number++, base = next_number;
    next_number += (uint64_t)ranks;
    uint8_t *data = allocate((size_t)bytes);
    if (me == root) fill(data, bytes, number);
    MPI_Bcast(data, bytes, MPI_BYTE, root, comm);
    check_bytes(data, bytes, number, "a broadcast");
    int part = bytes / size;
    uint8_t *all = allocate((size_t)(part * size));
    fill(data, part, base + (uint64_t)me);
    MPI_Gather(data, part, MPI_BYTE, all, part, MPI_BYTE, root, comm);
    for (int i = 0; me == root && i < size; i++) check_bytes(all + i * part, part, base + (uint64_t)i, "a gather");
    memset(data, GUARD, (size_t)part);
    MPI_Scatter(all, part, MPI_BYTE, data, part, MPI_BYTE, root, comm);
    check_bytes(data, part, base + (uint64_t)me, "a scatter");
    MPI_Allgather(data, part, MPI_BYTE, all, part, MPI_BYTE, comm);
    for (int i = 0; i < size; i++) check_bytes(all + i * part, part, base + (uint64_t)i, "an allgather");
    free(data);
    free(all);
}

/* Each rank sends each other one a length of its own, which may be 0. */
static void alltoallv(void) {
    int *lengths = allocate((size_t)(ranks * ranks) * sizeof *lengths), in_bytes = 0, out_bytes = 0;
    int *counts = allocate(4 * (size_t)ranks * sizeof *counts), *places = counts + ranks;
    int *in_counts = counts + 2 * ranks, *in_places = counts + 3 * ranks;
    uint64_t base = next_number;
    next_number += (uint64_t)(ranks * ranks);
    for (int i = 0; i < ranks * ranks; i++) lengths[i] = random_size(&plan) / 8;
    for (int i = 0; i < ranks; i++) {
        counts[i] = lengths[rank * ranks + i];
        in_counts[i] = lengths[i * ranks + rank];
        places[i] = out_bytes;
        in_places[i] = in_bytes;
        out_bytes += counts[i];
        in_bytes += in_counts[i];
    }
    uint8_t *out = allocate((size_t)out_bytes), *in = memset(allocate((size_t)in_bytes), GUARD, (size_t)in_bytes);
    for (int i = 0; i < ranks; i++) fill(out + places[i], counts[i], base + (uint64_t)(rank * ranks + i));
    MPI_Alltoallv(out, counts, places, MPI_BYTE, in, in_counts, in_places, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        check_bytes(in + in_places[i], in_counts[i], base + (uint64_t)(i * ranks + rank), "an alltoallv");
    }
    free(lengths);
    free(counts);
    free(out);
    free(in);
}

static void collectives(void) {
    reductions(MPI_COMM_WORLD, 1);
    reductions(MPI_COMM_WORLD, 1 + below(&plan, 100));
    reductions(MPI_COMM_WORLD, 1 + below(&plan, 100000));
    broadcasts(MPI_COMM_WORLD, below(&plan, 100));
    broadcasts(MPI_COMM_WORLD, random_size(&plan));
    alltoallv();
    for (int i = 0; i < 20; i++) MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- Communicators ---- */

/* The same tag in several communicators: what is sent last in one may be received first. */
static void communicators(void) {
    enum { COMMS = 4 };
    MPI_Comm comms[COMMS], half;
    uint64_t base = next_number;
    next_number += (uint64_t)(COMMS * ranks);
    int size = random_size(&plan), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    uint8_t *out[COMMS], *in = allocate((size_t)size);
    MPI_Request sends[COMMS];
    for (int i = 0; i < COMMS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < COMMS; i++) {
        out[i] = allocate((size_t)size);
        fill(out[i], size, base + (uint64_t)(rank * COMMS + i));
        MPI_Isend(out[i], size, MPI_BYTE, to, 9, comms[i], &sends[i]);
    }
    for (int i = COMMS - 1; i >= 0; i--) {
        MPI_Status status;
        MPI_Recv(in, size, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], &status);
        CHECK(status.MPI_SOURCE == from, "rank %d sent in a communicator instead of %d", status.MPI_SOURCE, from);
        check_bytes(in, size, base + (uint64_t)(from * COMMS + i), "a message of a communicator");
    }
    MPI_Waitall(COMMS, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COMMS; i++) {
        free(out[i]);
        MPI_Comm_free(&comms[i]);
    }
    free(in);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    /* The halves draw the same, each for as many ranks as it has; then all go on from where one would be. */
    uint64_t plan_before = plan, number_before = next_number;
    reductions(half, 1 + rank % 2 + 500);
    broadcasts(half, 3000);
    plan = plan_before + 1;
    next_number = number_before + (uint64_t)(4 * ranks + 4);
    MPI_Comm_free(&half);
}

/* ---- One-sided operations ---- */

enum { PART = 3000 };

/* Every rank has a part for each; it puts into its part of all others, and gets it back from there. */
static void put_and_get(void) {
    uint8_t *memory, *in = allocate(PART), *out = allocate(PART);
    MPI_Win window;
    uint64_t base = next_number;
    next_number += (uint64_t)(ranks * ranks);
    MPI_Win_allocate((MPI_Aint)ranks * PART, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, GUARD, (size_t)ranks * PART);
    int size = 1 + below(&plan, PART);
    MPI_Win_fence(0, window);
    for (int target = 0; target < ranks; target++) {
        uint8_t *mine = allocate((size_t)size);
        fill(mine, size, base + (uint64_t)(rank * ranks + target));
        MPI_Put(mine, size, MPI_BYTE, target, (MPI_Aint)rank * PART, size, MPI_BYTE, window);
        MPI_Win_fence(0, window);
        free(mine);
    }
    for (int i = 0; i < ranks; i++) {
        check_bytes(memory + i * PART, size, base + (uint64_t)(i * ranks + rank), "what was put");
        check_guard(memory + i * PART + size, PART - size, "what was put");
    }
    for (int target = 0; target < ranks; target++) {
        memset(in, GUARD, PART);
        MPI_Win_fence(0, window);
        MPI_Get(in, size, MPI_BYTE, target, (MPI_Aint)rank * PART, size, MPI_BYTE, window);
        MPI_Win_fence(0, window);
        check_bytes(in, size, base + (uint64_t)(rank * ranks + target), "what was got");
        check_guard(in + size, PART - size, "what was got");
    }
    MPI_Win_free(&window);
    free(in);
    free(out);
}

static void accumulate(void) {
    enum { NUMBERS = 100 };
    int64_t *memory = allocate(NUMBERS * sizeof *memory), mine[NUMBERS];
    double *reals, real = 0.5 * (rank + 1);
    MPI_Win window, real_window;
    MPI_Win_create(memory, NUMBERS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_allocate(sizeof *reals, sizeof *reals, MPI_INFO_NULL, MPI_COMM_WORLD, &reals, &real_window);
    for (int i = 0; i < NUMBERS; i++) {
        memory[i] = i;
        mine[i] = rank + i;
    }
    *reals = rank;
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, real_window);
    for (int target = 0; target < ranks; target++) {
        MPI_Accumulate(mine, NUMBERS, MPI_INT64_T, target, 0, NUMBERS, MPI_INT64_T, MPI_SUM, window);
        MPI_Accumulate(&real, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, MPI_SUM, real_window);
    }
    MPI_Win_fence(0, real_window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < NUMBERS; i++) {
        int64_t expected = i + ranks * (ranks - 1) / 2 + (int64_t)ranks * i;
        CHECK(memory[i] == expected, "accumulated %" PRId64 " instead of %" PRId64 " at %d", memory[i], expected, i);
    }
    double expected = rank + 0.25 * ranks * (ranks + 1);
    CHECK(*reals == expected, "accumulated %g instead of %g", *reals, expected);
    MPI_Win_free(&window);
    MPI_Win_free(&real_window);
    free(memory);
}

/* All ranks count on rank 0, by each way there is; each value is seen by one of them. */
static void counters(void) {
    enum { TURNS = 20 };
    int64_t *memory, one = 1, before, last = -1, zero = 0;
    MPI_Win window;
    MPI_Win_allocate(3 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 3 * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < TURNS; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        CHECK(before > last && before < TURNS * ranks, "counted %" PRId64 " after %" PRId64, before, last);
        last = before;
    }
    bool is_swapping = rank != 0 || ranks == 1 || is_strict;
    int64_t candidate = rank + 1, found = -1;
    if (is_swapping) {
        MPI_Compare_and_swap(&candidate, &zero, &found, MPI_INT64_T, 0, 1, window);
        MPI_Win_flush(0, window);
    }
    CHECK(!is_swapping || (found >= 0 && found <= ranks && found != candidate), "compare and swap has found %" PRId64, found);
    MPI_Get_accumulate(&one, 1, MPI_INT64_T, &before, 1, MPI_INT64_T, 0, 2, 1, MPI_INT64_T, MPI_SUM, window);
    MPI_Win_flush(0, window);
    CHECK(before >= 0 && before < ranks, "get and accumulate has found %" PRId64, before);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    int winners = found == 0;
    MPI_Allreduce(MPI_IN_PLACE, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(winners == 1, "%d ranks have swapped first", winners);
    int64_t end[3];
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(end, 3, MPI_INT64_T, 0, 0, 3, MPI_INT64_T, window);
    MPI_Win_unlock(0, window);
    CHECK(end[0] == TURNS * ranks, "counted to %" PRId64 " instead of %d", end[0], TURNS * ranks);
    CHECK(end[1] > 0 && end[1] <= ranks, "%" PRId64 " was swapped in", end[1]);
    CHECK(end[2] == ranks, "accumulated %" PRId64 " instead of %d", end[2], ranks);
    MPI_Win_free(&window);
}

/* ---- The whole ---- */

static const struct {
    const char *name;
    void (*run)(void);
} TESTS[] = {
    {"messages", random_messages}, {"probes", probes},           {"flood", flood},
    {"cancel", cancel},            {"truncation", truncation},   {"persistent", persistent},
    {"datatypes", datatypes},      {"collectives", collectives}, {"communicators", communicators},
    {"put-and-get", put_and_get},  {"accumulate", accumulate},   {"counters", counters},
};

static void run_test(int index) {
    uint64_t mixed = seed + (uint64_t)round_number * 1000003 + (uint64_t)index;
    plan = draw(&mixed);
    own = draw(&mixed) + (uint64_t)rank * 7919;
    next_number = (uint64_t)round_number << 32 | (uint64_t)index << 24;
    begin(TESTS[index].name);
    double start = MPI_Wtime();
    TESTS[index].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_verbose && rank == 0) {
        printf("round %d %s: %.3f s\n", round_number, test_name, MPI_Wtime() - start);
        fflush(stdout);
    }
}

static bool is_over(double start) {
    int over = (rounds >= 0 && round_number - first_round >= rounds)
               || (seconds >= 0 && round_number > first_round && MPI_Wtime() - start >= seconds);
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

static void misuse(const char *what, const char *value) {
    if (rank == 0) {
        fprintf(stderr,
                "mpi_check: %s%s\nusage: mpirun -n RANKS mpi_check [--seed N] [--rounds N] [--seconds S] [--first N]"
                " [--timeout S] [--only PART] [--strict] [--verbose]\n",
                what, value);
    }
    MPI_Finalize();
    exit(2);
}

static uint64_t whole_number(const char *option, const char *text, uint64_t max) {
    char *rest;
    uint64_t value = *text >= '0' && *text <= '9' ? strtoull(text, &rest, 10) : 0;
    if (*text < '0' || *text > '9' || *rest != '\0' || value > max) {
        char what[96];
        snprintf(what, sizeof what, "%s must be a whole number up to %" PRIu64 ": ", option, max);
        misuse(what, text);
    }
    return value;
}

static void parse(int argc, char **argv) {
    bool is_known = false;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(option, "--verbose") == 0 || strcmp(option, "--strict") == 0) {
            is_verbose |= strcmp(option, "--verbose") == 0;
            is_strict |= strcmp(option, "--strict") == 0;
            continue;
        }
        if (strcmp(option, "--seed") == 0) seed = whole_number(option, value, UINT64_MAX);
        else if (strcmp(option, "--rounds") == 0) rounds = (int)whole_number(option, value, 1000000000);
        else if (strcmp(option, "--seconds") == 0) seconds = (double)whole_number(option, value, 1000000);
        else if (strcmp(option, "--first") == 0) first_round = (int)whole_number(option, value, 1000000000);
        else if (strcmp(option, "--timeout") == 0) limit_s = (int)whole_number(option, value, 1000000);
        else if (strcmp(option, "--only") == 0) only = value;
        else misuse("there is no such option: ", option);
        i++;
    }
    for (int i = 0; i < COUNT(TESTS); i++) is_known |= strstr(TESTS[i].name, only) != NULL;
    if (!is_known) misuse("no test has that in its name: ", only);
    if (rounds < 0 && seconds < 0) {
        rounds = 3;
        seconds = 10;
    }
}

int main(int argc, char **argv) {
    struct timespec now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    parse(argc, argv);
    signal(SIGALRM, on_timeout);
    begin("start");
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seed %" PRIu64 ", %d ranks\n", seed, ranks);
        fflush(stdout);
    }
    double start = MPI_Wtime();
    for (round_number = first_round; !is_over(start); round_number++) {
        for (int i = 0; i < COUNT(TESTS); i++) {
            if (strstr(TESTS[i].name, only) != NULL) run_test(i);
        }
    }
    begin("end");
    uint64_t all = 0;
    MPI_Reduce(&checks, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ok %" PRIu64 " checks=%" PRIu64 "\n", seed, all);
    MPI_Finalize();
    if (ferror(stdout) || fclose(stdout) != 0) return 1;
    return 0;
}
