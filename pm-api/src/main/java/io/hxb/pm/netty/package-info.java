/**
 * Netty channels over HXB streams, so that an unmodified pipeline runs on a hyper-crossbar. Needs
 * Netty's epoll transport on the class path, which pm-api does not include.
 */
package io.hxb.pm.netty;
