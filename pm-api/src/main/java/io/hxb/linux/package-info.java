/**
 * Every system call HXB makes and every access to native memory, bound once through
 * java.lang.foreign. It lives beside the PM API because applications map the node's memory with the
 * same calls the node uses.
 */
package io.hxb.linux;
