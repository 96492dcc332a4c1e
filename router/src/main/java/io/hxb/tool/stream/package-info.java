/** Commands that use byte streams between nodes. */
package io.hxb.tool.stream;
