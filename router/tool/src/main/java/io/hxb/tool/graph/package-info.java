/**
 * Graphs of switches in files: edge lists, YAML cabling, Graphviz DOT, GraphML, BookSim's anynet,
 * InfiniBand's discovery and LLDP neighbours are read; DOT, SVG pictures with channel loads, JSON
 * and edge lists are written.
 */
package io.hxb.tool.graph;
