import {
  custom,
  defineAction,
  route,
  type ActionDefinition,
  type Arguments,
  type Connection,
  type MaybePromise,
  type JsonValue,
} from '@millrace/kernel';
import type { FieldsSent } from '../commands/ArgumentSource.js';
import { LIST } from '../commands/ArgumentKind.js';
import type { MemoryStore } from './MemoryStore.js';

/** For descriptions: the service parses them by its own rules. */
const WATCHED = Object.fromEntries(
  ['_id', 'keys'].map((name) => [name, custom(LIST.expected, LIST.schema, (value) => value)]),
) as Arguments;

interface Row {
  readonly action: string;
  readonly summary: string;
  readonly run: (connection: Connection, sent: FieldsSent) => MaybePromise<JsonValue>;
}

/** The actions of a transaction (MEM-50); over HTTP they answer 400 and have no effect. */
export function transactionActions(store: MemoryStore): readonly ActionDefinition[] {
  const { transactions } = store;
  const rows: readonly Row[] = [
    {
      action: 'multi',
      summary: 'Begins to queue actions.',
      run: (connection) => transactions.multi(connection),
    },
    {
      action: 'exec',
      summary: 'Runs the queued actions as one.',
      run: (connection) => transactions.exec(connection),
    },
    {
      action: 'discard',
      summary: 'Drops the queued actions.',
      run: (connection) => transactions.discard(connection),
    },
    {
      action: 'watch',
      summary: 'Lets exec give null once a key changes.',
      run: (connection, sent) => transactions.watch(connection, store.keysOf(sent)),
    },
    {
      action: 'unwatch',
      summary: 'Ends watching.',
      run: (connection) => transactions.unwatch(connection),
    },
  ];
  return rows.map(({ action, summary, run }) =>
    defineAction({
      controller: 'memoryStorage',
      action,
      summary,
      routes: [route(`POST /ms/_${action}`)],
      args: action === 'watch' ? WATCHED : {},
      result: action === 'exec' ? { type: ['array', 'null'] } : { const: 'OK' },
      writes: false,
      readsFields: true,
      run: (input) => {
        const { connection } = input.request;
        transactions.assertLasting(connection, action);
        return run(connection, input);
      },
    }),
  );
}

/** Names of the actions that are never queued. */
export const TRANSACTION_ACTIONS: readonly string[] = ['multi', 'exec', 'discard', 'watch', 'unwatch'];
