import type { Notification } from '@millrace/actions';

/** Whether the server counts a message among those that it has sent (RESUME-24): all notifications but user events. */
export function isCounted({ roomId, controller, action }: Notification): boolean {
  const isUserEvent = controller === 'realtime' && (action === 'subscribe' || action === 'unsubscribe');
  return roomId !== undefined && !isUserEvent;
}
