/** How long a change of a path takes: within a network manager, and asked for by a program. */
package io.hxb.bench.route;
