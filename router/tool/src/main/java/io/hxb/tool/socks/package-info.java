/** {@code hxb socks}: a SOCKS proxy whose host names are nodes. */
package io.hxb.tool.socks;
