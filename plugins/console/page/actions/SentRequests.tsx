import { useState } from 'preact/hooks';
import { toHash } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { forgetRequests, sentRequests, type SentRequest } from './keepRequest.js';

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The requests that were sent in this tab; each leads to its form. */
export function SentRequests({ action }: { /** Of this action alone. */ readonly action?: string }) {
  const { userId } = useSession();
  const [, setTurn] = useState(0);
  const shown = sentRequests(userId).filter((each) => action === undefined || each.action === action);
  if (shown.length === 0) return null;
  return (
    <section class="card stack sent" aria-label="Requests of this tab">
      <header class="row spread">
        <h2>
          Requests of this tab <span class="soft small">kept until it is reloaded, without passwords and tokens</span>
        </h2>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            forgetRequests();
            setTurn((last) => last + 1);
          }}
        >
          Forget all
        </button>
      </header>
      <ul class="stack tight">
        {shown.map((each) => (
          <Sent key={each.id} {...each} />
        ))}
      </ul>
    </section>
  );
}

function Sent({ id, action, values, isCut, atMs, tookMs, status }: SentRequest) {
  const given = Object.entries(values)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name.replace(/^\w*[. ]/, '')}: ${text.replace(/\s+/g, ' ').slice(0, 80)}`);
  return (
    <li>
      <a href={toHash(['actions', action], { again: String(id) })}>
        <bdi>{action}</bdi>
      </a>
      <span class="soft small">
        {TIME.format(atMs)} · {status === undefined ? 'no answer' : `status ${status}`} · {Math.round(tookMs)} ms
        {isCut && ' · in part'}
      </span>
      <span class="small given">
        <bdi>{given.join(', ')}</bdi>
      </span>
    </li>
  );
}
