import type { Logger, Notifier } from '@millrace/kernel';

/**
 * A notifier that throws harms nobody else: a failure is logged, and the other protocols and connections are told all the
 * same.
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
    tell: (connectionId, channel, envelope) =>
      guard(() => notifier.tell(connectionId, channel, envelope)),
  };
}
