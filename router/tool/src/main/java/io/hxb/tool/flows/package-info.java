/** {@code hxb flows}: who talks to whom, as the nodes of this machine list it. */
package io.hxb.tool.flows;
