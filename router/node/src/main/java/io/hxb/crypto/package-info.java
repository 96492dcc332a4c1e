/**
 * Keys and what is computed from them: derivation of keys, message authentication codes and
 * authenticated encryption over native memory. It knows nothing of frames.
 */
package io.hxb.crypto;
