/**
 * The loops that nodes run on: each is one thread, or an application's, that drives its tasks in
 * turns and sleeps in epoll in between, until a descriptor, a deadline or another thread wakes it.
 *
 * <p>A turn reads the clock once. Below that, time is an argument or the clock of the turn: a copy
 * of the time in each class would be old wherever its update was forgotten. All deadlines of a loop
 * share one timerfd, which is set only when the earliest deadline moves forward. After more than
 * 0.5 ms without its CPU, a loop reads its sockets before its timers, because frames that wait
 * there are not lost.
 *
 * <p>With root or CAP_SYS_NICE a loop's thread runs at nice -10, so that other programs on its CPU
 * do not take whole slices.
 */
package io.hxb.node.loop;
