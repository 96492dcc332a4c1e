/** {@code hxb perf}: throughput between nodes, and how it is printed while it is measured. */
package io.hxb.tool.perf;
