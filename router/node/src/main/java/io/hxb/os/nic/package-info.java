/**
 * What the kernel reports of a NIC: whether it is up, and what it does to frames on its own
 * account.
 */
package io.hxb.os.nic;
