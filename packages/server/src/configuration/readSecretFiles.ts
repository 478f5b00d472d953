import { readFileSync } from 'node:fs';
import { coreErrors, listConfigKeys, type ConfigSchema } from '@millrace/kernel';

type Environment = Readonly<Record<string, string | undefined>>;

const SUFFIX = '_FILE';

/**
 * Replaces variables such as `MILLRACE_SECURITY_JWT_SECRET_FILE` by the variable without `_FILE` and the content of the
 * file, for keys that hold secrets: containers and systemd hand over secrets as files.
 * @throws core.invalid_config for a file that can't be read, for a key without a secret, and if both variables are set
 */
export function readSecretFiles(schema: ConfigSchema, environment: Environment): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  const keys = listConfigKeys(schema);
  const names = new Set(keys.map(({ environmentName }) => environmentName));
  for (const { environmentName: name, leaf } of keys) {
    const file = environment[name + SUFFIX];
    // `http.tls.keyFile` is a key itself.
    if (file === undefined || names.has(name + SUFFIX)) continue;
    if (leaf.sensitive !== true) {
      throw invalid(`${name}${SUFFIX}: only keys that hold a secret are read from files: set ${name}`);
    }
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
