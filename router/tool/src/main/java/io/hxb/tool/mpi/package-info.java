/**
 * {@code hxb mpirun}: has the user's own mpirun run programs of MPI over HXB, by the provider of
 * libfabric, on a cluster or in a lab.
 */
package io.hxb.tool.mpi;
