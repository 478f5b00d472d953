import { createInterface } from 'node:readline/promises';
import { assertName, type CreateArguments } from './parseArguments.js';
import { isTemplateName, TEMPLATES, type Language, type TemplateName } from './TEMPLATES.js';

/** A terminal to talk over. */
export interface Dialogue {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Everything that is needed to make a project. */
export interface ProjectChoice {
  readonly name: string;
  readonly template: TemplateName;
  readonly language: Language;
}

const DEFAULTS: ProjectChoice = { name: 'my-millrace', template: 'app', language: 'ts' };

/**
 * Completes what the command line says: asks where there is a terminal, else takes defaults (`my-millrace`, `app`,
 * TypeScript). An answer that can't be is asked for again; where the terminal ends it rejects.
 */
export async function askForTheRest(
  { isYes, ...given }: CreateArguments,
  dialogue: Dialogue | undefined,
): Promise<ProjectChoice> {
  if (isYes || dialogue === undefined) return { ...DEFAULTS, ...given };
  const { input, output } = dialogue;
  const reader = createInterface({ input, terminal: false });
  // By lines, not by `question`: that would lose those that arrive before they are asked for.
  const lines = reader[Symbol.asyncIterator]();
  const ask = async <T>(question: string, read: (answer: string) => T | undefined): Promise<T> => {
    for (;;) {
      output.write(question);
      const line = await lines.next();
      if (line.done === true) throw new Error('Cancelled: nothing was created');
      const value = read(line.value.trim());
      if (value !== undefined) return value;
    }
  };
  try {
    const name = given.name ?? (await ask(`Name [${DEFAULTS.name}]: `, readName));
    const template =
      given.template ?? (await ask(`${listTemplates()}\nTemplate [${DEFAULTS.template}]: `, readTemplate));
    const language = given.language ?? (await ask('TypeScript or JavaScript, ts or js [ts]: ', readLanguage));
    return { name, template, language };
  } finally {
    reader.close();
  }
}

function readName(answer: string): string | undefined {
  if (answer === '') return DEFAULTS.name;
  try {
    assertName(answer);
    return answer;
  } catch {
    return undefined;
  }
}

function readTemplate(answer: string): TemplateName | undefined {
  if (answer === '') return DEFAULTS.template;
  const byNumber = Object.keys(TEMPLATES)[Number(answer) - 1];
  const name = byNumber ?? answer;
  return isTemplateName(name) ? name : undefined;
}

function readLanguage(answer: string): Language | undefined {
  if (answer === '') return DEFAULTS.language;
  return answer === 'js' || answer === 'ts' ? answer : undefined;
}

function listTemplates(): string {
  return Object.entries(TEMPLATES)
    .map(([name, what], at) => `  ${at + 1} ${name}: ${what}`)
    .join('\n');
}
