/** How all commands report: errors for people, JSON for programs, aligned tables. */
package io.hxb.tool.report;
