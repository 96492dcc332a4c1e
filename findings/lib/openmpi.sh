# Debian 12's Open MPI and libfabric in a temporary folder, for the scripts beside this folder that read it first: sets
# `folder` (which is removed at the end) and makes it the working folder, prints the version, and gives them
#   compile <program.c                makes ./program of standard input
#   over_tcp COUNT                    runs it over TCP, without libfabric
#   over_libfabric PROVIDER COUNT     runs it over a provider of libfabric
# Both print what the ranks print, sorted.
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
compile() {
  cat >program.c
  gcc -O1 -w -I"$mpi/include" -o program program.c -L"$mpi/lib" -L"$lib" -lmpi -Wl,--allow-shlib-undefined
}
run() { # count, options
  timeout 60 "$folder/usr/bin/mpirun.openmpi" --oversubscribe --bind-to none "${@:2}" -np "$1" ./program | sort
}
over_tcp() {
  run "$1" --mca pml ob1 --mca btl tcp,self
}
over_libfabric() {
  FI_PROVIDER=$1 run "$2" --mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include "$1" --mca btl ^ofi
}
"$folder/usr/bin/mpirun.openmpi" --version | head -n 1
