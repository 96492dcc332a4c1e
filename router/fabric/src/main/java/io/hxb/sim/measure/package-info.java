/** What a run of the flit-level model yields: traffic, latency, hops, their confidence. */
package io.hxb.sim.measure;
