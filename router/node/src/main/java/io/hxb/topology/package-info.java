/**
 * Coordinates, dimensions, node numbers and lines of a hyper-crossbar, as pure functions over
 * numbers.
 */
package io.hxb.topology;
