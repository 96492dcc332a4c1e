/** Runs the flit-level simulator and BookSim 2 in turns, on the same networks and traffic. */
package io.hxb.bench.booksim;
