/** Who sends how much to whom and when: patterns, matrices, injection processes and traces. */
package io.hxb.sim.traffic;
