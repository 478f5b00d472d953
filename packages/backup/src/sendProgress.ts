import { setTimeout as pause } from 'node:timers/promises';
import { toEnvelope, type Clock, type JsonObject, type Notifier, type Request } from '@millrace/kernel';

const PROGRESS_MS = 500;

/** The receivers and the clock of `sendProgress`. */
export interface ProgressParts {
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly clock: Clock;
}

/** A job as its notifications show it. */
export type JobState = JsonObject & { readonly state: string };

/**
 * Notifies the connection that began a job of its progress, where direct responses go, and last of its outcome (`state`
 * other than `running`). Requests over HTTP have no such connection.
 * @param show the job; undefined once it isn't known any more
 * @param done settles when the job has ended
 */
export async function sendProgress(
  { connection, requestId, action }: Request,
  { notifiers, clock }: ProgressParts,
  show: () => Promise<JobState | undefined>,
  done: Promise<unknown>,
): Promise<void> {
  const notifier = notifiers.get(connection.protocol);
  if (notifier === undefined) return;
  const ended = done.then(
    () => undefined,
    () => undefined,
  );
  for (let isRunning = true; isRunning;) {
    await Promise.race([pause(PROGRESS_MS, undefined, { ref: false }), ended]);
    const result = await show();
    if (result === undefined) return;
    isRunning = result.state === 'running';
    const notification = {
      requestId,
      controller: 'server',
      action,
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      scope: null,
      result,
    } as const;
    notifier.notify(connection.id, null, toEnvelope(notification, clock.nowMs()));
  }
}
