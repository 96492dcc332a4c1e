/**
 * How long routes take and what they cost: HXB beside OpenSM on the same graphs, and graphs of a
 * thousand switches.
 */
package io.hxb.bench.fabric;
