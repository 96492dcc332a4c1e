/**
 * The YAML text of a cluster's configuration, read with line numbers and written. Everything it
 * yields is a checked record of the parent package.
 */
package io.hxb.config.yaml;
