import type { TracingChannel } from 'node:diagnostics_channel';

/** Whether a channel has subscribers, or stores bound to it. `TracingChannel.hasSubscribers` needs Node 22. */
export function isTraced<T extends object>({ start }: TracingChannel<T>): boolean {
  return start.hasSubscribers;
}
