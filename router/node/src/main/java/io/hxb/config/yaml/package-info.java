/**
 * The YAML text of a cluster's configuration, read with line numbers and written. The results are
 * checked records of the parent package.
 */
package io.hxb.config.yaml;
