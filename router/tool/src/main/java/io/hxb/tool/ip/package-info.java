/** {@code hxb ip}: the addresses of the nodes' virtual NICs, and what passes by them. */
package io.hxb.tool.ip;
