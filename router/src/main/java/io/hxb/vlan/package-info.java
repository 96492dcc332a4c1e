/**
 * A host's paths through plain switches: its frames leave with the VID of their destination, and
 * frames of every VID of the plan come in. Source: VFREC-Net, sections 2 and 3.
 */
package io.hxb.vlan;
