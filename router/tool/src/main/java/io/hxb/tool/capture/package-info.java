/** {@code hxb capture}: the frames of links of a running node, for Wireshark. */
package io.hxb.tool.capture;
