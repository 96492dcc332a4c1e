/* Tests of mpi_check. Messages from rank to rank: random ones, probes, floods, cancelled and cut receives, datatypes. */
#ifndef MPI_CHECK_MESSAGES_H
#define MPI_CHECK_MESSAGES_H

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
    CHECK(!flag, "a message was received, and is reported as cancelled");
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

/* A message that is too long for its receive is cut, with an error; the messages after it are not harmed. */
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

#endif
