import type { JsonObject } from '@millrace/kernel';
import { MAX_REPLAY } from '../resume/Replays.js';
import type { ResumeAsked } from '../resume/ResumeAsked.js';
import type { ChannelOptions } from '../rooms/ChannelOptions.js';
import type { SubscribeOptions } from '../SubscriptionRequests.js';

/** The arguments of a subscription besides its place and filter; undefined: not given. */
export interface GivenOptions {
  readonly scope: ChannelOptions['scope'] | undefined;
  readonly state: ChannelOptions['state'] | undefined;
  readonly users: ChannelOptions['users'] | undefined;
  readonly cursor: string | undefined;
  readonly mode: ResumeAsked['mode'] | undefined;
  readonly maxReplay: number | undefined;
  readonly presence: JsonObject | undefined;
  readonly name?: string | undefined;
}

/** Adds the defaults. */
export function toSubscribeOptions(given: GivenOptions): SubscribeOptions {
  const { scope = 'all', state = 'done', users = 'none', cursor, mode, presence, name } = given;
  const channel = { scope, state, users };
  // Clients that name neither get the answer of former versions (RESUME-1).
  if (cursor === undefined && mode === undefined && name === undefined) return { channel, presence };
  const { maxReplay = MAX_REPLAY } = given;
  return { channel, presence, name, resume: { cursor, mode: mode ?? 'auto', maxReplay } };
}
