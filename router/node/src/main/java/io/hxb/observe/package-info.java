/**
 * The HTTP server by which people and programs look at the nodes of a machine: who may look,
 * resources that answer, streams of events. It knows nothing of what it shows.
 */
package io.hxb.observe;
