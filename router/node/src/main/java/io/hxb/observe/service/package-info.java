/** The server of a machine's nodes, put together from the cluster file. */
package io.hxb.observe.service;
