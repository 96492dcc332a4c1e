/**
 * The faults of {@code benchmarks/run lab failover}, the evaluation of its samples, and MPTCP and
 * Open MPI as the contestants.
 */
package io.hxb.bench.failover;
