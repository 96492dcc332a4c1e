/**
 * Graphs of switches in files: edge lists, YAML cabling, Graphviz DOT and LLDP neighbours are read;
 * DOT, SVG pictures with channel loads, JSON and edge lists are written.
 */
package io.hxb.tool.graph;
