import type { ActionDefinition, JsonObject, Route } from '@millrace/kernel';
import type { SchemaCatalog } from '../SchemaCatalog.js';
import { partialSuccessOf, redirect, successOf } from '../responseSchemas.js';
import { ArgumentPlaces, type Place } from './ArgumentPlaces.js';
import type { ErrorResponses } from './ErrorResponses.js';

/** Context shared by all operations of a document. */
export interface OperationContext {
  readonly catalog: SchemaCatalog;
  readonly errors: ErrorResponses;
  /** Other actions that share the route and can only be called by other protocols. */
  readonly hidden: readonly ActionDefinition[];
}

/** The OpenAPI operation of one route of an action. */
export function operationOf(action: ActionDefinition, route: Route, context: OperationContext): JsonObject {
  const { catalog } = context;
  const places = new ArgumentPlaces(action, route);
  const body = requestBodyOf(action, route, places, catalog);
  const parameters = [
    ...places.path.map((place) => toParameter('path', place, catalog)),
    ...places.query.map((place) => toParameter('query', place, catalog)),
    ...headerParametersOf(action),
  ];
  return {
    operationId: operationId(action, route),
    tags: [action.controller],
    summary: action.summary,
    description: descriptionOf(action, context),
    ...(action.ignoresToken === true ? { security: [] } : undefined),
    ...(parameters.length === 0 ? undefined : { parameters }),
    ...(body === undefined ? undefined : { requestBody: body }),
    responses: responsesOf(action, route, body !== undefined, context),
  };
}

/** `documentCreate` for the first route of an action, `documentCreate2` for the second. */
function operationId({ controller, action, routes }: ActionDefinition, route: Route): string {
  const number = routes.indexOf(route) + 1;
  const name = `${controller}${action.charAt(0).toUpperCase()}${action.slice(1)}`;
  return number > 1 ? `${name}${number}` : name;
}

function descriptionOf(action: ActionDefinition, { hidden }: OperationContext): string {
  const name = `${action.controller}.${action.action}`;
  const right = rightOf(action, name);
  const others = hidden.map((each) => ` \`${each.controller}.${each.action}\` is the same call.`);
  return `Action \`${name}\`.${right}${others.join('')}`;
}

function rightOf({ authorizesItself, access }: ActionDefinition, name: string): string {
  if (authorizesItself === true) return '';
  return access === 'public'
    ? ` Every caller may run it, unless a role names \`${name}\`.`
    : ` Needs the right \`${name}\`.`;
}

/** References to the headers that the action accepts. */
function headerParametersOf(action: ActionDefinition): readonly JsonObject[] {
  const { preconditions = [], writes, keepsAnswers = writes } = action;
  const names = new Set(preconditions.map((kind): string => (kind === 'absent' ? 'IfNoneMatch' : 'IfMatch')));
  if (keepsAnswers) names.add('IdempotencyKey');
  return [...names].map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function toParameter(where: 'path' | 'query', place: Place, catalog: SchemaCatalog): JsonObject {
  const { name, schema, description, isRequired } = place;
  return {
    name,
    in: where,
    ...(isRequired ? { required: true } : undefined),
    ...(description === '' ? undefined : { description }),
    schema: catalog.place(schema),
  };
}

function requestBodyOf(
  action: ActionDefinition,
  { method }: Route,
  { body }: ArgumentPlaces,
  catalog: SchemaCatalog,
): JsonObject | undefined {
  const content = method === 'GET' ? undefined : action.content;
  if (content === undefined && body.length === 0) return undefined;
  const required = body.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const args = {
    type: 'object',
    ...(required.length === 0 ? undefined : { required }),
    properties: Object.fromEntries(body.map(({ name, schema, description }) => [name, { ...schema, description }])),
  };
  const whole = content === undefined ? args : body.length === 0 ? content : { allOf: [content, args] };
  const schema = catalog.place(whole);
  const { takesForm, largeBody, bodyRequired } = action;
  const isNeeded = bodyRequired === true || required.length > 0 || isNeededBy(content);
  return {
    required: isNeeded,
    content: {
      'application/json': { schema },
      ...(takesForm === undefined
        ? undefined
        : { 'application/x-www-form-urlencoded': { schema: catalog.place({ type: 'object' }) } }),
      ...(largeBody === undefined ? undefined : { 'application/x-ndjson': { schema: linesOf(largeBody.list) } }),
    },
  };
}

function linesOf(list: string): JsonObject {
  return { type: 'string', description: `The items of \`${list}\` as JSON, one on each line.` };
}

function isNeededBy(content: JsonObject | undefined): boolean {
  return Array.isArray(content?.['required']) && content['required'].length > 0;
}

function responsesOf(
  action: ActionDefinition,
  { stream }: Route,
  hasBody: boolean,
  { catalog, errors }: OperationContext,
): JsonObject {
  const json = (description: string, schema: JsonObject) => ({
    description,
    content: { 'application/json': { schema: catalog.place(schema) } },
  });
  const { mayFailInPart, mayRedirect } = action;
  const mediaType = stream?.mediaType ?? action.mediaType;
  const schema = stream === undefined ? (action.result ?? { type: 'string' }) : { type: 'string' };
  const location = { Location: { description: 'Where to go on.', schema: { type: 'string' } } };
  const headers = headersOf(action);
  return {
    200:
      mediaType === undefined
        ? {
            ...json('Done.', successOf(action)),
            ...(headers === undefined ? undefined : { headers }),
          }
        : {
            description: 'Done.',
            content: {
              [mediaType]: { schema: catalog.place(schema) },
            },
          },
    ...(mayFailInPart === true
      ? { 206: json('Some items failed; `error.details` lists them.', partialSuccessOf(action)) }
      : undefined),
    ...(mayRedirect === true
      ? { 302: { ...json('The client has to go on elsewhere.', redirect()), headers: location } }
      : undefined),
    ...errors.of(action.controller, hasBody),
  };
}

function headersOf(action: ActionDefinition): JsonObject | undefined {
  const { setsVersion, maySetHint, writes, keepsAnswers = writes } = action;
  if (setsVersion !== true && maySetHint !== true && !keepsAnswers) return undefined;
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });
  return {
    ...(setsVersion === true ? { ETag: reference('ETag') } : undefined),
    ...(keepsAnswers ? { 'Idempotent-Replayed': reference('IdempotentReplayed') } : undefined),
    ...(maySetHint === true ? { 'Millrace-Hint': reference('MillraceHint') } : undefined),
  };
}
