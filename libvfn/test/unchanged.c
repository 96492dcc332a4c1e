/*
 * unchanged: a program that knows nothing of paths: each rank of the lower half exchanges messages with its partner in
 * the upper half, iteration by iteration, without any collective call.
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES (64 << 10)

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int partner = (rank + ranks / 2) % ranks, iterations = argc > 1 ? atoi(argv[1]) : 100;
    char *in = calloc(1, BYTES), *out = calloc(1, BYTES);
    for (int i = 0; i < iterations; i++) {
        MPI_Request requests[2];
        MPI_Irecv(in, BYTES, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        usleep(2000);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
