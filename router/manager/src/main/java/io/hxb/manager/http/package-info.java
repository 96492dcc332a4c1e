/** HTTP/1.1 by Netty's codec: connections with limits, requests and answers in JSON. */
package io.hxb.manager.http;
