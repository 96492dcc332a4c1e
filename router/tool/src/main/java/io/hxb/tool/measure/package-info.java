/**
 * Measurements over the PM API: round trips, throughput with a check of every message, and the file
 * transfers of the demonstration. They need a cluster's devices, no matter where its nodes run.
 */
package io.hxb.tool.measure;
