/**
 * The network manager of a host: programs set and reset the paths of its pairs, read what was sent
 * over which VID, and see its NICs. Source: VFREC-Net, section 3.
 */
package io.hxb.manager;
