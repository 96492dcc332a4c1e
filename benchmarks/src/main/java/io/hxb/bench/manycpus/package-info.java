/**
 * What a machine with more CPUs shows: the experiments of the lab one after the other within a few
 * minutes, and one file of results, wherever they can run.
 */
package io.hxb.bench.manycpus;
