/**
 * What a flow knows of time: how long its frames take there and back, and since when its peer has
 * been cut off.
 */
package io.hxb.flow.timing;
