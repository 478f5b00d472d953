import type { Logger, Notifier } from '@millrace/kernel';

/**
 * Isolates a notifier that throws: the failure is logged, and all other protocols and connections still receive the
 * notification.
 */
export function guardNotifier(protocol: string, notifier: Notifier, log: Logger): Notifier {
  const guard = (call: () => void): void => {
    try {
      call();
    } catch (error) {
      log.error({ protocol, err: error }, 'notifier failed');
    }
  };
  return {
    join: (connectionId, channel) => guard(() => notifier.join(connectionId, channel)),
    leave: (connectionId, channel) => guard(() => notifier.leave(connectionId, channel)),
    publish: (channel, envelope, exceptConnectionId) =>
      guard(() => notifier.publish(channel, envelope, exceptConnectionId)),
    notify: (connectionId, channel, envelope) => guard(() => notifier.notify(connectionId, channel, envelope)),
    drained: (connectionId) => {
      let drained: Promise<void> | undefined;
      guard(() => {
        drained = notifier.drained?.(connectionId);
      });
      return drained;
    },
  };
}
