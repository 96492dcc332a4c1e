/**
 * Immutable checked records read from the one YAML file that all nodes of a cluster share, and
 * which of its nodes this machine is. All problems of the file are reported at once, with line
 * numbers, before anything opens a socket.
 *
 * <p>Each key is a component of one record and has a {@link io.hxb.config.ConfigKey} beside it,
 * from which reader, writer, checks and the documentation are made. A record may be made with any
 * values; {@link io.hxb.config.ClusterConfig} checks the records that it consists of. Other
 * packages take these records as they are: settings of their own would repeat the file's values
 * with other bounds and defaults. A number that no file sets is a constant in the class that it
 * governs. The node computes sizes, such as the number of buffers, from the records.
 */
package io.hxb.config;
