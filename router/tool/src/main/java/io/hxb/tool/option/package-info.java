/** Options that several commands share, filled by picocli. */
package io.hxb.tool.option;
