/**
 * Running clusters as commands see them: the devices of those nodes that this process can reach,
 * and the counters of those that run on this machine.
 */
package io.hxb.tool.cluster;
