/**
 * Labs of plain hosts and real switches: Open vSwitch told what a plan says, and for each host a
 * NIC whose frames take planned paths.
 */
package io.hxb.tool.lab.switches;
