/**
 * The cabling from what LLDP heard on every system: reports are read from lldpcli's JSON, their
 * names of systems and ports are brought together, the reports of both ends of a cable become one,
 * those that another one disproves go, and what contradicts is reported with both names.
 */
package io.hxb.tool.graph.lldp;
