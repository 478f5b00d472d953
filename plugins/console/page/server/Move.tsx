import { isError } from '@millrace/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Facts } from '../kit/Facts.jsx';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useSession } from '../shell/Session.js';
import { usePolled } from './usePolled.js';

type Engine = 'sqlite' | 'elasticsearch';

/** The engine in use, and the last move. */
interface MoveState {
  readonly engine: Engine;
  readonly state: 'none' | 'copying' | 'comparing' | 'switching' | 'complete' | 'failed' | 'cancelled';
  readonly to?: Engine;
  readonly verifyOnly?: boolean;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly documents?: number;
  readonly totalDocuments?: number;
  readonly collections?: number;
  readonly checksum?: string;
  readonly heldMs?: number;
  readonly reason?: string;
}

const RUNNING_MS = 1_000;
const NUMBER = new Intl.NumberFormat();
const NAMES: Readonly<Record<Engine, string>> = { sqlite: 'the embedded engine', elasticsearch: 'Elasticsearch' };
const STEPS: Readonly<Record<MoveState['state'], string>> = {
  none: '',
  copying: 'Documents are copied',
  comparing: 'Documents are compared',
  switching: 'The engines are switched',
  complete: 'Complete',
  failed: 'Failed: the server goes on as before',
  cancelled: 'Ended before the switch: the server goes on as before',
};

/** Moves the data to another storage engine while the server runs. */
export function Move() {
  const { rights } = useSession();
  const moves = usePolled(
    (signal) => run<MoveState>('server.moveState', {}, { signal }),
    (value) => (value !== undefined && isRunning(value) ? RUNNING_MS : undefined),
  );
  const node = useLoad(readNode, []);
  if (isError(moves.error, 'core.move_refused')) {
    return (
      <Empty title="The data of this server can’t be moved">
        <p class="soft">
          <bdi>{moves.error.message}</bdi>
        </p>
      </Empty>
    );
  }
  return (
    <div class="page">
      <Show loaded={moves}>
        {(state) => (
          <>
            <section class="card stack" aria-label="Storage engine">
              <h2>Storage engine</h2>
              <p>
                The documents are in <strong>{NAMES[state.engine]}</strong>.
              </p>
              {rights.mayAnywhere('server.move') && <Begin state={state} node={node.value} onBegun={moves.reload} />}
            </section>
            {state.state !== 'none' && (
              <Progress state={state}>
                {isRunning(state) && rights.mayAnywhere('server.cancelMove') && <End onEnded={moves.reload} />}
              </Progress>
            )}
          </>
        )}
      </Show>
    </div>
  );
}

function isRunning({ state }: MoveState): boolean {
  return state === 'copying' || state === 'comparing' || state === 'switching';
}

/** The configured address of Elasticsearch, without its password; empty: none, undefined: the user may not read it. */
async function readNode(signal: AbortSignal): Promise<string | undefined> {
  const configuration = await run<Fields>('server.getConfig', {}, { signal }).catch(() => undefined);
  const storage = configuration?.['storage'] as { readonly elasticsearch?: { readonly node?: string } } | undefined;
  return configuration === undefined ? undefined : (storage?.elasticsearch?.node ?? '');
}

function Begin({
  state,
  node,
  onBegun,
}: {
  readonly state: MoveState;
  readonly node: string | undefined;
  readonly onBegun: () => void;
}) {
  const [asked, setAsked] = useState<'verify' | 'move'>();
  const to: Engine = state.engine === 'sqlite' ? 'elasticsearch' : 'sqlite';
  if (to === 'elasticsearch' && node === '') {
    return (
      <p class="soft">
        No Elasticsearch is configured: set <code>storage.elasticsearch.node</code>, keep <code>storage.engine</code> as
        it is, and restart the server. Then its data can be moved while it runs.
      </p>
    );
  }
  const begin = async () => {
    await run('server.move', { body: { to, verifyOnly: asked === 'verify' } });
    onBegun();
  };
  return (
    <>
      <p class="soft">
        All indexes, documents and versions are copied to {NAMES[to]}
        {to === 'elasticsearch' && node !== undefined && (
          <>
            {' '}
            at{' '}
            <code>
              <bdi>{node}</bdi>
            </code>
          </>
        )}
        , then compared, then the engines are switched. Requests go on.
      </p>
      <div class="row">
        <button type="button" disabled={isRunning(state)} onClick={() => setAsked('verify')}>
          Try it…
        </button>
        <button type="button" class="danger-text" disabled={isRunning(state)} onClick={() => setAsked('move')}>
          Move to {NAMES[to]}…
        </button>
      </div>
      {asked !== undefined && (
        <Confirm
          title={asked === 'verify' ? `Copy to ${NAMES[to]} and compare?` : `Move to ${NAMES[to]}?`}
          verb={asked === 'verify' ? 'Copy and compare' : 'Move'}
          {...(asked === 'move' ? { typed: to } : undefined)}
          onClose={() => setAsked(undefined)}
          onConfirm={begin}
        >
          <p>
            {asked === 'verify'
              ? 'The server stays on its engine. It shows whether a document would be refused, and how long a move takes.'
              : 'Make a backup before. A move that has begun can be ended until the engines are switched: then the server goes on as before.'}
          </p>
        </Confirm>
      )}
    </>
  );
}

function End({ onEnded }: { readonly onEnded: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const end = async () => {
    await run('server.cancelMove', {}, { timeoutMs: 60_000 });
    onEnded();
  };
  return (
    <div class="row">
      <button type="button" onClick={() => setAsked(true)}>
        End it…
      </button>
      {isAsked && (
        <Confirm title="End this move?" verb="End the move" onClose={() => setAsked(false)} onConfirm={end}>
          <p>The server stays on its engine, and no document is lost. The next move copies from the beginning.</p>
        </Confirm>
      )}
    </div>
  );
}

function Progress({ state, children }: { readonly state: MoveState; readonly children: ComponentChildren }) {
  const { to = state.engine, verifyOnly, documents = 0, totalDocuments, collections, startedAt, endedAt } = state;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      'Documents',
      totalDocuments === undefined
        ? NUMBER.format(documents)
        : `${NUMBER.format(documents)} of ${NUMBER.format(totalDocuments)}`,
    ],
    ['Collections', collections === undefined ? undefined : NUMBER.format(collections)],
    ['Begun', startedAt === undefined ? undefined : new Date(startedAt).toLocaleString()],
    ['Ended', endedAt === undefined ? undefined : new Date(endedAt).toLocaleString()],
    ['Writes waited', state.heldMs === undefined ? undefined : `${NUMBER.format(state.heldMs)} ms`],
    ['Checksum', state.checksum],
  ];
  return (
    <section class="card stack" aria-label="The last move" data-state={state.state}>
      <h2>
        {verifyOnly === true ? 'Copy and comparison' : 'Move'} to {NAMES[to]}
      </h2>
      <p role="status">{STEPS[state.state]}</p>
      {isRunning(state) && (
        <progress aria-label="Progress of the move" value={documents} max={Math.max(1, totalDocuments ?? documents)} />
      )}
      {state.reason !== undefined && (
        <p class="problem">
          <bdi>{state.reason}</bdi>
        </p>
      )}
      <Facts facts={facts} />
      {children}
    </section>
  );
}
