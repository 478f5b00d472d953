// The actions of a server with all shipped plugins, for the API explorer: from its OpenAPI and AsyncAPI documents.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../dist/public/', import.meta.url));
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];
/** Members of the message itself. */
const ENVELOPE = ['controller', 'action', 'body'];
/** For required arguments of examples. */
const SAMPLES = { index: 'library', collection: 'books', _id: 'floss', strategy: 'local' };

export default {
  /** @returns `{controllers: [{name, actions}], errors: {group: [{status, ids}]}}` */
  load() {
    const [openapi, asyncapi] = ['openapi', 'asyncapi'].map((name) =>
      JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8')),
    );
    const routes = routesByAction(openapi);
    const controllers = new Map();
    for (const { name, summary, payload } of Object.values(asyncapi.components.messages)) {
      const [, controller, action] = /^(\w+)\.(\w+)\.request$/.exec(name) ?? [];
      if (action === undefined) continue;
      if (!controllers.has(controller)) controllers.set(controller, []);
      const id = `${controller}.${action}`;
      const own = toAction(payload.allOf, asyncapi.components.schemas);
      controllers.get(controller).push({ id, summary, routes: routes.get(id) ?? [], ...own });
    }
    return {
      controllers: [...controllers]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, actions]) => ({ name, actions })),
      errors: errorsByGroup(openapi),
    };
  },
};

function routesByAction({ paths }) {
  const found = new Map();
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of METHODS) {
      const [, id] = /^Action `([\w.]+)`/.exec(operations[method]?.description ?? '') ?? [];
      if (id === undefined) continue;
      if (!found.has(id)) found.set(id, []);
      const needed = operations[method].parameters?.filter((each) => each.in === 'query' && each.required) ?? [];
      const [, errors] = /(\w+)Error400"/.exec(JSON.stringify(operations[method].responses)) ?? [];
      found.get(id).push({ method: method.toUpperCase(), path, query: needed.map(({ name }) => name), errors });
    }
  }
  return found;
}

/** The second part has the members; a third one those that may be in the body in place of the top of the message. */
function toAction([, { properties, required = [] }, movable], schemas) {
  const always = [...required, ...(movable?.anyOf[0].required ?? [])];
  const isNeeded = (name, { description = '' }) => always.includes(name) || description.endsWith('(required)');
  const args = Object.entries(properties)
    .filter(([name]) => !ENVELOPE.includes(name))
    .map(([name, schema]) => ({
      name,
      isNeeded: isNeeded(name, schema),
      expected: (schema.description ?? typeOf(schema)).replace(' (required)', ''),
      sample: sampleOf(name, schema),
    }));
  const { body } = properties;
  return { args, ...(body && { body: toBody(body, schemas, required.includes('body')) }) };
}

function toBody(schema, schemas, isNeeded) {
  const { title, description, properties = {}, required = [] } = resolve(schema, schemas);
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    isNeeded: required.includes(name),
    expected: expectedOf(member, schemas),
    sample: sampleOf(name, resolve(member, schemas)),
  }));
  return { title, description, isNeeded, members };
}

function expectedOf(schema, schemas) {
  const { description, ...type } = resolve(schema, schemas);
  return description ?? typeOf(type);
}

const resolve = (schema, schemas) => (schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)]);

function typeOf({ type, anyOf, items, enum: values, const: value }) {
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' or ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items)}`;
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any value');
}

function sampleOf(name, { type, enum: values, minimum }) {
  if (SAMPLES[name] !== undefined) return SAMPLES[name];
  if (values !== undefined) return values[0];
  const [first] = [type].flat();
  if (first === 'integer' || first === 'number') return minimum ?? 1;
  if (first === 'boolean') return true;
  if (first === 'array') return [];
  return first === 'object' ? {} : name;
}

/** The ids of possible errors: those of most actions of a controller are the same. */
function errorsByGroup({ components }) {
  const found = {};
  for (const [name, { description }] of Object.entries(components.responses)) {
    const [, group, status] = /^(\w+)Error(\d{3})$/.exec(name) ?? [];
    if (group === undefined) continue;
    (found[group] ??= []).push({ status, ids: [...description.matchAll(/`([\w.]+)`/g)].map(([, id]) => id) });
  }
  return found;
}
