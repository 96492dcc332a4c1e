/** {@code hxb expose}: TCP ports of this machine that streams of other nodes may reach. */
package io.hxb.tool.expose;
