#!/usr/bin/env bash
# Guess: each start of a request of MPI_Bsend_init sends what is in the program's buffer then, as with MPI_Send_init.
# Seen: over any provider of libfabric every start sends what was there at the first one, without an error. The code is the
#   same in all releases up to 4.1.8 and 5.0.10. Over TCP each start sends what is there.
# Met by: whoever runs a program with MPI_Bsend_init over libfabric with Open MPI.
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
gcc -O1 -w -I"$mpi/include" -o program program.c -L"$mpi/lib" -L"$lib" -lmpi -Wl,--allow-shlib-undefined
run() { timeout 60 "$folder/usr/bin/mpirun.openmpi" --oversubscribe --bind-to none "$@" -np 2 ./program; }
"$folder/usr/bin/mpirun.openmpi" --version | head -n 1
echo "over TCP:"
run --mca pml ob1 --mca btl tcp,self | sort | tee plain
for provider in tcp sockets; do
  echo "over libfabric, provider $provider:"
  FI_PROVIDER=$provider run --mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include $provider --mca btl ^ofi | sort | tee $provider
done
[ "$(awk '{print $4}' plain | tr -d '\n')" = 123 ]
for provider in tcp sockets; do
  [ "$(awk '{print $4}' $provider | tr -d '\n')" = 111 ]
done
