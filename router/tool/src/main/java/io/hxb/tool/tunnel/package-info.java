/** TCP connections that are joined to byte streams between nodes. */
package io.hxb.tool.tunnel;
