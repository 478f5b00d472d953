import { custom, defineAction, route, type ActionDefinition, type Connection, type MaybePromise, type JsonValue, type Request } from '@millrace/kernel'; // prettier-ignore
import { LIST } from '../commands/ArgumentKind.js';
import type { MemoryStore } from './MemoryStore.js';

/** For descriptions: the service reads them by rules of its own. */
const WATCHED = Object.fromEntries(
  ['_id', 'keys'].map((name) => [name, custom(LIST.expected, LIST.schema, (value) => value)]),
);

interface Row {
  readonly action: string;
  readonly summary: string;
  readonly run: (connection: Connection, request: Request) => MaybePromise<JsonValue>;
}

/** The actions of a transaction (memory-store.md 1.8); over HTTP they answer 400 and touch nothing. */
export function transactionActions(store: MemoryStore): readonly ActionDefinition[] {
  const { transactions } = store;
  const rows: readonly Row[] = [
    { action: 'multi', summary: 'Begins to queue actions.', run: (connection) => transactions.multi(connection) }, // prettier-ignore
    { action: 'exec', summary: 'Runs the queued actions as one.', run: (connection) => transactions.exec(connection) }, // prettier-ignore
    { action: 'discard', summary: 'Drops the queued actions.', run: (connection) => transactions.discard(connection) }, // prettier-ignore
    { action: 'watch', summary: 'Lets exec give null once a key changes.', run: (connection, request) => transactions.watch(connection, store.keysOf(request)) }, // prettier-ignore
    { action: 'unwatch', summary: 'Ends watching.', run: (connection) => transactions.unwatch(connection) }, // prettier-ignore
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
      run: ({ request }) => {
        transactions.assertLasting(request.connection, action);
        return run(request.connection, request);
      },
    }),
  );
}

/** Names of the actions that never count as queued ones. */
export const TRANSACTION_ACTIONS: readonly string[] = ['multi', 'exec', 'discard', 'watch', 'unwatch']; // prettier-ignore
