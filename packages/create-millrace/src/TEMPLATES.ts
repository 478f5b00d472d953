/** What can be made, by name, with what it is. */
export const TEMPLATES = {
  app: 'a server with server functions',
  'plugin-strategy': 'a plugin: a way to log in',
  'plugin-protocol': 'a plugin: a protocol (JSON lines over TCP)',
  'plugin-controller': 'a plugin: actions with routes, errors and configuration',
  'plugin-pipe': 'a plugin: a pipe and a hook',
} as const;

/** The name of a template. */
export type TemplateName = keyof typeof TEMPLATES;

/** JavaScript or TypeScript. */
export type Language = 'js' | 'ts';

export function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATES, name);
}
