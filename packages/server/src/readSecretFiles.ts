import { readFileSync } from 'node:fs';
import { coreErrors, listConfigKeys, type ConfigSchema } from '@millrace/kernel';

type Environment = Readonly<Record<string, string | undefined>>;

const SUFFIX = '_FILE';

/**
 * Replaces variables such as `MILLRACE_SECURITY_JWT_SECRET_FILE` by the variable without `_FILE` and the content of the
 * file, for keys that hold secrets: containers and systemd hand over secrets as files.
 * @throws core.invalid_config for a file that can't be read, and if both variables are set
 */
export function readSecretFiles(schema: ConfigSchema, environment: Environment): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  for (const { environmentName: name, leaf } of listConfigKeys(schema)) {
    const file = environment[name + SUFFIX];
    if (leaf.sensitive !== true || file === undefined) continue;
    if (environment[name] !== undefined) {
      throw invalid(`${name} and ${name}${SUFFIX} are both set: set one of them`);
    }
    delete read[name + SUFFIX];
    try {
      read[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      throw invalid(`${name}${SUFFIX}: can't read ${file}: ${code}`);
    }
  }
  return read;
}

function invalid(problem: string): Error {
  return coreErrors.invalid_config({ problem: `Invalid configuration: ${problem}` });
}
