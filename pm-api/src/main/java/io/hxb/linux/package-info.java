/**
 * The system calls by which applications and their node share memory, wake each other and place
 * their threads, bound once through java.lang.foreign, and access to native memory. Internal:
 * applications use {@code io.hxb.pm}.
 */
package io.hxb.linux;
