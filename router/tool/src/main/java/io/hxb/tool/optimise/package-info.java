/** {@code hxb optimise}: paths of hosts that follow the traffic of the network. */
package io.hxb.tool.optimise;
