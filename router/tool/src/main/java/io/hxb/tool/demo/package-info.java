/**
 * {@code hxb demo}: sends files between all pairs of nodes of a lab with the traffic of each link
 * shown meanwhile, then measures bandwidth and round trips.
 */
package io.hxb.tool.demo;
