import {
  alsoInBody,
  boolean,
  coreErrors,
  defineAction,
  oneOf,
  required,
  route,
  schema,
  text,
  type ActionDefinition,
} from '@millrace/kernel';
import type { Moves } from './Moves.js';
import type { MoveState } from './MoveState.js';

const ENGINES = ['sqlite', 'elasticsearch'] as const;
const ELSEWHERE = 'The documents are not in the embedded engine: to move them to another one, export and import them';

const MOVE = schema.named(
  'Move',
  schema.object(
    {
      engine: { ...schema.oneOf(...ENGINES), description: 'The engine that answers.' },
      state: schema.oneOf('none', 'copying', 'comparing', 'switching', 'complete', 'failed', 'cancelled'),
    },
    {
      to: schema.oneOf(...ENGINES),
      verifyOnly: schema.boolean,
      startedAt: { ...schema.integer(), description: 'UTC milliseconds.' },
      endedAt: schema.integer(),
      documents: { ...schema.integer(), description: 'Copied, or compared, so far.' },
      totalDocuments: schema.integer(),
      collections: schema.integer(),
      checksum: { ...schema.text, description: 'Of all documents, equal in both engines.' },
      heldMs: { ...schema.integer(), description: 'How long writes were held back.' },
      reason: { ...schema.text, description: 'Why it failed.' },
    },
  ),
);

/** The actions of moves. @param moves undefined: the server is on another engine */
export function moveActions(moves: Moves | undefined): readonly ActionDefinition[] {
  const possible = (): Moves => {
    if (moves === undefined) throw coreErrors.move_refused({ reason: ELSEWHERE });
    return moves;
  };
  return [
    defineAction({
      controller: 'server',
      action: 'move',
      summary:
        'Begins to move all data between the embedded engine and Elasticsearch, and answers at once; server.moveState shows its progress.',
      routes: [route('POST /_move')],
      args: {
        to: required(alsoInBody(oneOf(...ENGINES))),
        node: alsoInBody(text()),
        verifyOnly: alsoInBody(boolean()),
      },
      result: MOVE,
      writes: true,
      run: ({ args: { to, node = '', verifyOnly = false } }) => {
        // Its failure is logged, and shown by `server.moveState`.
        possible()
          .begin({ to, node, verifyOnly })
          .catch(() => undefined);
        return show(possible().current);
      },
    }),
    defineAction({
      controller: 'server',
      action: 'moveState',
      summary: 'Returns the engine in use, and the last move with its progress.',
      routes: [route('GET /_move')],
      args: {},
      result: MOVE,
      writes: false,
      run: () => show(possible().current),
    }),
    defineAction({
      controller: 'server',
      action: 'cancelMove',
      summary: 'Ends a running move before its switch, and answers when it has ended: the server goes on as before.',
      routes: [route('DELETE /_move')],
      args: {},
      result: MOVE,
      writes: true,
      run: async () => {
        await possible().cancel();
        return show(possible().current);
      },
    }),
  ];
}

function show(state: MoveState) {
  return { ...state };
}
