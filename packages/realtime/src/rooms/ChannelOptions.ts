import { createHash } from 'node:crypto';

/** Which document notifications a channel carries: of documents that enter the room, that leave it, all, none. */
export type Scope = 'all' | 'in' | 'out' | 'none';
/** Before the write, after it, or both. */
export type State = 'all' | 'pending' | 'done';
/** Which user events a channel carries: of users who join, who leave, all, none. */
export type Users = 'all' | 'in' | 'out' | 'none';

/** The notifications that a subscriber requests (PROTO-70). */
export interface ChannelOptions {
  readonly scope: Scope;
  readonly state: State;
  readonly users: Users;
  /** Of the followers of a search: what distinguishes it from other searches with the same query. */
  readonly followed?: string;
}

const DIGITS = 16;

/** The channel of a room under an option set: the same on every node and after a restart. */
export function channelName(roomId: string, options: ChannelOptions): string {
  const { scope, state, users, followed = '' } = options;
  const hash = createHash('sha256').update(`${scope},${state},${users}${followed}`).digest('hex');
  return `${roomId}-${hash.slice(0, DIGITS)}`;
}
