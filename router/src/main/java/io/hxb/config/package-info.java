/**
 * Immutable checked records read from the one YAML file that all nodes of a cluster share, and
 * which of its nodes this machine is. All problems of the file are reported at once, with line
 * numbers, before anything opens a socket.
 */
package io.hxb.config;
