import { parseArgs } from 'node:util';
import { isTemplateName, TEMPLATES, type Language, type TemplateName } from './TEMPLATES.js';

/** What the command line says; what it leaves open is asked for, or has a default. */
export interface CreateArguments {
  readonly isHelp: boolean;
  /** Take defaults for whatever is open. */
  readonly isYes: boolean;
  readonly name?: string;
  readonly template?: TemplateName;
  readonly language?: Language;
}

/** @throws Error: one line that names the problem and the expected form */
export function parseArguments(args: readonly string[]): CreateArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      template: { type: 'string', short: 't' },
      js: { type: 'boolean' },
      ts: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [name, ...more] = positionals;
  if (more.length > 0) throw new Error(`Expected one name, got also ${JSON.stringify(more[0])}`);
  if (name !== undefined) assertName(name);
  const { template, js = false, ts = false } = values;
  if (js && ts) throw new Error('Expected --js or --ts, got both');
  if (template !== undefined && !isTemplateName(template)) {
    const known = Object.keys(TEMPLATES).join(', ');
    throw new Error(`Unknown template ${JSON.stringify(template)}: expected one of ${known}`);
  }
  return {
    isHelp: values.help === true,
    isYes: values.yes === true,
    ...(name === undefined ? undefined : { name }),
    ...(template === undefined ? undefined : { template }),
    ...(js ? { language: 'js' } : ts ? { language: 'ts' } : undefined),
  };
}

/** The name becomes that of an npm package and of a plugin. @throws Error naming the rule */
export function assertName(name: string): void {
  if (!/^(@[a-z0-9-]+\/)?[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    throw new Error(
      `Invalid name ${JSON.stringify(name)}: expected lower-case letters, digits and "-", with an optional @scope/`,
    );
  }
}
