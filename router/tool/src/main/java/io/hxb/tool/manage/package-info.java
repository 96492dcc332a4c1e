/** {@code hxb manage}: a network whose paths follow its traffic. */
package io.hxb.tool.manage;
