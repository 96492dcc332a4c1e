/** The counters of nodes as metrics, in the text formats of OpenMetrics and Prometheus. */
package io.hxb.observe.metrics;
