import { setTimeout as sleep } from 'node:timers/promises';
import type { MoveState } from '@millrace/move';
import { ProgressLine } from '../transfer/ProgressLine.js';
import type { ActionTarget } from '../targets/ActionTarget.js';
import type { Command } from './Command.js';
import { SERVER_OPTIONS, serverOf } from './RemoteServer.js';
import { UsageError } from './UsageError.js';

const POLL_MS = 200;
const GOALS = ['sqlite', 'elasticsearch'];
const NEXT_STEP: Readonly<Record<MoveState['engine'], string>> = {
  elasticsearch: ' Set storage.engine to "elasticsearch" to keep them there.',
  sqlite: ' Restart the server: its change log begins then.',
};

/** Moves the data of a running server between engines. */
export const moveCommand: Command = {
  name: 'move',
  summary: 'Moves the data of a running server to Elasticsearch, or back',
  description:
    'The server answers all requests meanwhile. Ending this command does not end the move: --status shows a move that runs, --cancel ends it.',
  options: {
    to: { value: 'ENGINE', doc: 'elasticsearch or sqlite' },
    node: {
      value: 'URL',
      doc: 'refuses the move if storage.elasticsearch.node of the server is another address',
    },
    verifyOnly: { doc: 'copies and compares, and does not switch' },
    status: { doc: 'waits for a move that runs, or shows the last one' },
    cancel: { doc: 'ends a move that runs: the server goes on as before' },
    ...SERVER_OPTIONS,
  },
  usesConfig: false,
  hasResult: true,
  run: async (call) => {
    const to = call.value('to');
    const node = call.value('node');
    const server = await serverOf(call);
    const isCancel = call.has('cancel');
    if (isCancel) await server.execute('server', 'cancelMove');
    else if (!call.has('status')) {
      if (to === undefined || !GOALS.includes(to))
        throw new UsageError('Option --to: expected elasticsearch or sqlite');
      const verifyOnly = call.has('verifyOnly');
      const fields = { to, verifyOnly, ...(node !== undefined && { node }) };
      await server.execute('server', 'move', fields);
    }
    const state = await ended(server, new ProgressLine(call.context.stderr));
    return {
      text: textOf(state),
      json: { ...state },
      isFailed: state.state === 'failed' || (state.state === 'cancelled' && !isCancel),
    };
  },
};

async function ended(server: ActionTarget, line: ProgressLine): Promise<MoveState> {
  for (;;) {
    const state = (await server.execute('server', 'moveState')) as unknown as MoveState;
    const { documents = 0, totalDocuments } = state;
    if (['none', 'complete', 'failed', 'cancelled'].includes(state.state)) {
      line.clear();
      return state;
    }
    const share = totalDocuments === undefined ? undefined : documents / (totalDocuments || 1);
    line.show(`${state.state}: ${documents} documents`, share && Math.min(1, share));
    await sleep(POLL_MS);
  }
}

function textOf(state: MoveState): string {
  const { engine, documents, checksum, heldMs, verifyOnly, reason } = state;
  switch (state.state) {
    case 'none':
      return `The documents are in ${engine}. No move was made since the server started\n`;
    case 'failed':
      return `The move failed, and nothing was changed: ${reason}\n`;
    case 'cancelled':
      return 'The move was cancelled, and nothing was changed\n';
    default: {
      const compared = checksum === undefined ? '' : `${documents} documents are equal (checksum ${checksum}). `;
      const held = heldMs === undefined ? '' : ` Writes waited for ${heldMs} ms.`;
      const next = verifyOnly === true ? '' : NEXT_STEP[engine];
      return `${compared}The documents are in ${engine}.${held}${next}\n`;
    }
  }
}
