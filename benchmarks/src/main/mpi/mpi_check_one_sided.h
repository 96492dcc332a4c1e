/* Tests of mpi_check. One-sided operations. */
#ifndef MPI_CHECK_ONE_SIDED_H
#define MPI_CHECK_ONE_SIDED_H

#include "mpi_check.h"

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

#endif
