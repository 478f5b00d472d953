import {
  alsoInBody,
  boolean,
  custom,
  defineAction,
  object,
  required,
  schema,
  text,
  type ActionDefinition,
  type ChangeLog,
  type Clock,
  type Logger,
} from '@millrace/kernel';

/** Dependencies of the client controller. */
export interface ClientActionParts {
  readonly clock: Clock;
  readonly changeLog: ChangeLog | null;
  readonly log: Logger;
}

const MAX_LOGGED_LENGTH = 200;
const VERSION = custom('1, the version of the protocol', { const: 1 }, (value) => (value === 1 ? value : undefined));
const { integer } = schema;

const GREETING = schema.object({
  connectionId: { ...schema.text, description: 'For the logs of client and server.' },
  serverTime: { ...integer(), description: 'UTC milliseconds.' },
  heartbeatMs: {
    type: ['integer', 'null'],
    description: 'Longest silence of the server from now on; null without heartbeats.',
  },
  epoch: {
    type: ['string', 'null'],
    description: 'The change log to which cursors belong; null if the storage has none.',
  },
});

/** Actions of the client controller: what a client and a server tell each other about their connection. */
export function clientActions({ clock, changeLog, log }: ClientActionParts): readonly ActionDefinition[] {
  return [
    defineAction({
      controller: 'client',
      action: 'hello',
      summary: 'Begins a connection: tells its id, the time and the change log, starts heartbeats.',
      routes: [],
      args: {
        v: required(alsoInBody(VERSION)),
        sdk: alsoInBody(text()),
        heartbeat: alsoInBody(boolean()),
        last: alsoInBody(object()),
      },
      result: GREETING,
      writes: false,
      access: 'public',
      queue: 'immediate',
      run: ({ request: { connection }, args: { sdk, heartbeat = true, last } }) => {
        const { id } = connection;
        const shown = (value: unknown) => JSON.stringify(value)?.slice(0, MAX_LOGGED_LENGTH);
        log.debug({ connection: id, sdk: shown(sdk), last: shown(last) }, 'client connected');
        return {
          connectionId: id,
          serverTime: clock.nowMs(),
          heartbeatMs: heartbeat ? (connection.startHeartbeats?.() ?? null) : null,
          epoch: changeLog?.epoch ?? null,
        };
      },
    }),
  ];
}
