/** Lets packets of the flit-level model follow the routing algorithms of {@code io.hxb.fabric}. */
package io.hxb.sim.route;
