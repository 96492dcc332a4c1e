/**
 * What every node offers on its own context: it echoes messages for round trips, takes, checks and
 * counts them for throughput, so that any node can be measured from any other, and reports which
 * context listens on a stream's port.
 */
package io.hxb.node.service;
