import { plain } from './table.mjs';

/** docs/reference/actions.md: what each action takes and gives. */
export function actionsPage(actions) {
  const lines = [
    '# Actions',
    '',
    'Every action of a server with the shipped plugins, by controller. An action is an HTTP request on one of its routes, or a message with',
    '`controller` and `action`. Arguments marked `?` may be left out; those marked *body* may be in the body too.',
    '`(public)`: every caller may run it, unless a role names it. A running server describes the same with every member of bodies and',
    'results at `GET /_openapi` and `GET /_asyncapi` ([how to use it](api-description.md)).',
    '',
  ];
  for (const [controller, own] of byController(actions)) {
    lines.push(`## ${controller}`, '', ...own.flatMap(section));
  }
  return lines.join('\n');
}

/** In order of their names. */
export function byController(actions) {
  const names = [...new Set(actions.map(({ controller }) => controller))].sort();
  return names.map((name) => [name, actions.filter(({ controller }) => controller === name)]);
}

/** An action: what it does, and a line for each of what it takes and gives. */
function section(action) {
  const routes = action.routes.map(({ method, path }) => `\`${method} ${path}\``).join(', ');
  const args = Object.entries(action.args)
    .map(([name, { required, inBody, expected }]) => {
      const isInPath = action.routes.every(({ path }) => path.split('/').includes(`:${name}`));
      const mark = required || (action.routes.length > 0 && isInPath) ? '' : '?';
      return `\`${name}\`${mark}: ${expected}${inBody && !isInPath ? ' (*body*)' : ''}`;
    })
    .join('; ');
  const marks = [action.mayFailInPart ? '; 206 when some fail' : '', action.mayRedirect ? '; or 302' : ''].join('');
  const result = action.mediaType === undefined ? show(action.result) : `\`${action.mediaType}\``;
  const facts = [
    ['Routes', routes],
    ['Arguments', args],
    ['Body', show(action.content)],
    ['Result', `${result}${marks}`],
  ];
  return [
    `### ${action.controller}.${action.action}${action.access === 'public' ? ' (public)' : ''}`,
    '',
    plain(action.summary),
    '',
    ...facts.filter(([, fact]) => fact !== '').map(([name, fact]) => `- ${name}: ${plain(fact)}`),
    '',
  ];
}

/** A schema in one line: names of members, `?` after those that may be absent. */
export function show(schema, depth = 0) {
  if (schema === undefined) return '';
  if (schema.title !== undefined && depth > 0) return schema.title;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((each) => show(each, depth)))].join(' or ');
  const { type, items, prefixItems, properties = {}, required = [], additionalProperties } = schema;
  if (type === 'array') {
    if (prefixItems !== undefined) return `[${prefixItems.map((each) => show(each, depth + 1)).join(', ')}]`;
    return items === undefined ? 'array' : `[${show(items, depth + 1)}, …]`;
  }
  if (type !== 'object') return Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
  const named = Object.keys(properties).map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`);
  const own = named.length > 0 ? `{${named.join(', ')}}` : '';
  if (additionalProperties !== undefined && typeof additionalProperties === 'object') {
    return own === '' ? `{name: ${show(additionalProperties, depth + 1)}}` : own;
  }
  return own === '' ? (schema.description ?? '{}') : own;
} // prettier-ignore
