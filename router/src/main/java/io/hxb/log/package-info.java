/**
 * What the log says: printable characters, so many lines of a kind, written by a thread of its own.
 */
package io.hxb.log;
