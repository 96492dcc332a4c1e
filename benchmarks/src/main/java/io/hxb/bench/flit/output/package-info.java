/** Results of simulations as files: JSON, CSV and plots. */
package io.hxb.bench.flit.output;
