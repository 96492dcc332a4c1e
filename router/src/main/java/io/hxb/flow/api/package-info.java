/**
 * What flows and those who embed them have to know of each other: sizes and times, where frames go,
 * who is told of messages, and what is counted.
 */
package io.hxb.flow.api;
