import { defineAction, route, type ActionDefinition, type ContentRules, type JsonValue } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';
import { nameOf, storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, from, size } = storageArguments;
const controller = 'collection';

const VALIDATIONS = [
  ['document', 'Checks a document without storing it.'],
  ['realtime', 'Checks a message without publishing it; the same check as document.validate.'],
] as const;

/** The actions of the controller collection that concern validation specifications. */
export function specificationActions(specifications: SpecificationCatalog): readonly ActionDefinition[] {
  return [
    // Succeeds even if none was set.
    defineAction({
      controller,
      action: 'deleteSpecifications',
      summary: 'Removes the validation specification of a collection.',
      routes: [route('DELETE /:index/:collection/_specifications')],
      args: { index, collection },
      result: storageSchemas.empty,
      writes: true,
      run: async ({ args }) => {
        await specifications.delete(nameOf(args));
        return {};
      },
    }),
    defineAction({
      controller,
      action: 'getSpecifications',
      summary: 'Gives the validation specification of a collection, as it was sent.',
      routes: [route('GET /:index/:collection/_specifications')],
      args: { index, collection },
      result: storageSchemas.storedSpecification,
      writes: false,
      run: ({ args }) => {
        const { validation } = specifications.get(nameOf(args));
        return { index: args.index, collection: args.collection, validation };
      },
    }),
    // Searches the fields `index` and `collection` with the search language.
    defineAction({
      controller,
      action: 'searchSpecifications',
      lists: 'specifications',
      summary: 'Searches the validation specifications by index and collection.',
      routes: [route('POST /validations/_search')],
      args: { from, size },
      content: storageSchemas.search,
      result: storageSchemas.foundSpecifications,
      writes: false,
      queue: 'search',
      run: async ({ request, args, body }) => {
        const { hits, ...rest } = await specifications.search(body, args, request.signal);
        const listed = hits.map((hit): JsonValue => {
          const source = { index: hit.index, collection: hit.collection, validation: hit.validation };
          return { _id: `${hit.index}#${hit.collection}`, _source: source, ...source };
        });
        return { hits: listed, ...rest };
      },
    }),
    // VALID-43
    defineAction({
      controller,
      action: 'updateSpecifications',
      summary: 'Sets the validation specifications of one or more collections.',
      routes: [route('PUT /_specifications')],
      args: {},
      content: storageSchemas.specifications,
      result: storageSchemas.specifications,
      bodyRequired: true,
      writes: true,
      run: async ({ request, body }) => {
        await specifications.update(body, request);
        return body;
      },
    }),
    // VALID-42
    defineAction({
      controller,
      action: 'validateSpecifications',
      summary: 'Tells whether validation specifications are well formed, without storing them.',
      routes: [route('POST /_validateSpecifications')],
      args: {},
      content: storageSchemas.anySpecifications,
      result: storageSchemas.specificationVerdict,
      bodyRequired: true,
      writes: false,
      run: ({ body }) => ({ ...specifications.decide(body) }),
    }),
  ];
}

/** document.validate and realtime.validate: check content without storing or publishing it (VALID-40). */
export function validationActions(rules: ContentRules): readonly ActionDefinition[] {
  return VALIDATIONS.map(([controller, summary]) =>
    defineAction({
      controller,
      action: 'validate',
      summary,
      routes: [route('POST /:index/:collection/_validate')],
      args: { index, collection },
      bodyRequired: true,
      content: storageSchemas.document,
      result: storageSchemas.verdict,
      writes: false,
      subject: 'sent',
      run: ({ args, body }) => {
        const { valid, errorMessages } = rules.report(nameOf(args), body);
        return { valid, errorMessages };
      },
    }),
  );
}
