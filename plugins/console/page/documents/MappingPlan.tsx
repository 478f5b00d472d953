import { useEffect, useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { messageOf } from '../kit/States.jsx';
import { planMapping } from './planMapping.js';

/** After the last key. */
const PAUSE_MS = 400;
const SIGNS = { adds: '+', changes: '→', keeps: '=' } as const;

/** What saving a mapping would do, before it is saved: its steps in words, and why the server would refuse it. */
export function MappingPlan({
  index,
  collection,
  present,
  wanted,
}: {
  readonly index: string;
  readonly collection: string;
  readonly present: Fields;
  readonly wanted: Fields;
}) {
  const [answer, setAnswer] = useState<{ readonly of: Fields; readonly refusal: string | undefined }>();
  const key = JSON.stringify(wanted);
  useEffect(() => {
    const abort = new AbortController();
    const ask = async () => {
      const refusal = await run(
        'collection.updateMapping',
        { index, collection, body: wanted, dryRun: true },
        abort,
      ).then(() => undefined, messageOf);
      if (!abort.signal.aborted) setAnswer({ of: wanted, refusal });
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  if (answer === undefined) return null;
  const steps = planMapping(present, answer.of);
  return (
    <section class="card stack tight" aria-label="What saving does" role="status">
      {answer.refusal !== undefined && (
        <p class="problem">
          The server would refuse it: <bdi>{answer.refusal}</bdi>
        </p>
      )}
      {steps.length === 0 && answer.refusal === undefined && <p>Saving changes nothing.</p>}
      {steps.length > 0 && (
        <ul class="decisions">
          {steps.map(({ kind, words }) => (
            <li key={words}>
              <span aria-hidden="true">{SIGNS[kind]}</span> <bdi>{words}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
