import { createHash } from 'node:crypto';
import type { RequestFields } from '@millrace/kernel';

const READABLE = /^[\w.-]{1,64}$/;

/** Prefix of the names of a client's subscriptions. */
export function namePrefix(clientId: string): string {
  return `mqtt:${READABLE.test(clientId) ? clientId : hashOf(clientId, 32)}:`;
}

/** The name of a subscription in the session of a client: the same whenever the client sends the same request. */
export function subscriptionName(clientId: string, fields: RequestFields): string {
  const { index, collection, filter, query, body, scope, state, users } = fields as Record<string, unknown>;
  const test = filter ?? (query === undefined ? body : { query });
  const asked = [index, collection, test, scope, state, users].map((each) => each ?? null);
  return `${namePrefix(clientId)}${hashOf(JSON.stringify(asked), 16)}`;
} // prettier-ignore

function hashOf(content: string, digits: number): string {
  return createHash('sha256').update(content).digest('hex').slice(0, digits);
}
