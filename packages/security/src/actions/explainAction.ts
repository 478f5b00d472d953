import {
  collectionName,
  custom,
  defineAction,
  documentId,
  indexName,
  readArgument,
  required,
  route,
  text,
  type ActionDefinition,
  type Argument,
  type JsonObject,
  type Target,
} from '@millrace/kernel';
import type { DocumentPreview } from '../DocumentPreview.js';
import type { RightsExplanation } from '../RightsExplanation.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';

const { _id } = securityArguments;

const MAX_DOCUMENTS = 100;
const ID = documentId();
const IDS = custom(`a list of at most ${MAX_DOCUMENTS} document identifiers`, { type: 'array' }, toIds);

/** The action that says whether a user may do something, and why. */
export function explainAction(explanation: RightsExplanation, preview: DocumentPreview): ActionDefinition {
  return defineAction({
    controller: 'security',
    action: 'explainRights',
    writes: false,
    summary: 'Explains whether a user or an API key may do something, and which policies decide it.',
    routes: [route('POST /users/:_id/_explain')],
    args: { _id },
    bodyRequired: true,
    content: securitySchemas.askedRight,
    result: securitySchemas.explainedRight,
    run: async ({ request, args, body }) => {
      const apiKeyId = readArgument('body.apiKeyId', text(), body['apiKeyId']) ?? null;
      const ids = readArgument('body.ids', IDS, body['ids']);
      const target = readTarget(body);
      if (ids !== undefined) assertPlace(target);
      const explained = await explanation.explain(args._id, target, apiKeyId);
      if (ids === undefined) return explained;
      const asked = await explanation.requestOf(args._id, target, apiKeyId);
      return { ...explained, items: await preview.of(request, asked, target, ids) };
    },
  });
}

function toIds(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_DOCUMENTS) return undefined;
  return value.every((id) => ID.parse(id) !== undefined) ? (value as readonly string[]) : undefined;
}

/** @throws api.missing_argument (400) */
function assertPlace({ index, collection }: Target): void {
  readArgument('body.index', required(indexName()), index);
  readArgument('body.collection', required(collectionName()), collection);
}

/** @throws api.missing_argument, api.invalid_argument (400) */
function readTarget(body: JsonObject): Target {
  const read = <T>(name: string, argument: Argument<T>): T | undefined =>
    readArgument(`body.${name}`, argument, body[name]);
  const controller = read('controller', required(text())) ?? '';
  const action = read('action', required(text())) ?? '';
  const index = read('index', indexName()) ?? null;
  const collection = read('collection', collectionName()) ?? null;
  const id = read('_id', documentId()) ?? null;
  return { controller, action, index, collection, id, body: null };
}
