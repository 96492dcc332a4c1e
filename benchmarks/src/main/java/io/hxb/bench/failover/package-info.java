/**
 * What fails when in {@code benchmarks/run lab failover}, what is made of the samples, and MPTCP
 * and Open MPI as those to be compared with.
 */
package io.hxb.bench.failover;
