import {
  collectionName,
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
import type { RightsExplanation } from '../RightsExplanation.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';

const { _id } = securityArguments;

/** The action that says whether a user may do something, and why. */
export function explainAction(explanation: RightsExplanation): ActionDefinition {
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
    run: ({ args, body }) => {
      const apiKeyId = readArgument('body.apiKeyId', text(), body['apiKeyId']) ?? null;
      return explanation.explain(args._id, readTarget(body), apiKeyId);
    },
  });
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
