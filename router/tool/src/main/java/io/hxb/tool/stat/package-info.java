/** {@code hxb stat}: the counters of nodes, alive or dead, and the traffic of their links. */
package io.hxb.tool.stat;
