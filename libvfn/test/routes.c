/*
 * routes: the calls of vfn.h on five ranks, two of them on one host:
 *
 *   mpirun -n 5 --host h0:2,h1,h2,h3 routes SOCKET_OF_ANOTHER_PLAN
 *
 * The plan has two VIDs, h0 and h1 are at one leaf switch and h2 and h3 at another, and all pairs take the first VID.
 * Each rank prints what was not as expected.
 */
#include "vfn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (2 << 20)

static int rank, failures;
static char data[BYTES];

#define EXPECT(code, call) expect(code, call, #call, __LINE__)

static void expect(int expected, int code, const char *call, int line) {
    if (code == expected) return;
    failures++;
    printf("rank %d line %d: %s is %d (%s), not %d\n", rank, line, call, code, code ? VFN_LastError() : "", expected);
}

static void contains(const char *part, int line) {
    if (strstr(VFN_LastError(), part)) return;
    failures++;
    printf("rank %d line %d: '%s' does not contain '%s'\n", rank, line, VFN_LastError(), part);
}

static void path(int rank1, int rank2, int expected, int line) {
    int vid = -1;
    expect(VFN_SUCCESS, VFN_GetRouteMPI(rank1, rank2, &vid), "VFN_GetRouteMPI", line);
    if (vid == expected) return;
    failures++;
    printf("rank %d line %d: %d and %d use VID %d, not %d\n", rank, line, rank1, rank2, vid, expected);
}

static void check_beginning(const char *other) {
    if (rank == 4) setenv("VFN_MANAGER", "/nowhere/manager.sock", 1);
    EXPECT(rank == 4 ? VFN_ERR_NO_MANAGER : VFN_ERR_OTHER_RANK, VFN_InitMPI());
    contains(rank == 4 ? "no network manager answers at /nowhere" : "rank 4 on ", __LINE__);
    if (rank == 4) unsetenv("VFN_MANAGER");
    if (rank == 2) setenv("VFN_MANAGER", other, 1);
    EXPECT(VFN_ERR_PLAN, VFN_InitMPI());
    contains("different plans", __LINE__);
    if (rank == 2) unsetenv("VFN_MANAGER");
    EXPECT(VFN_ERR_COMM, VFN_InitCommMPI(MPI_COMM_NULL));
    /* The last rank alone, and the others, as after MPI_Comm_spawn. */
    MPI_Comm part, inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 4, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 4 ? 0 : 4, 1, &inter);
    EXPECT(VFN_ERR_COMM, VFN_InitCommMPI(inter));
    MPI_Intercomm_merge(inter, rank != 4, &merged);
    EXPECT(VFN_SUCCESS, VFN_InitCommMPI(merged));
    int vid;
    if (rank == 4) EXPECT(VFN_SUCCESS, VFN_GetRouteMPI(0, 1, &vid)); /* here it is rank 0 */
    EXPECT(VFN_SUCCESS, VFN_FinalizeMPI());
}

