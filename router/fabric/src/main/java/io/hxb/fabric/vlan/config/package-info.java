/**
 * A plan as each switch needs it, and as text in the language of the switch: {@link
 * io.hxb.fabric.vlan.config.SwitchSetup} holds ports, VLANs and static MAC addresses of one switch,
 * a {@link io.hxb.fabric.vlan.config.Dialect} writes it in full or as changes. Nothing here talks
 * to a switch.
 */
package io.hxb.fabric.vlan.config;
