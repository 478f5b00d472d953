import type { RealtimeEvent, Subscription } from '@millrace/client/realtime';
import { useEffect, useRef, useState } from 'react';
import { activity, type Activity } from './client';

const TYPING_MS = 4_000;

/** Who is in a public room, and who of them is typing. */
export function useActivity(room: string, user: string, isPublic: boolean) {
  const [present, setPresent] = useState<readonly string[]>([]);
  const [typing, setTyping] = useState<readonly string[]>([]);
  const reported = useRef({ isTyping: false, atMs: 0 });

  useEffect(() => {
    if (!isPublic) return;
    const timers = new Map<string, number>();

    async function readPresent(subscription: Subscription<Activity>) {
      const { users } = await subscription.presence();
      // A user with two tabs is there twice.
      setPresent([...new Set(users.map(({ userId }) => userId))].sort());
    }

    function show(name: string, isTyping: boolean) {
      clearTimeout(timers.get(name));
      setTyping((names) => [...names.filter((each) => each !== name), ...(isTyping ? [name] : [])]);
      // Whoever closes the page while typing never says that it is done.
      if (isTyping)
        timers.set(
          name,
          window.setTimeout(() => show(name, false), TYPING_MS),
        );
    }

    function receive(event: RealtimeEvent<Activity>) {
      if (event.kind === 'users') readPresent(subscription).catch(() => undefined);
      if (event.kind === 'message' && event.source.user !== user) show(event.source.user, event.source.isTyping);
    }

    const filter = { equals: { room } };
    const subscription = activity.subscribe(filter, { users: 'all', presence: {} });
    subscription.on('event', receive);
    subscription.on('status', (status) => {
      if (status === 'live') readPresent(subscription).catch(() => undefined);
    });
    return () => {
      subscription.close();
      timers.forEach((timer) => clearTimeout(timer));
    };
  }, [room, user, isPublic]);

  /** Tells the others; again while it lasts, as what they know expires. */
  function reportTyping(isTyping: boolean) {
    const { current } = reported;
    const isKnown = current.isTyping === isTyping && Date.now() - current.atMs < TYPING_MS / 2;
    if (!isPublic || isKnown || (!isTyping && !current.isTyping)) return;
    reported.current = { isTyping, atMs: Date.now() };
    // Without the server there is no one to see it.
    activity.publish({ room, user, isTyping }, { retries: 0 }).catch(() => undefined);
  }

  return { present, typing, reportTyping };
}
