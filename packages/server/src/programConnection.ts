import { randomUUID } from 'node:crypto';
import type { Connection, User } from '@millrace/kernel';

/** The connection of requests that a program makes: no socket is behind it, and the program answers for the user. */
export function programConnection(user?: User): Connection {
  const base = { id: randomUUID(), protocol: 'program', remoteAddress: '' };
  return user === undefined ? base : { ...base, user };
}
