#!/usr/bin/env bash
# Guess: each start of a request of MPI_Bsend_init sends what is in the program's buffer then, as with MPI_Send_init.
# Seen: over any provider of libfabric every start sends what was there at the first one, without an error. The code is the
#   same in all releases up to 4.1.8 and 5.0.10. Over TCP each start sends what is there.
# Met by: users who run a program with MPI_Bsend_init over libfabric with Open MPI.
# Version: Open MPI 4.1.4-3+b1, libfabric 1.17.0-3 (Debian 12).
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/openmpi.sh"
compile <<'PROGRAM'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    static char room[2000];
    int rank, number = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(room, sizeof room);
    if (rank == 0) MPI_Bsend_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (int round = 1; round <= 3; round++) {
        number = round;
        if (rank == 0) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("start %d brings %d\n", round, number);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
PROGRAM
echo "over TCP:"
over_tcp 2 | tee plain
for provider in tcp sockets; do
  echo "over libfabric, provider $provider:"
  over_libfabric $provider 2 | tee $provider
done
[ "$(awk '{print $4}' plain | tr -d '\n')" = 123 ]
for provider in tcp sockets; do
  [ "$(awk '{print $4}' $provider | tr -d '\n')" = 111 ]
done
