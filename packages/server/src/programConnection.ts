import { randomUUID } from 'node:crypto';
import type { Connection, User } from '@millrace/kernel';

/**
 * The connection of requests made by the embedding program: it has no socket, and the program vouches for the user.
 */
export function programConnection(user?: User): Connection {
  const base = { id: randomUUID(), protocol: 'program', remoteAddress: '' };
  return user === undefined ? base : { ...base, user };
}
