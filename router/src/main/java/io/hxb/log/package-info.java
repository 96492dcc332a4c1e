/**
 * The log: printable characters, a limited number of lines of each kind, written by a thread of its
 * own, and the errors that loops survive.
 */
package io.hxb.log;
