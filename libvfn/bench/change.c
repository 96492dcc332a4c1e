/*
 * change: how long a change of a route takes, asked for by rank 0 of two ranks on different hosts:
 *
 *   mpirun -n 2 change [CHANGES]
 *
 * Prints medians in microseconds: one change by VFN_SetRouteMPI, a query without a change (VFN_GetRouteMPI), and a
 * batch of 1,000 by VFN_SetRoutesMPI. VFN_SPIN_US makes the calls spin. Rank 1 sleeps meanwhile.
 */
#include "base/clock.h"
#include "vfn.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCH 1000
#define BATCHES 50

static double now_us(void) {
    return (double)now_ns() / 1e3;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check(int code) {
    if (code == VFN_SUCCESS) return;
    fprintf(stderr, "change: %s\n", VFN_LastError());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void print(const char *what, double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, compare);
    printf("%s: median %.1f us, min %.1f, 99 %% %.1f\n", what, times[count / 2], times[0], times[count * 99 / 100]);
    fflush(stdout);
}

static void measure(int changes, const int *vids) {
    double *times = malloc((size_t)changes * sizeof *times);
    for (int i = -changes; i < changes; i++) {
        double start = now_us();
        check(VFN_SetRouteMPI(0, 1, vids[i & 1]));
        times[i < 0 ? 0 : i] = now_us() - start;
    }
    print("one change by VFN_SetRouteMPI", times, changes);
    for (int i = 0; i < changes; i++) {
        int vid;
        double start = now_us();
        check(VFN_GetRouteMPI(0, 1, &vid));
        times[i] = now_us() - start;
    }
    print("one query by VFN_GetRouteMPI", times, changes);
    int rank1s[BATCH], rank2s[BATCH], many[BATCH];
    for (int i = 0; i < BATCH; i++) {
        rank1s[i] = 0;
        rank2s[i] = 1;
        many[i] = vids[i & 1];
    }
    for (int i = -BATCHES; i < BATCHES; i++) {
        double start = now_us();
        check(VFN_SetRoutesMPI(BATCH, rank1s, rank2s, many));
        times[i < 0 ? 0 : i] = now_us() - start;
    }
    print("a batch of 1000 by VFN_SetRoutesMPI", times, BATCHES);
    free(times);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, count, vids[2];
    int changes = argc > 1 ? atoi(argv[1]) : 20000;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (changes < BATCHES) return 2;
    check(VFN_InitMPI());
    check(VFN_GetVidsMPI(2, vids, &count));
    if (rank == 0) {
        measure(changes, vids);
        MPI_Send(&count, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        /* A receive would spin on a CPU that the manager needs. */
        int has_come = 0;
        while (!has_come) {
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
            usleep(10000);
        }
        MPI_Recv(&count, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    VFN_FinalizeMPI();
    MPI_Finalize();
    return 0;
}
