import { defineErrors } from '../../errors/defineErrors.js';

/** Errors of subscriptions and their filters. */
export const realtimeErrors = defineErrors('realtime', {
  protocol_not_supported: {
    status: 400,
    message: (p: { action: string; protocol: string }) =>
      `realtime.${p.action} needs a connection that lasts: the protocol "${p.protocol}" has none` +
      (p.protocol === 'program' ? '; a program subscribes with kernel.subscribe' : ''),
  },
  invalid_filter: { status: 400, message: (p: { reason: string }) => p.reason },
  filter_too_complex: { status: 400, message: (p: { reason: string }) => p.reason },
  invalid_cursor: {
    status: 400,
    message: (p: { field: string; reason: string }) => `${p.field}: expected a cursor of this server, ${p.reason}`,
  },
  gap: { status: 410, message: (p: { message: string }) => `Changes are missing: ${p.message}` },
  name_needs_user: {
    status: 401,
    message: () => 'name: a named subscription belongs to a user, and no token was sent',
  },
  no_change_log: {
    status: 400,
    message: () => 'name: this server records no changes, so it has no named subscriptions',
  },
  name_not_found: {
    status: 404,
    message: (p: { name: string }) => `This user has no named subscription "${p.name}"`,
  },
  name_not_held: {
    status: 409,
    message: (p: { name: string }) =>
      `This connection doesn't hold the named subscription "${p.name}": subscribe with this name first; a later subscription with it takes it over`,
  },
  too_many_names: {
    status: 429,
    message: (p: { limit: number }) =>
      `Too many named subscriptions of one user: at most ${p.limit}; remove some with realtime.deleteName`,
  },
  name_busy: {
    status: 503,
    message: (p: { name: string }) => `Several connections subscribe with the name "${p.name}" at once`,
  },
  room_not_found: {
    status: 404,
    message: (p: { roomId: string }) => `No room ${JSON.stringify(p.roomId)}`,
  },
  not_subscribed: {
    status: 404,
    message: (p: { roomId: string }) => `This connection has no subscription in room ${JSON.stringify(p.roomId)}`,
  },
  too_many_channels: {
    status: 429,
    message: (p: { limit: number }) => `Too many subscriptions on one connection: at most ${p.limit} channels`,
  },
  metadata_too_large: {
    status: 400,
    message: (p: { bytes: number; limit: number }) =>
      `metadata: expected at most ${p.limit} bytes of JSON, got ${p.bytes}`,
  },
  too_many_bytes: {
    status: 429,
    message: (p: { holder: 'connection' | 'address'; limit: number }) =>
      `The subscriptions of one ${p.holder} take too much memory: at most ${p.limit} bytes of filters and metadata`,
  },
  not_incremental: {
    status: 400,
    message: (p: { because: string }) => `strict: this search can only be followed by running it again: ${p.because}`,
  },
  too_many_follows: {
    status: 429,
    message: (p: { limit: number }) => `Too many different followed searches: the server keeps at most ${p.limit}`,
  },
  follows_full: {
    status: 429,
    message: (p: { limit: number }) =>
      `The results of followed searches take all memory that the server has for them (${p.limit} bytes)`,
  },
  not_followed: {
    status: 404,
    message: (p: { followId: string }) => `This connection follows no search ${JSON.stringify(p.followId)}`,
  },
  subscriptions_full: {
    status: 503,
    message: (p: { limit: number }) =>
      `The subscriptions of all clients take all memory that the server has for them (${p.limit} bytes)`,
  },
});