static void check_routes(const int *vids) {
    int vid;
    EXPECT(VFN_SUCCESS, VFN_SetRouteMPI(3, 0, vids[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2 || rank == 4) {
        EXPECT(VFN_ERR_NOT_HERE, VFN_GetRouteMPI(0, 3, &vid));
    } else {
        path(0, 3, vids[1], __LINE__);
        path(3, 0, vids[1], __LINE__);
    }
    if (rank < 2) path(1, 3, vids[1], __LINE__);
    if (rank < 2) path(0, 4, vids[0], __LINE__);
    EXPECT(VFN_SUCCESS, VFN_SetRouteMPI(0, 1, vids[1]));
    if (rank < 2) path(0, 1, 0, __LINE__);
    EXPECT(VFN_ERR_RANK, VFN_SetRouteMPI(0, 5, vids[1]));
    EXPECT(VFN_ERR_RANK, VFN_SetRouteMPI(-1, 3, vids[1]));
    EXPECT(VFN_ERR_RANK, VFN_SetRouteMPI(3, 3, vids[1]));
    for (int i = 0; i < 3; i++) {
        const int wrong[] = {0, 4095, vids[1] + 1};
        EXPECT(VFN_ERR_VID, VFN_SetRouteMPI(0, 3, wrong[i]));
        contains("is not one of the plan", __LINE__);
    }
    const int rank1s[] = {0, 2, 0}, rank2s[] = {4, 4, 2}, good[] = {vids[1], vids[1], vids[1]}, bad[] = {vids[1], 7, 0};
    EXPECT(VFN_ERR_VID, VFN_SetRoutesMPI(3, rank1s, rank2s, bad));
    if (rank < 2) path(0, 4, vids[0], __LINE__);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(VFN_SUCCESS, VFN_SetRoutesMPI(3, rank1s, rank2s, good));
    if (rank == 4) path(2, 4, vids[1], __LINE__);
    EXPECT(VFN_ERR_ARGUMENT, VFN_SetRoutesMPI(1, NULL, rank2s, good));
    /* Both ranks of a host have set it: it goes back with the last one. */
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(VFN_SUCCESS, VFN_ResetRouteMPI(0, 4));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) path(0, 4, vids[0], __LINE__);
    EXPECT(VFN_SUCCESS, VFN_ResetRoutesMPI());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3) path(0, 3, vids[0], __LINE__);
}

/* 0 with 3 and 2 with 4 share the link to the top switch, until it has been measured. */
static void check_optimise(void) {
    const int partner[] = {3, -1, 4, 0, 2};
    EXPECT(VFN_SUCCESS, VFN_MeasureMPI());
    MPI_Barrier(MPI_COMM_WORLD);
    if (partner[rank] >= 0) {
        MPI_Sendrecv_replace(data, BYTES, MPI_BYTE, partner[rank], 0, partner[rank], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    EXPECT(VFN_SUCCESS, VFN_OptimiseMPI(MPI_COMM_WORLD));
    double planned, chosen;
    EXPECT(VFN_SUCCESS, VFN_GetLoadMPI(&planned, &chosen));
    if (planned < 1.9 * BYTES || chosen > 0.6 * planned) {
        failures++;
        printf("rank %d: %.0f bytes by plan, %.0f chosen\n", rank, planned, chosen);
    }
    int vid = 0, of_two[2] = {0, 0};
    if (partner[rank] >= 0) EXPECT(VFN_SUCCESS, VFN_GetRouteMPI(rank, partner[rank], &vid));
    if (rank == 3) MPI_Send(&vid, 1, MPI_INT, 4, 1, MPI_COMM_WORLD);
    if (rank == 4) {
        of_two[0] = vid;
        MPI_Recv(&of_two[1], 1, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (of_two[0] == of_two[1]) {
            failures++;
            printf("rank %d: both pairs use VID %d\n", rank, vid);
        }
    }
}

int main(int argc, char **argv) {
    EXPECT(VFN_ERR_NOT_INIT, VFN_SetRouteMPI(0, 1, 1));
    EXPECT(VFN_ERR_MPI, VFN_InitMPI());
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 2) return 2;
    check_beginning(argv[1]);
    EXPECT(VFN_ERR_NOT_INIT, VFN_OptimiseMPI(MPI_COMM_WORLD));
    EXPECT(VFN_SUCCESS, VFN_InitMPI());
    EXPECT(VFN_ERR_ALREADY, VFN_InitMPI());
    int vids[2] = {0, 0}, count = 0;
    EXPECT(VFN_SUCCESS, VFN_GetVidsMPI(2, vids, &count));
    if (count != 2) failures++;
    check_routes(vids);
    check_optimise();
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(VFN_SUCCESS, VFN_FinalizeMPI());
    EXPECT(VFN_ERR_NOT_INIT, VFN_FinalizeMPI());
    int all = 0;
    MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    EXPECT(VFN_ERR_MPI, VFN_InitMPI());
    if (rank == 0) printf("routes: %d failures\n", all + failures);
    return 0;
}
