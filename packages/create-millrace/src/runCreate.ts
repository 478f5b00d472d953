import { basename, join } from 'node:path';
import { askForTheRest, type Dialogue } from './askForTheRest.js';
import { parseArguments } from './parseArguments.js';
import { TEMPLATES } from './TEMPLATES.js';
import { writeProject } from './writeProject.js';

/** What a run may use of its process. */
export interface CreateEnvironment {
  /** The project becomes a folder in it, named after the project without its scope. */
  readonly folder: string;
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Absent without a terminal: defaults are used. */
  readonly dialogue?: Dialogue;
}

/**
 * Makes a project from a template; needs no network.
 * @param args as on the command line: `my-app --template app --js --yes`
 * @returns the exit code: 1 with one line of complaint where something is wrong, and nothing is written then
 */
export async function runCreate(
  args: readonly string[],
  { folder, say, complain, dialogue }: CreateEnvironment,
): Promise<number> {
  try {
    const given = parseArguments(args);
    if (given.isHelp) {
      say(help());
      return 0;
    }
    const choice = await askForTheRest(given, dialogue);
    const target = basename(choice.name);
    const files = await writeProject(join(folder, target), choice);
    say(`Made ${choice.name} (${choice.template}, ${choice.language}): ${files.join(', ')}`);
    say(`\nNow:\n\n  cd ${target}\n  npm install\n  npm test\n  npm run dev\n`);
    return 0;
  } catch (error) {
    complain(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    return 1;
  }
}

function help(): string {
  const templates = Object.entries(TEMPLATES).map(([name, what]) => `  ${name.padEnd(18)} ${what}`);
  return [
    'npm create millrace@latest [NAME] -- [--template TEMPLATE] [--ts | --js] [--yes]',
    '',
    'Makes a new project in a folder of that name. Asks for missing values on a terminal; with --yes, and',
    'elsewhere, it takes my-millrace, app and TypeScript.',
    '',
    'Templates:',
    ...templates,
    '',
    '  -t, --template   which one',
    '  --ts, --js       TypeScript or JavaScript',
    '  -y, --yes        ask nothing',
    '  -h, --help       this',
  ].join('\n');
}
