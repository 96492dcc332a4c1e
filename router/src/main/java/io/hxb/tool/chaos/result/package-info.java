/**
 * What faults did to traffic: how long less flowed than what is left could carry, when it was all
 * there again, and the files that tell of it.
 */
package io.hxb.tool.chaos.result;
