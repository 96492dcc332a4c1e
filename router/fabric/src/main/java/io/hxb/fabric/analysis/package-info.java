/** The quality of routes: hops, paths on a channel, and the bandwidth that traffic can expect. */
package io.hxb.fabric.analysis;
