/**
 * Immutable checked records read from the one YAML file that all nodes of a cluster share, and the
 * question which of its nodes we are. Everything that is wrong with the file is said at once, with
 * line numbers, before anything opens a socket.
 */
package io.hxb.config;
