import type { ActionDefinition, JsonObject, ResponseMessage, Route } from '@millrace/kernel';
import type { StartedKernel } from '../startKernel.js';

const OF_MESSAGES = new Set(['controller', 'action', 'body', 'jwt']);

/**
 * Sends a message over HTTP, by the route of its action that names most of its fields. Further fields go into the query
 * string, `jwt` into the header Authorization.
 */
export async function sendOverHttp({ kernel, ask }: StartedKernel, fields: JsonObject): Promise<ResponseMessage> {
  const action = [...kernel.actions].find(
    (each) => each.controller === fields['controller'] && each.action === fields['action'],
  );
  const route = action === undefined ? undefined : routeFor(action, fields);
  if (route === undefined) throw new Error(`no route for ${JSON.stringify(fields)}`);
  const inPath = parametersOf(route);
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(show(fields[name])));
  const query = Object.entries(fields)
    .filter(([name, value]) => !OF_MESSAGES.has(name) && !inPath.includes(name) && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(show(value))}`);
  const { jwt, body } = fields;
  const headers: Record<string, string> =
    jwt === undefined || jwt === null ? {} : { authorization: `Bearer ${show(jwt)}` };
  const answer = await ask(
    route.method,
    query.length === 0 ? path : `${path}?${query.join('&')}`,
    body === null ? undefined : body,
    headers,
  );
  if (answer.body['status'] !== answer.status) throw new Error(`status ${answer.status}: ${answer.text}`);
  return answer.body as unknown as ResponseMessage;
}

function routeFor({ routes }: ActionDefinition, fields: JsonObject): Route | undefined {
  const isGiven = (name: string) => fields[name] !== undefined && fields[name] !== null;
  const hasBody = fields['body'] !== undefined && fields['body'] !== null;
  return routes
    .filter(({ method }) => !hasBody || method !== 'GET')
    .sort((a, b) => parametersOf(b).length - parametersOf(a).length)
    .find((route) => parametersOf(route).every(isGiven));
}

function parametersOf({ path }: Route): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
