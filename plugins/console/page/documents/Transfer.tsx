import { useRef, useState } from 'preact/hooks';
import { client, type Fields } from '../connection.js';
import { Menu } from '../kit/Menu.jsx';
import { Modal } from '../kit/Modal.jsx';
import { Failed } from '../kit/States.jsx';
import { useSession } from '../shell/Session.js';
import { parseCsv, toCsv } from './csv.js';

const FORMATS = ['ndjson', 'csv'] as const;
/** An export is put together in memory: larger ones are for `millrace export`. */
const MAX_EXPORTED = 100_000;

interface Imported {
  readonly written: number;
  readonly failed: number;
  readonly errors: readonly { readonly _id?: string; readonly reason: string }[];
}

/** Import of a file, and export of the documents that match, as NDJSON or CSV. */
export function Transfer({
  index,
  collection,
  query,
  onImported,
}: {
  readonly index: string;
  readonly collection: string;
  readonly query: unknown;
  readonly onImported: () => void;
}) {
  const { rights } = useSession();
  const file = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState('');
  const [error, setError] = useState<unknown>();
  const [imported, setImported] = useState<Imported>();
  const documents = client.collection(index, collection);
  const work = async (run: () => Promise<void>) => {
    setError(undefined);
    try {
      await run();
    } catch (failure) {
      setError(failure);
    } finally {
      setProgress('');
    }
  };
  const exportAs = (format: (typeof FORMATS)[number]) =>
    work(async () => {
      const found: Fields[] = [];
      for await (const { id, source } of documents.scan(query === undefined ? {} : { query: query as never })) {
        found.push({ _id: id, ...(source as Fields) });
        if (found.length % 500 === 0) setProgress(`${found.length} documents read`);
        if (found.length >= MAX_EXPORTED) break;
      }
      const text = format === 'csv' ? toCsv(found) : found.map((each) => `${JSON.stringify(each)}\n`).join('');
      download(text, `${index}-${collection}.${format}`);
      if (found.length >= MAX_EXPORTED)
        throw new Error(`Only the first ${MAX_EXPORTED} documents are in the file: use millrace export for all.`);
    });
  const importFile = (chosen: File) =>
    work(async () => {
      const onProgress = (count: number) => setProgress(`${count} documents sent`);
      const source = /\.csv$/i.test(chosen.name) ? parseCsv(await chosen.text()) : chosen;
      setImported(await documents.import(source as never, { onProgress, timeoutMs: 60_000 }));
      onImported();
    });
  return (
    <>
      <Menu title="Import, export">
        {(close) => (
          <>
            {rights.may('bulk.import', index, collection) && (
              <button
                type="button"
                onClick={() => {
                  close();
                  file.current?.click();
                }}
              >
                Import NDJSON or CSV…
              </button>
            )}
            {FORMATS.map((format) => (
              <button
                type="button"
                key={format}
                onClick={() => {
                  close();
                  void exportAs(format);
                }}
              >
                Export as {format.toUpperCase()}
              </button>
            ))}
          </>
        )}
      </Menu>
      <input
        ref={file}
        type="file"
        hidden
        accept=".ndjson,.jsonl,.json,.csv"
        aria-label="File to import"
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          if (chosen !== undefined) void importFile(chosen);
          event.currentTarget.value = '';
        }}
      />
      {progress !== '' && (
        <span class="soft small" role="status">
          {progress}
        </span>
      )}
      {(error !== undefined || imported !== undefined) && (
        <Modal
          title={error === undefined ? 'Imported' : 'Import, export'}
          onClose={() => {
            setError(undefined);
            setImported(undefined);
          }}
        >
          <div class="stack">
            {error !== undefined && <Failed error={error} />}
            {imported !== undefined && (
              <p role="status">
                {imported.written} documents written, {imported.failed} refused.
              </p>
            )}
            {imported !== undefined && imported.errors.length > 0 && (
              <ul class="preview">
                {imported.errors.slice(0, 20).map(({ _id, reason }, position) => (
                  <li key={`${position}`}>
                    <code>{_id ?? 'without _id'}</code> <bdi>{reason}</bdi>
                  </li>
                ))}
              </ul>
            )}
          </div>
        </Modal>
      )}
    </>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
