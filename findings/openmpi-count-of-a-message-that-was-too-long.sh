#!/usr/bin/env bash
# Guess: after a receive that returns MPI_ERR_TRUNCATE, MPI_Get_count tells how long the message was.
# Seen: that is so over TCP; over providers of libfabric the count is MPI_UNDEFINED or 0, or another number that has
#   nothing to do with the message. The error itself is the same, and so are source and tag.
# Met by: programs that receive into a buffer that may be too small, and make a larger one by that count: probe instead.
# Version: Open MPI 4.1.4-3+b1, libfabric 1.17.0-3 (Debian 12).
set -euo pipefail
command -v gcc >/dev/null || { echo "needs gcc" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download openmpi-bin=4.1.4-3+b1 openmpi-common=4.1.4-3 libopenmpi3=4.1.4-3+b1 \
  libopenmpi-dev=4.1.4-3+b1 libfabric1=1.17.0-3 libpmix2 libhwloc15 libevent-core-2.1-7 libevent-pthreads-2.1-7 libucx0 \
  libibverbs1 librdmacm1 libnl-3-200 libnl-route-3-200 libpsm-infinipath1 libpsm2-2 libmunge2 libnuma1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
lib=$folder/usr/lib/x86_64-linux-gnu mpi=$folder/usr/lib/x86_64-linux-gnu/openmpi
export LD_LIBRARY_PATH=$lib:$mpi/lib OPAL_PREFIX=$mpi OPAL_LIBDIR=$mpi/lib OPAL_PKGLIBDIR=$mpi/lib/openmpi3 \
  OPAL_DATADIR=$folder/usr/share OPAL_PKGDATADIR=$folder/usr/share/openmpi OMPI_MCA_btl_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cat >program.c <<'PROGRAM'
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
gcc -O1 -w -I"$mpi/include" -o program program.c -L"$mpi/lib" -L"$lib" -lmpi -Wl,--allow-shlib-undefined
run() { timeout 60 "$folder/usr/bin/mpirun.openmpi" --oversubscribe --bind-to none "$@" -np 2 ./program; }
"$folder/usr/bin/mpirun.openmpi" --version | head -n 1
echo "over TCP:"
run --mca pml ob1 --mca btl tcp,self | sort | tee plain
echo "over libfabric, provider sockets:"
FI_PROVIDER=sockets run --mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include sockets --mca btl ^ofi | tee sockets
grep -q 'MPI_ERR_TRUNCATE, count 16$' plain
grep -q MPI_ERR_TRUNCATE sockets
[ "$(grep -c 'count 16$' sockets)" = 0 ]
