/** {@code hxb cat}: standard input and output joined to a byte stream between two nodes. */
package io.hxb.tool.cat;
