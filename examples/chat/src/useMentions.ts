import { useSubscription } from '@millrace/react';
import { useEffect, useState } from 'react';
import { messages } from './client';

/** The rooms in which others have written the name of the user since they were last open. */
export function useMentions(user: string, openRoom: string): ReadonlySet<string> {
  const [mentioned, setMentioned] = useState<ReadonlySet<string>>(new Set());

  // Any query that one document can decide, here one for words: the server tests each new message with it.
  useSubscription(messages, { query: { match: { text: user } } }, (event) => {
    if (event.kind !== 'changed' || event.source.author === user) return;
    const { room } = event.source;
    if (room !== openRoom) setMentioned((known) => new Set([...known, room]));
  });
  useEffect(() => {
    setMentioned((known) => new Set([...known].filter((room) => room !== openRoom)));
  }, [openRoom]);
  return mentioned;
}
