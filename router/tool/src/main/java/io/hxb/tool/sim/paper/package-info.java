/** The tables and figures of the papers, simulated again and put beside the published ones. */
package io.hxb.tool.sim.paper;
