/* Tests of mpi_check. Collective operations, and communicators. */
#ifndef MPI_CHECK_COLLECTIVES_H
#define MPI_CHECK_COLLECTIVES_H

#include "mpi_check.h"

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

#endif
