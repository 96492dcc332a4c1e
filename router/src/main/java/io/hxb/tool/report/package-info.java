/** What all commands share when they talk: errors for people, JSON for programs, aligned tables. */
package io.hxb.tool.report;
