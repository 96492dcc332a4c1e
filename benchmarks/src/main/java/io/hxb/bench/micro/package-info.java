/** JMH benchmarks of the hot classes; their results are kept in {@code benchmarks/RESULTS.md}. */
package io.hxb.bench.micro;
