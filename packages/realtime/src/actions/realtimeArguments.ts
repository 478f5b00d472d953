import {
  alsoInBody,
  collectionName,
  custom,
  indexName,
  integer,
  isJsonObject,
  oneOf,
  parseJson,
  required,
  text,
  type JsonObject,
} from '@millrace/kernel';
import { MAX_REPLAY } from '../resume/Replays.js';
import { presenceArgument } from '../rooms/MemberPresence.js';

/** Arguments that several actions of the realtime controller share. */
export const realtimeArguments = {
  index: required(indexName()),
  collection: required(collectionName()),
  roomId: alsoInBody(required(text())),
} as const;

const MAX_WAIT_MS = 60_000;
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** What is subscribed to, in place of the body: an object, or its JSON as a string (query strings). */
export const testArguments = { filter: jsonArgument('a filter'), query: jsonArgument('a query') };

function jsonArgument(what: string) {
  return custom<JsonObject>(
    `${what}: a JSON object, or its JSON as a string`,
    { type: ['object', 'string'] },
    (value) => {
      if (typeof value !== 'string') return isJsonObject(value) ? value : undefined;
      const parsed = parseJson(Buffer.from(value));
      return 'value' in parsed && isJsonObject(parsed.value) ? parsed.value : undefined;
    },
  );
}

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
