/**
 * The loops that nodes run on: each is one thread, or an application's, that drives its tasks in
 * turns and sleeps in epoll in between, until a descriptor, a deadline or another thread wakes it.
 */
package io.hxb.node.loop;
