/**
 * The routes that a source chooses around hops that do not work. Nothing here is touched while all
 * is well: the table of destinations with trouble is empty then.
 */
package io.hxb.flow.route;
