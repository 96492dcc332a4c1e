#!/usr/bin/env bash
# Guess: a persistent send (MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init) sends what MPI_Send would with the same arguments.
# Seen: over any provider of libfabric, Open MPI before 4.1.6 sends a contiguous datatype that begins behind the address (a
#   row of a matrix, a subarray) from the address itself, without an error. MPI_Alltoallw and, of four ranks,
#   MPI_Alltoallv are made of such sends, and MPI_Get by messages. Over TCP, and from 4.1.6 on, all numbers are right.
# Met by: users who run a program with such sends over libfabric with Debian 12's Open MPI; programs that transpose
#   (MPI_Alltoallw of subarrays), and halo exchanges with persistent requests.
# Version: Open MPI 4.1.4-3+b1, libfabric 1.17.0-3 (Debian 12).
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/openmpi.sh"
compile <<'PROGRAM'
#include <mpi.h>
#include <stdio.h>
enum { N = 8 };
static int rank, size;
static double rows[2 * N], got[4 * N];
static void report(const char *name, int wrong) {
    int all;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %s\n", name, all ? "wrong" : "right");
}
static int differ(int count, double first) {
    int wrong = 0;
    for (int i = 0; i < count; i++) wrong += got[i] != first + i;
    return wrong;
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 2 * N; i++) rows[i] = 100 * rank + i;
    MPI_Datatype second;
    MPI_Type_create_indexed_block(1, N, (int[]){N}, MPI_DOUBLE, &second);
    MPI_Type_commit(&second);
    MPI_Request requests[2];
    MPI_Irecv(got, N, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(rows, 1, second, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    report("MPI_Isend", differ(N, 100 * before + N));
    MPI_Irecv(got, N, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(rows, 1, second, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    report("MPI_Send_init", differ(N, 100 * before + N));
    MPI_Request_free(&requests[1]);
    int ones[4] = {1, 1, 1, 1}, zeros[4] = {0}, counts[4], places[4], bytes[4];
    MPI_Datatype seconds[4], doubles[4];
    for (int i = 0; i < 4; i++) {
        counts[i] = N, places[i] = i * N, bytes[i] = i * N * 8, seconds[i] = second, doubles[i] = MPI_DOUBLE;
    }
    MPI_Alltoallv(rows, ones, zeros, second, got, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    int wrong = 0;
    for (int i = 0; i < size * N; i++) wrong += got[i] != 100 * (i / N) + N + i % N;
    report("MPI_Alltoallv", wrong);
    MPI_Alltoallw(rows, ones, zeros, seconds, got, counts, bytes, doubles, MPI_COMM_WORLD);
    wrong = 0;
    for (int i = 0; i < size * N; i++) wrong += got[i] != 100 * (i / N) + N + i % N;
    report("MPI_Alltoallw", wrong);
    MPI_Finalize();
}
PROGRAM
echo "over TCP:"
over_tcp 4 | tee plain
for provider in tcp sockets; do
  echo "over libfabric, provider $provider:"
  over_libfabric $provider 4 | tee $provider
done
[ "$(grep -c right plain)" = 4 ]
for provider in tcp sockets; do
  [ "$(grep -c wrong $provider)" = 3 ] && grep -q 'MPI_Isend: right' $provider
done
