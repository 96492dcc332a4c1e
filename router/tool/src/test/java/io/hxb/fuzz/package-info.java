/**
 * Targets of coverage-guided fuzzing: each runs an input of any bytes against one part of a node or
 * its tools and fails when a promise is broken or a resource is not given back.
 */
package io.hxb.fuzz;
