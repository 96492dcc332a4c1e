/**
 * What every end-to-end run needs: namespaces joined by veth pairs, child processes, contestants
 * that take turns, and reports with every sample.
 */
package io.hxb.bench.harness;
