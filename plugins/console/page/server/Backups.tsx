import { isError } from '@millrace/client';
import { useState } from 'preact/hooks';
import { run, SERVER_URL, type Fields } from '../connection.js';
import { Copy } from '../kit/Copy.jsx';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { Modal } from '../kit/Modal.jsx';
import { Empty, Failed, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { toBytes } from './sizes.js';
import { usePolled } from './usePolled.js';

/** A backup, as the server lists it. */
interface Backup {
  readonly name: string;
  readonly state: 'running' | 'complete' | 'failed';
  readonly startedAt: number;
  readonly note: string;
  readonly isScheduled: boolean;
  readonly bytes: number;
  readonly totalBytes?: number;
  readonly documents?: number;
  readonly reason?: string;
}

/** Of the configuration. */
interface Settings {
  /** Where backups are made. */
  readonly directory: string;
  readonly schedule: string;
  readonly continuous: boolean;
  readonly keep: { readonly daily: number; readonly weekly: number };
}

const RUNNING_MS = 1_000;
const NUMBER = new Intl.NumberFormat();

/** The backups of the server, with what makes them and how they are restored. */
export function Backups() {
  const { rights } = useSession();
  const backups = usePolled(
    (signal) => run<{ hits: readonly Backup[] }>('server.backups', {}, { signal }),
    (value) => (value?.hits.some(({ state }) => state === 'running') === true ? RUNNING_MS : undefined),
  );
  const settings = useLoad(readSettings, []);
  const [restored, setRestored] = useState<Backup>();
  if (isError(backups.error, 'core.backup_refused')) {
    return (
      <Empty title="This server makes no backups">
        <p class="soft">
          <bdi>{backups.error.message}</bdi>
        </p>
        <p class="soft">Use the snapshots of its storage engine.</p>
      </Empty>
    );
  }
  return (
    <div class="page">
      {rights.mayAnywhere('server.backup') && (
        <NewBackup
          isRunning={backups.value?.hits.some(({ state }) => state === 'running') === true}
          onBegun={backups.reload}
        />
      )}
      <section class="card stack" aria-label="Backups">
        <header class="row spread">
          <h2>Backups</h2>
          <button type="button" class="quiet" onClick={backups.reload}>
            Read again
          </button>
        </header>
        <Show loaded={backups}>
          {({ hits }) =>
            hits.length === 0 ? (
              <Empty title="No backups yet">
                <p class="soft">Make one here, or set backup.schedule so that the server makes them.</p>
              </Empty>
            ) : (
              <List
                backups={hits}
                onRestore={rights.mayAnywhere('server.restoreCollection') ? setRestored : undefined}
                mayDownload={rights.mayAnywhere('server.downloadBackup')}
              />
            )
          }
        </Show>
        {settings.value !== undefined && <Schedule settings={settings.value} />}
      </section>
      <Restoring
        directory={settings.value?.directory ?? 'data/backups'}
        backups={backups.value?.hits.filter(({ state }) => state === 'complete') ?? []}
      />
      {restored !== undefined && <RestoreCollection backup={restored} onClose={() => setRestored(undefined)} />}
    </div>
  );
}

/** Shown to administrators only. */
async function readSettings(signal: AbortSignal): Promise<Settings | undefined> {
  const configuration = await run<Fields>('server.getConfig', {}, { signal }).catch(() => undefined);
  if (configuration === undefined) return undefined;
  const { backup, server } = configuration as unknown as {
    readonly backup: Settings;
    readonly server: { readonly dataDir: string };
  };
  return { ...backup, directory: backup.directory === '' ? `${server.dataDir}/backups` : backup.directory };
}

function NewBackup({ isRunning, onBegun }: { readonly isRunning: boolean; readonly onBegun: () => void }) {
  const [note, setNote] = useState('');
  const [error, setError] = useState<unknown>();
  const begin = async () => {
    setError(undefined);
    try {
      await run('server.backup', { body: { note } });
      setNote('');
      onBegun();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section class="card stack" aria-label="New backup">
      <h2>Make a backup</h2>
      <p class="soft small">
        Of all documents, users, roles and keys of the memory store, as they are at one moment. Reads and writes go on.
        It is verified before it is listed.
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <input
          class="grow"
          aria-label="Note"
          placeholder="Note, such as: before the upgrade"
          autocomplete="off"
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? 'One is being made' : 'Make a backup'}
        </button>
      </form>
      {error !== undefined && <Failed error={error} />}
    </section>
  );
}

function List({
  backups,
  onRestore,
  mayDownload,
}: {
  readonly backups: readonly Backup[];
  readonly onRestore: ((backup: Backup) => void) | undefined;
  readonly mayDownload: boolean;
}) {
  const [error, setError] = useState<unknown>();
  return (
    <div class="grid plain" data-state="rows">
      <table>
        <thead>
          <tr>
            <th scope="col">Made</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              Documents
            </th>
            <th scope="col">Note</th>
            <th scope="col">
              <span class="hidden">Restore, download</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {backups.map((backup) => (
            <tr key={`${backup.name}/${backup.state}`} aria-label={`Backup ${backup.name}`}>
              <th scope="row">
                <time title={backup.name}>{new Date(backup.startedAt).toLocaleString()}</time>
              </th>
              <td data-label="State">
                <State backup={backup} />
              </td>
              <td class="number" data-label="Size">
                {toBytes(backup.bytes)}
              </td>
              <td class="number" data-label="Documents">
                {backup.documents === undefined ? '–' : NUMBER.format(backup.documents)}
              </td>
              <td data-label="Note">
                <bdi>{backup.reason ?? (backup.note === '' && backup.isScheduled ? 'scheduled' : backup.note)}</bdi>
              </td>
              <td class="ends">
                {backup.state === 'complete' && onRestore !== undefined && (
                  <button
                    type="button"
                    class="quiet"
                    aria-label="Restore a collection"
                    title="Restore a collection"
                    onClick={() => onRestore(backup)}
                  >
                    Restore…
                  </button>
                )}
                {backup.state === 'complete' && mayDownload && (
                  <button
                    type="button"
                    class="quiet"
                    title="Download it as .tar.gz"
                    onClick={() => void download(backup.name).then(() => setError(undefined), setError)}
                  >
                    Download
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {error !== undefined && <Failed error={error} />}
    </div>
  );
}

/** The browser opens the address itself, and saves the file as it arrives: it may be larger than the memory. */
async function download(backup: string): Promise<void> {
  const { path } = await run<{ path: string }>('server.downloadBackup', { backup });
  const link = document.createElement('a');
  link.href = `${SERVER_URL}${path}`;
  link.download = '';
  link.click();
}

function State({ backup: { state, bytes, totalBytes } }: { readonly backup: Backup }) {
  if (state === 'running') {
    return (
      <span role="status">
        <progress aria-label="Progress of the backup" value={bytes} max={Math.max(bytes, totalBytes ?? 1)} />
      </span>
    );
  }
  return (
    <span class={`state ${state === 'complete' ? 'up' : 'down'}`}>{state === 'complete' ? 'verified' : state}</span>
  );
}

function Schedule({ settings: { schedule, keep, continuous } }: { readonly settings: Settings }) {
  return (
    <p class="soft small">
      {schedule === '' ? (
        <>
          No schedule: set <code>backup.schedule</code> in the configuration, such as <code>0 3 * * *</code> for each
          night.
        </>
      ) : (
        <>
          Schedule <code>{schedule}</code> (UTC). Of scheduled backups the last ones of {keep.daily} days and{' '}
          {keep.weekly} weeks are kept.
        </>
      )}
      {continuous && ' Changes are exported each minute.'}
    </p>
  );
}

/** The commands for one backup, since a server can't replace the data that it has open. */
function Restoring({ directory, backups }: { readonly directory: string; readonly backups: readonly Backup[] }) {
  const [name, setName] = useState('');
  const [isArchive, setArchive] = useState(false);
  const isDownloaded = isArchive && name !== '';
  const source = isDownloaded ? `${name}.tar.gz` : [directory, ...(name === '' ? [] : [name])].join('/');
  const restore = `npx millrace restore ${quoted(source)} --dataDir ./restored`;
  const commands = [
    ['Check it', `${restore} --dryRun`],
    ['Restore it', restore],
    ['Start a server on it', 'npx millrace --server.dataDir ./restored'],
  ] as const;
  return (
    <section class="card stack" aria-label="Restore everything">
      <h2>Restore everything</h2>
      <p>
        By a command, into an empty folder, on which a server is started afterwards.{' '}
        {isDownloaded
          ? 'In the folder of the archive, on any machine.'
          : 'On the machine of the server, in the folder in which it was started.'}
      </p>
      <div class="row">
        <select
          class="auto"
          aria-label="Backup to restore"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        >
          <option value="">the newest backup</option>
          {backups.map((backup) => (
            <option key={backup.name} value={backup.name}>
              {backup.name}
            </option>
          ))}
        </select>
        {name !== '' && (
          <label class="row">
            <input type="checkbox" checked={isArchive} onChange={() => setArchive(!isArchive)} />
            It was downloaded
          </label>
        )}
      </div>
      <dl class="facts">
        {commands.map(([title, command]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd class="row">
              <code class="grow">
                <bdi>{command}</bdi>
              </code>
              <Copy text={command} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft small">
        All users sign in again after it. With continuous backups, <code>--until</code> names a moment to restore.
      </p>
    </section>
  );
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function RestoreCollection({ backup, onClose }: { readonly backup: Backup; readonly onClose: () => void }) {
  const [form, setForm] = useState({ index: '', collection: '', as: '' });
  const [error, setError] = useState<unknown>();
  const [documents, setDocuments] = useState<number>();
  const [isRunning, setRunning] = useState(false);
  const restore = async () => {
    setError(undefined);
    setRunning(true);
    try {
      const { index, collection, as } = form;
      const target = { index, collection, body: { backup: backup.name, as } };
      const answer = await run<{ documents: number }>('server.restoreCollection', target, { timeoutMs: 600_000 });
      setDocuments(answer.documents);
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  const input = (name: keyof typeof form, title: string) => (
    <label class="field">
      <span>{title}</span>
      <input
        required
        autocomplete="off"
        value={form[name]}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setForm((last) => ({ ...last, [name]: value }));
        }}
      />
    </label>
  );
  return (
    <Modal title="Restore a collection" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void restore();
        }}
      >
        <p>
          From the backup of {new Date(backup.startedAt).toLocaleString()}, into a new collection of the same index.
          Nothing that exists is changed.
        </p>
        {input('index', 'Index')}
        {input('collection', 'Collection in the backup')}
        {input('as', 'Name of the new collection')}
        {documents === undefined ? (
          <DialogEnd
            verb={isRunning ? 'Restoring…' : 'Restore'}
            isDisabled={isRunning}
            error={error}
            onClose={onClose}
          />
        ) : (
          <p role="status">
            {NUMBER.format(documents)} documents restored into{' '}
            <a href={toHash(['data', form.index, form.as])}>
              <bdi>
                {form.index}/{form.as}
              </bdi>
            </a>
            .
          </p>
        )}
      </form>
    </Modal>
  );
}
