/**
 * What every node offers on its own context: it echoes messages for round trips, and takes, checks
 * and counts them for throughput, so that any node can be measured from any other.
 */
package io.hxb.node.service;
