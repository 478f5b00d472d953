/*
 * Compiled with the tests and never run: what the author of a plugin writes, and what the compiler must refuse.
 */
import {
  alsoInBody,
  collectionName,
  defineAction,
  definePlugin,
  documentId,
  indexName,
  integer,
  oneOf,
  required,
  text,
  toCollectionName,
  toDocumentId,
  toIndexName,
  type CheckedCollection,
  type DocumentId,
  type IndexName,
  type PluginHost,
  type Target,
} from '@millrace/kernel';

const BASE = { controller: 'doors', summary: '', routes: [], writes: false } as const;

/** The types of arguments follow from their declaration. */
export const actions = [
  defineAction({
    ...BASE,
    action: 'open',
    args: {
      door: required(text()),
      degrees: integer(1, 180),
      side: required(alsoInBody(oneOf('left', 'right'))),
    },
    run: ({ args, body }) => {
      const door: string = args.door;
      const degrees: number | undefined = args.degrees;
      const side: 'left' | 'right' = args.side;
      // @ts-expect-error it may be absent
      const certain: number = args.degrees;
      // @ts-expect-error no such argument
      const name: unknown = args.name;
      return { door, degrees: degrees ?? 90, side, certain, name: String(name), body };
    },
  }),
  defineAction({
    ...BASE,
    action: 'paint',
    args: {
      index: required(indexName()),
      collection: required(collectionName()),
      _id: required(documentId()),
    },
    run: ({ request, args }) => {
      const { index, collection, _id } = args;
      const name: CheckedCollection = { index, collection };
      const id: DocumentId = _id;
      // @ts-expect-error fields are read by the kernel
      const sent: unknown = request.fields;
      return { ...name, id, sent: String(sent) };
    },
  }),
  // @ts-expect-error a result is JSON
  defineAction({ ...BASE, action: 'leave', args: {}, run: () => new Map() }),
  // @ts-expect-error an index is named by indexName()
  defineAction({ ...BASE, action: 'build', args: { index: text() }, run: () => null }),
  // @ts-expect-error a collection is named by collectionName()
  defineAction({ ...BASE, action: 'build', args: { collection: text() }, run: () => null }),
];

/** Names that have not been checked are refused. */
export const target: Target = {
  controller: 'doors',
  action: 'open',
  ...toCollectionName('a', 'b'),
  id: toDocumentId('1'),
  body: null,
};
// @ts-expect-error a string is no checked name
export const index: IndexName = 'a';
// @ts-expect-error the name of an index is no identifier
export const id: DocumentId = toIndexName('a');
// @ts-expect-error not checked
export const unchecked: Target = { ...target, index: 'a' };

/** What a host takes. */
export function useHost(host: PluginHost): void {
  host.controller(actions);
  host.hook('document.afterWrite', ({ index: place, before, after, version }) => {
    const shown: readonly [string, number] = [place, version];
    console.log(shown, before, after);
  });
  host.hook('request.ended', ({ request, response }) => {
    console.log(request.target.index, response.message.status);
    // @ts-expect-error events are read alone
    request.target.index = null;
  });
  // @ts-expect-error no such event
  host.hook('document.afterwards', () => undefined);
  host.pipe({ when: 'before', actions: 'doors.open', run: (input) => ({ ...input, body: {} }) });
  host.pipe({ when: 'after', actions: 'doors.*', run: (_input, result) => result });
  // @ts-expect-error no such moment
  host.pipe({ when: 'between', actions: 'doors.*', run: () => undefined });
  // @ts-expect-error a schedule has a function
  host.schedule('nightly', '0 3 * * *');
}

/** A plugin's configuration is typed by its schema. */
export const plugin = definePlugin({
  name: 'doors',
  kernel: '^0.1.0',
  setup(host) {
    useHost(host);
  },
});
