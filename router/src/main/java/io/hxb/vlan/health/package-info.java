/**
 * Health of a host's paths through plain switches: small frames in the VIDs themselves show which
 * carry frames in both directions, and a pair of hosts leaves one that does not.
 */
package io.hxb.vlan.health;
