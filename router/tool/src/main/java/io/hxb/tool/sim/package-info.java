/** The commands {@code hxb sim}. */
package io.hxb.tool.sim;
