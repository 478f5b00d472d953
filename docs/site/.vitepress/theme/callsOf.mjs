/**
 * An action as calls to copy, with its required arguments.
 * @returns `[{name, code}]`: TypeScript, curl, WebSocket, those that the action has
 */
export function callsOf({ id, routes, args, body }) {
  const [controller, action] = id.split('.');
  const needed = args.filter(({ isNeeded }) => isNeeded);
  const top = toObject(needed);
  const content = body?.isNeeded ? { body: toObject(body.members.filter(({ isNeeded }) => isNeeded)) } : {};
  const [route] = routes;
  return [
    // What a connection begins, the client does by its own functions.
    ...(route ? [{ name: 'TypeScript', code: typeScript(`${controller}.${action}`, { ...top, ...content }) }] : []),
    ...(route ? [{ name: 'curl', code: curl(route, needed, content.body) }] : []),
    { name: 'WebSocket', code: JSON.stringify({ controller, action, ...top, ...content }, null, 2) },
  ];
}

const toObject = (members) => Object.fromEntries(members.map(({ name, sample }) => [name, sample]));

function typeScript(name, argument) {
  const literal = JSON.stringify(argument, null, 2)
    .replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll('"', "'");
  return `const result = await client.actions.${name}(${literal === '{}' ? '' : literal});`;
}

function curl({ method, path, query }, needed, body) {
  const isInPath = ({ name }) => path.includes(`{${name}}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => needed.find((each) => each.name === name)?.sample ?? name);
  const isInQuery = ({ name }) => method === 'GET' || method === 'HEAD' || query.includes(name);
  const others = needed.filter((argument) => !isInPath(argument));
  const search = others.filter(isInQuery).map(({ name, sample }) => `${name}=${encodeURIComponent(toText(sample))}`);
  const address = `http://127.0.0.1:7511${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`;
  const content = { ...body, ...toObject(others.filter((argument) => !isInQuery(argument))) };
  const hasContent = body !== undefined || Object.keys(content).length > 0;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${address}'`,
    `  -H "Authorization: Bearer $TOKEN"`,
    ...(hasContent ? [`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(content)}'`] : []),
  ].join(' \\\n');
}

const toText = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
