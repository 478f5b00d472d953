import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { leavesOf } from '../documents/merge.js';

/** Every configuration key with its value; secrets are redacted by the server. */
export function Configuration() {
  const configuration = useLoad((signal) => run<Fields>('server.getConfig', {}, { signal }), []);
  return (
    <Show loaded={configuration} lines={10} frame="page">
      {(value) => <Keys value={value} />}
    </Show>
  );
}

function Keys({ value }: { readonly value: Fields }) {
  const [filter, setFilter] = useState('');
  const keys = leavesOf(value).map(({ path, value: leaf }) => [path.join('.'), JSON.stringify(leaf)] as const);
  const shown = keys.filter(([key]) => key.toLowerCase().includes(filter.toLowerCase()));
  return (
    <div class="documents">
      <div class="grid-head">
        <input
          type="search"
          aria-label="Filter keys"
          placeholder={`Filter ${keys.length} keys`}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span class="soft small">
          Read only: set them in the configuration file, the environment or on the command line.
        </span>
      </div>
      <div class="grid" tabIndex={0} role="region" aria-label="Configuration keys">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([key, text]) => (
              <tr key={key}>
                <th scope="row">
                  <code>{key}</code>
                </th>
                <td data-label="Value">
                  <code>
                    <bdi>{text}</bdi>
                  </code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
