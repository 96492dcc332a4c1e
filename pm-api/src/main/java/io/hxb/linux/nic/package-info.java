/** What a NIC does to frames on its own account, asked of the kernel. */
package io.hxb.linux.nic;
