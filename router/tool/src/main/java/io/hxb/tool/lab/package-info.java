/**
 * Laboratories: a whole cluster on one machine, of network namespaces joined by veth pairs and
 * bridges, or of UDP sockets on the loopback interface. What has to be made is planned by pure
 * functions; a state file remembers what was made, so that it can be removed after a crash too.
 */
package io.hxb.tool.lab;
