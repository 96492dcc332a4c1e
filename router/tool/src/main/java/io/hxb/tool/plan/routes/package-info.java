/** The commands that compute, check and compare routes of switch networks. */
package io.hxb.tool.plan.routes;
