import { Router, type RouterMiddleware } from '@koa/router';
import { coreErrors, type ActionDefinition, type ActionTable, type Route } from '@millrace/kernel';
import { RouteTrie } from './RouteTrie.js';
import { spellingsOf } from './spellingsOf.js';

/** Creates the middleware that answers one route. */
export type RouteHandler = (action: ActionDefinition, route: Route) => RouterMiddleware;

/**
 * Declares every route of the action table on a router. Earlier declarations win, and a declared spelling wins over an
 * alias of another one.
 * @throws core.start_failed naming the action with an invalid route
 */
export function declareRoutes(actions: ActionTable, handlerOf: RouteHandler): Router {
  const router = new Router();
  const aliases: (() => void)[] = [];
  for (const action of actions) {
    for (const route of action.routes) {
      const handler = handlerOf(action, route);
      const declare = (path: string) => register(router, action, { ...route, path }, handler);
      const [declared = route.path, ...others] = spellingsOf(route.path);
      declare(declared);
      aliases.push(() => others.forEach(declare));
    }
  }
  for (const declareAliases of aliases) declareAliases();
  return router;
}

/**
 * Builds the trie from a router's declarations.
 * @param reservedPaths paths whose last segment no parameter matches
 */
export function createRouteTrie(
  router: Router,
  reservedPaths: readonly string[],
): RouteTrie<RouterMiddleware> {
  const trie = new RouteTrie<RouterMiddleware>();
  for (const { path, methods, stack } of router.stack) {
    const [handler] = stack;
    if (typeof path === 'string' && handler !== undefined) {
      trie.add(methods, path, handler as RouterMiddleware);
    }
  }
  for (const path of reservedPaths) trie.reserve(path);
  return trie;
}

function register(
  router: Router,
  { controller, action }: ActionDefinition,
  { method, path, stream }: Route,
  handler: RouterMiddleware,
): void {
  try {
    const { methods } = router.register(path, [method], handler);
    // The router answers HEAD wherever it answers GET, but a stream has no answer without content.
    if (stream === undefined) return;
    methods.length = 0;
    methods.push(method);
  } catch (error) {
    const reason = `route ${method} ${path} of ${controller}.${action} can't be declared: ${(error as Error).message}`;
    throw coreErrors.start_failed({ component: 'http', reason }, { cause: error });
  }
}
