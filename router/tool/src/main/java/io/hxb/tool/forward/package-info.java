/** {@code hxb forward}: local TCP ports that lead to ports of other nodes. */
package io.hxb.tool.forward;
