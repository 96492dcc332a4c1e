/** Tells people and applications of links that fail and recover: log lines and the node's page. */
package io.hxb.node.event;
