/** Writes what links receive and send to a pcapng file that Wireshark opens. */
package io.hxb.link.pcap;
