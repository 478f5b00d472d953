import { createHash } from 'node:crypto';

/** Which document notifications a channel carries: of documents that come in, that go out, all, none. */
export type Scope = 'all' | 'in' | 'out' | 'none';
/** Before the write, after it, or both. */
export type State = 'all' | 'pending' | 'done';
/** Of which subscribers a channel tells: those who come, who go, all, none. */
export type Users = 'all' | 'in' | 'out' | 'none';

/** What a subscriber asks to hear (PROTO-70). */
export interface ChannelOptions {
  readonly scope: Scope;
  readonly state: State;
  readonly users: Users;
}

const DIGITS = 16;

/** The channel of a room under an option set: the same on every node and after a restart. */
export function channelName(roomId: string, { scope, state, users }: ChannelOptions): string {
  const hash = createHash('sha256').update(`${scope},${state},${users}`).digest('hex');
  return `${roomId}-${hash.slice(0, DIGITS)}`;
}
