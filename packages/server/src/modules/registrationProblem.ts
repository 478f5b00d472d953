import { parseAddressRanges } from '@millrace/kernel';

/** The kinds of registrations. */
export type RegistrationKind =
  'action' | 'engine' | 'files' | 'hook' | 'pipe' | 'protocol' | 'schedule' | 'service' | 'stop' | 'strategy';

/** Of the screens of the admin console. */
const MAX_TITLE = 40;
const MAX_SCREEN_ACTIONS = 100;

type Shape = Readonly<Record<string, unknown>>;

/**
 * Describes the problem with the shape of a plugin's registration; plugins in JavaScript have no compiler to report
 * it. Checks only what would otherwise fail later, during a request.
 * @returns undefined if there is no problem
 */
export function registrationProblem(kind: RegistrationKind, value: unknown): string | undefined {
  switch (kind) {
    case 'hook':
    case 'stop':
    case 'schedule':
    case 'engine':
      return typeof value === 'function' ? undefined : `a ${kind} must be a function`;
    case 'service':
      return isShape(value) ? undefined : 'a service must be an object';
    case 'pipe':
      return pipeProblem(value);
    case 'protocol':
      return protocolProblem(value);
    case 'files':
      return filesProblem(value);
    case 'strategy':
      return strategyProblem(value);
    case 'action':
      return actionProblem(value);
  }
}

function pipeProblem(pipe: unknown): string | undefined {
  if (!isShape(pipe)) return 'a pipe must be an object { when, actions, run }';
  if (pipe['when'] === 'document.beforeWrite') return writePipeProblem(pipe);
  if (pipe['when'] !== 'before' && pipe['when'] !== 'after')
    return 'a pipe needs "when": "before", "after" or "document.beforeWrite"';
  if (!isText(pipe['actions']))
    return 'a pipe needs "actions", one string such as "document.create", "document.*" or "*"';
  return typeof pipe['run'] === 'function' ? undefined : 'a pipe needs a function "run"';
}

function writePipeProblem({ collections = '*', run }: Shape): string | undefined {
  if (typeof run !== 'function') return 'a pipe needs a function "run"';
  return isText(collections) && /^(\*|[^/*]+\/(\*|[^/*]+))$/.test(collections)
    ? undefined
    : 'the "collections" of a pipe must be "index/collection", "index/*" or "*"';
}

function protocolProblem(protocol: unknown): string | undefined {
  if (!isShape(protocol) || !isText(protocol['name'])) return 'a protocol needs a "name"';
  const missing = ['start', 'stop'].find((name) => typeof protocol[name] !== 'function');
  if (missing !== undefined) return `protocol "${protocol['name']}" needs a function "${missing}"`;
  const { notifier } = protocol;
  if (notifier === undefined) return undefined;
  const lacking = ['join', 'leave', 'publish', 'notify'].find(
    (name) => !isShape(notifier) || typeof notifier[name] !== 'function',
  );
  return lacking === undefined
    ? undefined
    : `the notifier of protocol "${protocol['name']}" needs a function "${lacking}"`;
}

function filesProblem(files: unknown): string | undefined {
  if (!isShape(files)) return 'files must be an object { path, folder }';
  const { path, folder, headers = {}, allow = [], screen } = files;
  if (!isText(path) || !/^\/_[\w.-]+$/.test(path))
    return `the "path" of files must be one segment that begins with "_", such as "/_shop", got ${JSON.stringify(path)}`;
  if (!isText(folder) && !(folder instanceof URL)) return `the files at ${path} need a "folder", a path or a URL`;
  if (!isShape(headers) || !Object.values(headers).every((value) => typeof value === 'string'))
    return `the "headers" of the files at ${path} must be an object of strings`;
  if (parseAddressRanges(allow) === undefined)
    return `the "allow" of the files at ${path} must be addresses or CIDR ranges, such as "10.0.0.0/8"`;
  return screen === undefined ? undefined : screenProblem(path, screen);
}

function screenProblem(path: string, screen: unknown): string | undefined {
  if (!isShape(screen)) return `the "screen" of the files at ${path} must be an object { title, actions }`;
  const { title, actions } = screen;
  if (!isText(title) || title.length > MAX_TITLE)
    return `the "title" of the screen at ${path} must be a string of 1 to ${MAX_TITLE} characters`;
  const areActions =
    Array.isArray(actions) &&
    actions.length <= MAX_SCREEN_ACTIONS &&
    actions.every((each: unknown) => isText(each) && /^(?!auth\.)[\w-]+\.([\w-]+|\*)$/.test(each));
  return areActions
    ? undefined
    : `the "actions" of the screen at ${path} must be at most ${MAX_SCREEN_ACTIONS} names such as "document.search" or "shop.*", none of "auth"`;
}

function strategyProblem(strategy: unknown): string | undefined {
  if (!isShape(strategy) || !isText(strategy['name'])) return 'a strategy needs a "name"';
  const { name, verify, passport, headers = [] } = strategy;
  const areHeaders =
    Array.isArray(headers) && headers.every((each: unknown) => typeof each === 'string' && /^[a-z0-9-]+$/.test(each));
  if (!areHeaders) {
    return `the "headers" of strategy "${name}" must be a list of names in lower case, such as ["x-api-key"]`;
  }
  if (typeof verify === 'function') return undefined;
  return isPassport(passport)
    ? undefined
    : `strategy "${name}" needs a function "verify", or a passport strategy as "passport"`;
}

/** A strategy, or a function that creates one; a class of strategies is neither. */
function isPassport(given: unknown): boolean {
  if (typeof given === 'function') return !hasAuthenticate(given.prototype);
  return hasAuthenticate(given);
}

function hasAuthenticate(given: unknown): boolean {
  return isShape(given) && typeof given['authenticate'] === 'function';
}

function actionProblem(action: unknown): string | undefined {
  if (!isShape(action) || !isText(action['controller']) || !isText(action['action']))
    return 'an action needs "controller" and "action"';
  const name = `action ${action['controller']}.${action['action']}`;
  if (typeof action['run'] !== 'function') return `${name} needs a function "run"`;
  if (!isShape(action['args']) || Array.isArray(action['args']))
    return `${name} needs "args", an object (empty where it takes none)`;
  const { routes, access } = action;
  if (access !== undefined && access !== 'public') return `the "access" of ${name} must be "public", or absent`;
  const areRoutes =
    Array.isArray(routes) &&
    routes.every(
      (route: unknown) =>
        isShape(route) && isText(route['method']) && isText(route['path']) && route['path'].startsWith('/'),
    );
  return areRoutes ? undefined : `${name} needs "routes", a list of { method, path }`;
}

function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
