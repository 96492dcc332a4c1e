package io.hxb.recorder;

/**
 * Whose events these are. Immutable.
 *
 * @param clusterName name of the cluster.
 * @param clusterId its id.
 * @param node node id.
 */
public record EventLabels(String clusterName, int clusterId, int node) {}
