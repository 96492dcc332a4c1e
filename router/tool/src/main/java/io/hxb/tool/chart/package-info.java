/**
 * Charts that commands draw into files: curves of simulated networks, and throughput while things
 * fail. Only these classes load the plotting library.
 */
package io.hxb.tool.chart;
