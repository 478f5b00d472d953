/*
 * Compiled with the tests and never run: what a program writes with a kernel, and what the compiler must refuse.
 */
import type { RequestFields } from '@millrace/kernel';
import { Kernel } from '@millrace/server';

declare module '@millrace/kernel' {
  interface ActionMap {
    readonly bakery: {
      readonly bake: {
        readonly fields: { readonly bread: string; readonly count?: number };
        readonly result: { readonly loaves: number };
      };
    };
  }
  interface PluginSections {
    readonly bakery?: { readonly ovenCount?: number };
  }
}

/** Configuration. */
export const kernels = [
  new Kernel(),
  new Kernel({
    config: {
      http: { port: 0, maxBodySize: '2mb', cors: { origin: ['https://app.example'] } },
      websocket: { listen: false },
      log: { level: 'error' },
      security: { openSignUp: null, jwt: { expiresIn: 3600 } },
      storage: { elasticsearch: { node: 'http://127.0.0.1:9200' } },
      bakery: { ovenCount: 2 },
    },
  }),
  // Read from a file: checked at run time.
  new Kernel({ config: JSON.parse('{}') as Record<string, never> }),
  // @ts-expect-error no such key
  new Kernel({ config: { http: { prot: 1 } } }),
  // @ts-expect-error no such section
  new Kernel({ config: { htpp: { port: 1 } } }),
  // @ts-expect-error no such level
  new Kernel({ config: { log: { level: 'eror' } } }),
  // @ts-expect-error a port is a number
  new Kernel({ config: { http: { port: '7511' } } }),
  // @ts-expect-error no such key of the plugin
  new Kernel({ config: { bakery: { ovens: 2 } } }),
];

const books = { index: 'library', collection: 'books' };

interface Book {
  readonly title: string;
}

/** Results. */
export async function read(kernel: Kernel, book: Book): Promise<readonly unknown[]> {
  await kernel.execute({ controller: 'document', action: 'create', ...books, refresh: 'wait_for', body: book });
  const { status, error, result } = await kernel.execute({
    controller: 'document',
    action: 'search',
    ...books,
    body: { query: { match: { title: 'mill' } }, sort: ['title', { year: 'desc' }], search_after: ['a', 1] },
  });
  console.log(status, error ?? result.hits.map((hit) => hit._source['title']));

  const response = await kernel.execute({ controller: 'document', action: 'count', ...books });
  // @ts-expect-error it may have failed
  console.log(response.result.count);
  const count = response.status === 200 ? response.result.count : 0;
  if (response.error !== null) console.log(response.error.id);

  const many = await kernel.execute({ controller: 'document', action: 'mGet', ...books, ids: ['1'] });
  const found = many.status === 206 || many.status === 200 ? many.result.successes : [];

  const login = await kernel.execute({
    controller: 'auth',
    action: 'login',
    strategy: 'local',
    body: { username: 'ada', password: 'difference engine' },
  });
  const token = login.status === 200 ? login.result.jwt : null;
  const location = login.status === 302 ? login.result.headers.Location : null;

  const value = await kernel.execute({ controller: 'ms', action: 'get', _id: 'counter' });
  const length = value.error === null ? value.result?.length : 0;

  const bread = await kernel.execute({ controller: 'bakery', action: 'bake', bread: 'rye' });
  const loaves = bread.error === null ? bread.result.loaves : 0;
  return [count, found, token, location, length, loaves];
} // prettier-ignore

/** Names and fields. */
export async function refuse(kernel: Kernel): Promise<void> {
  const at = { controller: 'document', ...books } as const;
  // @ts-expect-error no such controller
  await kernel.execute({ controller: 'documents', action: 'get', ...books, _id: '1' });
  // @ts-expect-error no such action
  await kernel.execute({ ...at, action: 'serach' });
  // @ts-expect-error no such argument
  await kernel.execute({ ...at, action: 'get', id: '1' });
  // @ts-expect-error an argument is missing
  await kernel.execute({ controller: 'document', action: 'get', index: 'library', _id: '1' });
  // @ts-expect-error an argument is of another type
  await kernel.execute({ ...at, action: 'get', _id: 1 });
  // @ts-expect-error no such key of a search
  await kernel.execute({ ...at, action: 'search', body: { qurey: {} } });
  // @ts-expect-error the body is missing
  await kernel.execute({ ...at, action: 'create' });
  // @ts-expect-error the plugin's action needs a bread
  await kernel.execute({ controller: 'bakery', action: 'bake' });
  // @ts-expect-error _id is neither a field nor in the body
  await kernel.execute({ ...at, action: 'createOrReplace', body: { title: 'Romola' } });
  await kernel.execute({ ...at, action: 'createOrReplace', _id: '1', body: { title: 'Romola' } });
  await kernel.execute({ ...at, action: 'createOrReplace', body: { _id: '1', title: 'Romola' } });
}

/** Names that are known at run time alone. */
export async function forward(kernel: Kernel, fields: RequestFields, name: string): Promise<void> {
  const { status } = await kernel.execute(fields);
  const { result } = await kernel.execute({ controller: name, action: 'open', door: 'front' });
  console.log(status, result);
}

/** Notifications. */
export async function observe(kernel: Kernel): Promise<void> {
  const { unsubscribe } = await kernel.subscribe({ ...books, scope: 'in' }, (notification) => {
    if (notification.controller !== 'document' || notification.state === 'pending') return;
    if (notification.scope === 'in') console.log(notification.result._source['title']);
    // @ts-expect-error a document that left the filter is named alone
    else console.log(notification.result._source);
  });
  unsubscribe();
  // @ts-expect-error no such scope
  await kernel.subscribe({ ...books, scope: 'inn' }, () => undefined);
}
