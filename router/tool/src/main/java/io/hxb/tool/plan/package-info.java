/** The commands of {@code hxb plan}: routes and VLANs for networks of plain switches. */
package io.hxb.tool.plan;
