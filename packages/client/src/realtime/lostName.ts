import type { Notification } from '@millrace/actions';
import { MillraceError } from '../errors/MillraceError.js';

const REASONS = ['taken_over', 'removed'];

/** The error of a subscription that has lost its name for good (RESUME-45, RESUME-46); undefined: it has not. */
export function lostName({ action, requestId, result }: Notification): MillraceError | undefined {
  const { reason = '' } = result as { readonly reason?: string };
  if (action !== 'subscriptionEnded' || !REASONS.includes(reason)) return undefined;
  const message = `the name of the subscription was ${reason.replace('_', ' ')}`;
  return new MillraceError({ id: 'realtime.name_not_held', status: 409, message, requestId });
}
