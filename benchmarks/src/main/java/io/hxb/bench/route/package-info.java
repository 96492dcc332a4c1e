/**
 * What a host's network manager costs: a change of a path, within it and asked for by a program,
 * and the tags of frames.
 */
package io.hxb.bench.route;
