/**
 * Deadlock-free routing on any graph: turns prohibited over spanning trees, layers of virtual
 * channels, paths packed into acyclic layers, escape paths, and packets taken out on the way. Every
 * algorithm is a factory of a {@link io.hxb.fabric.route.Routing}.
 */
package io.hxb.fabric.algorithm;
