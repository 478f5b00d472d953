import type { RealtimeEvent, SubscribeOptions, SubscriptionStatus } from '@millrace/client/realtime';
import { useEffect, useRef, useState } from 'react';
import type { LiveCollection } from './views.js';

/**
 * Calls a function for each event of a filter while the component is mounted; the function may be another one at each
 * render.
 */
export function useSubscription<T>(
  collection: LiveCollection<T>,
  filter: object,
  onEvent: (event: RealtimeEvent<T>) => void,
  options: Omit<SubscribeOptions, 'signal'> = {},
): SubscriptionStatus {
  const latest = useRef(onEvent);
  const [status, setStatus] = useState<SubscriptionStatus>('connecting');
  useEffect(() => {
    latest.current = onEvent;
  });
  useEffect(() => {
    const subscription = collection.subscribe(filter, options);
    setStatus(subscription.status);
    subscription.on('status', setStatus);
    subscription.on('event', (event) => latest.current(event));
    return () => subscription.close();
  }, [collection.connection, JSON.stringify([collection.index, collection.name, filter, options])]);
  return status;
}
