/** The commands {@code hxb sim}. */
package io.hxb.bench.flit.tool;
