import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { leavesOf } from '../documents/merge.js';

/** Every configuration key with its value; secrets are redacted by the server. */
export function Configuration() {
  const configuration = useLoad(async (signal) => {
    const [value, origins] = await Promise.all([
      run<Fields>('server.getConfig', {}, { signal }),
      run<Readonly<Record<string, string>>>('server.getConfig', { origins: true }, { signal }),
    ]);
    return { value, origins };
  }, []);
  return (
    <Show loaded={configuration} lines={10} frame="page">
      {(loaded) => <Keys {...loaded} />}
    </Show>
  );
}

function Keys({ value, origins }: { readonly value: Fields; readonly origins: Readonly<Record<string, string>> }) {
  const [filter, setFilter] = useState('');
  const [isSetOnly, setSetOnly] = useState(false);
  const keys = leavesOf(value).map(({ path, value: leaf }) => [path.join('.'), JSON.stringify(leaf)] as const);
  const originOf = (key: string) => {
    // A value that is an object or a list has its origin as a whole.
    const whole = Object.keys(origins).find((each) => key === each || key.startsWith(`${each}.`));
    return whole === undefined ? undefined : origins[whole];
  };
  const shown = keys.filter(
    ([key]) => key.toLowerCase().includes(filter.toLowerCase()) && (!isSetOnly || originOf(key) !== undefined),
  );
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
        <label class="row">
          <input type="checkbox" checked={isSetOnly} onChange={() => setSetOnly(!isSetOnly)} />
          Only keys that are set
        </label>
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
              <th scope="col">Set by</th>
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
                <td data-label="Set by">
                  {originOf(key) === undefined ? <span class="soft">default</span> : <bdi>{originOf(key)}</bdi>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
