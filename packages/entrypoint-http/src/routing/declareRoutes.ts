import { coreErrors, type ActionDefinition, type ActionTable, type Route } from '@millrace/kernel';
import { RouteTrie } from './RouteTrie.js';
import { spellingsOf } from './spellingsOf.js';

/** A name of @koa/router's notation for paths, or a literal. */
const SEGMENT = /^(?::[A-Za-z_]\w*|[\w.~$%@-]+)$/;

/**
 * Builds the trie of every route of the action table. Earlier declarations win, and a declared spelling wins over an
 * alias of another one.
 * @param handlerOf creates what the trie finds for a route
 * @throws core.start_failed naming the action with an invalid route
 */
export function declareRoutes<H>(
  actions: ActionTable,
  handlerOf: (action: ActionDefinition, route: Route) => H,
): RouteTrie<H> {
  const trie = new RouteTrie<H>();
  const aliases: (() => void)[] = [];
  for (const action of actions) {
    for (const route of action.routes) {
      assertValid(action, route);
      const handler = handlerOf(action, route);
      const declare = (path: string) => trie.add(methodsOf(route), path, handler);
      const [declared = route.path, ...others] = spellingsOf(route.path);
      declare(declared);
      aliases.push(() => others.forEach(declare));
    }
  }
  for (const declareAliases of aliases) declareAliases();
  for (const path of actions.reservedPaths) trie.reserve(path);
  return trie;
}

/** HEAD answers like GET, but a stream has no answer without content. */
function methodsOf({ method, stream }: Route): readonly string[] {
  return method === 'GET' && stream === undefined ? ['HEAD', 'GET'] : [method];
}

function assertValid({ controller, action }: ActionDefinition, { method, path }: Route): void {
  const segments = path.split('/').slice(1);
  const isValid = path === '/' || segments.every((segment) => SEGMENT.test(segment));
  if (path.startsWith('/') && isValid) return;
  const expected = 'expected names and :parameters, such as /:index/_search';
  const reason = `route ${method} ${path} of ${controller}.${action} can't be declared: ${expected}`;
  throw coreErrors.start_failed({ component: 'http', reason });
}
