/** What the tests under jcstress share: native memory for their states. */
package io.hxb.stress;
