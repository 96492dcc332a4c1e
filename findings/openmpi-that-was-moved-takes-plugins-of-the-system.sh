#!/usr/bin/env bash
# Guess: OPAL_PREFIX, which is there to run Open MPI from another place than it was built for, moves what it uses as well; and
#   PMIX_PREFIX moves PMIx.
# Seen: Open MPI's own plugins come from the copy; those of PMIx come from where PMIx was built for, also with PMIX_PREFIX
#   and with PMIX_MCA_mca_base_component_path. PMIX_LIBDIR and PMIX_PKGLIBDIR together take them from the copy. Where the
#   machine has another PMIx, mpirun opens the plugins of that one: "undefined symbol: pmix_output_info" (on Ubuntu 24.04).
# Met by: users who carry Open MPI to other machines in an archive or a container that mounts the host's libraries.
# Version: Open MPI 4.1.4-3+b1, PMIx 4.2.2-1+deb12u1 (Debian 12).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download openmpi-bin=4.1.4-3+b1 openmpi-common=4.1.4-3 libopenmpi3=4.1.4-3+b1 \
  libpmix2=4.2.2-1+deb12u1 libhwloc15 libevent-core-2.1-7 libevent-pthreads-2.1-7 libmunge2 libfabric1 libucx0 libibverbs1 \
  librdmacm1 libnl-3-200 libnl-route-3-200 libpsm-infinipath1 libpsm2-2 libnuma1 libltdl7 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
lib=$folder/usr/lib/x86_64-linux-gnu mpi=$folder/usr/lib/x86_64-linux-gnu/openmpi pmix=$folder/usr/lib/x86_64-linux-gnu/pmix2/lib
export LD_LIBRARY_PATH=$lib:$mpi/lib OPAL_PREFIX=$mpi OPAL_LIBDIR=$mpi/lib OPAL_PKGLIBDIR=$mpi/lib/openmpi3
export OPAL_DATADIR=$folder/usr/share OPAL_PKGDATADIR=$folder/usr/share/openmpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# How many plugins of a kind are loaded from the copy.
loaded() { # kind, variables
  rm -f debug.*
  env "${@:2}" LD_DEBUG=files LD_DEBUG_OUTPUT="$folder/debug" timeout 60 "$folder/usr/bin/mpirun.openmpi" --oversubscribe -np 1 \
    /bin/true >/dev/null 2>&1
  cat debug.* | grep -o 'calling init: .*' | grep -F "calling init: $folder/" | grep -c "/$1" || true
}
"$folder/usr/bin/mpirun.openmpi" --version | head -n 1
own=$(loaded mca_)
plain=$(loaded pmix_mca_)
prefix=$(loaded pmix_mca_ PMIX_PREFIX="${pmix%/lib}" PMIX_INSTALL_PREFIX="${pmix%/lib}")
path=$(loaded pmix_mca_ PMIX_MCA_mca_base_component_path="$pmix/pmix")
folders=$(loaded pmix_mca_ PMIX_LIBDIR="$pmix" PMIX_PKGLIBDIR="$pmix/pmix")
echo "plugins that are loaded from the copy: of Open MPI $own; of PMIx $plain, with PMIX_PREFIX $prefix, with the path of" \
  "components $path, with PMIX_LIBDIR and PMIX_PKGLIBDIR $folders"
[ "$own" -gt 10 ] && [ "$plain" = 0 ] && [ "$prefix" = 0 ] && [ "$path" = 0 ] && [ "$folders" -gt 0 ]
