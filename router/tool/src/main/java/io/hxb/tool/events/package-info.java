/** {@code hxb events}: what has happened to the nodes of this machine. */
package io.hxb.tool.events;
