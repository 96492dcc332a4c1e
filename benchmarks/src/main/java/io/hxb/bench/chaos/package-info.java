/** Draws what {@code hxb chaos} has found, in the manner of figure 5 of the RI2N paper. */
package io.hxb.bench.chaos;
