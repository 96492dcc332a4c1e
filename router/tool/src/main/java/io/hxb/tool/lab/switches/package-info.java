/**
 * Labs of plain hosts and real switches: Open vSwitch set up from a plan, and for each host a NIC
 * whose frames take planned paths.
 */
package io.hxb.tool.lab.switches;
