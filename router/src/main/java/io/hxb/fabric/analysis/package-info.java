/** Quality of routes: hops, paths per channel, and the bandwidth that traffic can expect. */
package io.hxb.fabric.analysis;
