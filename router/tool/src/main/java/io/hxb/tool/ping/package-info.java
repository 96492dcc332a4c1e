/** {@code hxb ping}: round trips between nodes, and how they are printed. */
package io.hxb.tool.ping;
