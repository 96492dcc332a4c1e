/** {@code hxb key}: makes the keys of clusters, and shows which key a file has. */
package io.hxb.tool.key;
