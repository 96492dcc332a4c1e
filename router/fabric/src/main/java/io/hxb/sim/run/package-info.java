/** Experiments: what is simulated, single runs, sweeps over loads, and the files they come from. */
package io.hxb.sim.run;
