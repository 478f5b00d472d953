import type { JsonObject } from '@millrace/kernel';
import type { Account, SecuredServer } from '../security/securedServer.js';

/** The collection of most tests: notes of two owners, with fields that most users may not read. */
export const INDEX = 'tenant';
export const NOTES = `/${INDEX}/notes`;

/** The user who owns a document. */
export const OWN = { term: { owner: { $ref: 'user._id' } } };
export const PUBLIC_FIELDS = { except: ['salary', 'notes.private', 'copied'] };

export const MAPPING = {
  dynamic: false,
  properties: {
    owner: { type: 'keyword' },
    title: { type: 'text', fields: { raw: { type: 'keyword' } } },
    tag: { type: 'keyword', copy_to: 'all' },
    all: { type: 'text' },
    salary: { type: 'long', copy_to: 'copied' },
    copied: { type: 'keyword' },
    notes: { properties: { public: { type: 'text' }, private: { type: 'text' } } },
    items: {
      type: 'nested',
      properties: { name: { type: 'keyword' }, price: { type: 'double' } },
    },
  },
};

/** A role whose actions on documents have these rights. */
export function documentRole(actions: JsonObject, others: JsonObject = {}): JsonObject {
  return {
    controllers: {
      document: { actions },
      collection: { actions: { getMapping: true } },
      bulk: { actions: { import: true } },
      realtime: { actions: { '*': true } },
      ...others,
    },
  };
}

/** Writes documents as the administrator. */
export async function put(server: SecuredServer, documents: Readonly<Record<string, JsonObject>>): Promise<void> {
  for (const [id, body] of Object.entries(documents)) {
    await server.result('PUT', `${NOTES}/${id}`, { body });
  }
}

/** Calls as one user. */
export function as(server: SecuredServer, { jwt }: Account) {
  return {
    http: (method: string, path: string, body?: JsonObject) =>
      server.http(method, path, { jwt, ...(body && { body }) }),
    /** The ids that a search finds, in order. */
    find: async (body: JsonObject = {}): Promise<readonly string[]> => {
      const { hits } = await server.result('POST', `${NOTES}/_search`, { jwt, body });
      return (hits as readonly JsonObject[]).map(({ _id }) => _id as string);
    },
    search: (body: JsonObject) => server.result('POST', `${NOTES}/_search`, { jwt, body }),
  };
}
