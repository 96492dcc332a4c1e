/**
 * The memory that a node and its applications share: node page, control memory and rings, with
 * every offset in one place and the messages by which an application attaches. Both sides use the
 * same classes; nothing here decides what is trusted.
 */
package io.hxb.pm.shm;
