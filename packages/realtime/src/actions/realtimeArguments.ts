import {
  alsoInBody,
  collectionName,
  custom,
  indexName,
  integer,
  oneOf,
  required,
  text,
  type Argument,
} from '@millrace/kernel';
import { MAX_REPLAY } from '../resume/Replays.js';
import { jsonArgument } from '../jsonArgument.js';
import { presenceArgument } from '../rooms/MemberPresence.js';

/** Arguments that several actions of the realtime controller share. */
export const realtimeArguments = {
  index: required(indexName()),
  collection: required(collectionName()),
  roomId: alsoInBody(required(text())),
} as const;

const NAME = /^[\w.:-]{1,128}$/;
const MAX_WAIT_MS = 60_000;
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** What is subscribed to, in place of the body. */
export const testArguments = {
  filter: jsonArgument('a filter: a JSON object'),
  query: jsonArgument('a query: a JSON object'),
};

/** How long a poll waits, in milliseconds. */
export const waitArgument = custom<number>(
  'a time from 0s to 60s, such as "20s"',
  { type: 'string', pattern: '^[0-9]{1,5}(ms|s|m)$' },
  (value) => {
    const [, digits, unit = ''] = /^(\d{1,5})(ms|s|m)$/.exec(String(value)) ?? [];
    const waitMs = Number(digits) * (MS_PER_UNIT[unit] ?? NaN);
    return waitMs <= MAX_WAIT_MS ? waitMs : undefined;
  },
);

/** Arguments of a subscription besides its place and filter. */
export const subscriptionArguments = {
  scope: oneOf('all', 'in', 'out', 'none'),
  state: oneOf('all', 'pending', 'done'),
  users: oneOf('all', 'in', 'out', 'none'),
  cursor: text(),
  mode: oneOf('events', 'state', 'auto'),
  maxReplay: integer(1, MAX_REPLAY),
  presence: presenceArgument(),
} as const;

/** The name of a subscription (RESUME-40). */
export function nameArgument(): Argument<string> {
  const expected = '1 to 128 letters, digits or characters of "_.:-"';
  return custom(expected, { type: 'string', pattern: NAME.source }, (value) =>
    typeof value === 'string' && NAME.test(value) ? value : undefined,
  );
}
