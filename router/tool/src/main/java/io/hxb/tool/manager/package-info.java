/** {@code hxb manager}: a host's NIC whose frames take planned paths, and its network manager. */
package io.hxb.tool.manager;
