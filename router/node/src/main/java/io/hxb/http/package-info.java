/** HTTP/1.1 by Netty's codec: connections with limits, requests that are read one by one. */
package io.hxb.http;
