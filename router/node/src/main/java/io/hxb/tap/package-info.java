/**
 * TAP devices: NICs whose frames a process sends and receives, super-packets in one piece. Source:
 * Documentation/networking/tuntap.rst.
 */
package io.hxb.tap;
