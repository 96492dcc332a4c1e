#!/usr/bin/env bash
# Guess: after a receive that returns MPI_ERR_TRUNCATE, MPI_Get_count returns the length of the message.
# Seen: that is so over TCP; over providers of libfabric the count is MPI_UNDEFINED or 0, or another number that has
#   nothing to do with the message. The error itself is the same, and so are source and tag.
# Met by: programs that receive into a buffer that may be too small, and make a larger one by that count: probe instead.
# Version: Open MPI 4.1.4-3+b1, libfabric 1.17.0-3 (Debian 12).
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/openmpi.sh"
compile <<'PROGRAM'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, count = -1, class = 0, data[16] = {0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(data, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Error_class(MPI_Recv(data, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), &class);
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%s, count %d\n", class == MPI_ERR_TRUNCATE ? "MPI_ERR_TRUNCATE" : "another result", count);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
PROGRAM
echo "over TCP:"
over_tcp 2 | tee plain
echo "over libfabric, provider sockets:"
over_libfabric sockets 2 | tee sockets
grep -q 'MPI_ERR_TRUNCATE, count 16$' plain
grep -q MPI_ERR_TRUNCATE sockets
[ "$(grep -c 'count 16$' sockets)" = 0 ]
