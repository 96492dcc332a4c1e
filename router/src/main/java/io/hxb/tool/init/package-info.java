/**
 * {@code hxb init}: finds out which machines the NICs of this one lead to, and writes a first
 * cluster file.
 */
package io.hxb.tool.init;
