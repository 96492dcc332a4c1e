/** What can be told of links to neighbours: found, failed, recovered, and why. */
package io.hxb.trunk.event;
