/**
 * What a source knows of hops that do not work, and the routes it chooses around them. Nothing here
 * is touched while all is well: the table of destinations with trouble is empty then.
 */
package io.hxb.flow.route;
