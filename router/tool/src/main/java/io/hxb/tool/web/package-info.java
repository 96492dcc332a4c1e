/** The command {@code hxb web}. */
package io.hxb.tool.web;
