import { stat } from 'node:fs/promises';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

const PLACEHOLDER = /change.?me|replace|example|your.?secret|default|placeholder|1234567/i;
const OF_OTHERS = 0o077;

/** Secrets that others know or can read. */
export async function checkSecrets(context: DoctorContext): Promise<readonly Finding[]> {
  return [checkSigningSecret(context), await checkFileMode(context)];
}

function checkSigningSecret({ config }: DoctorContext): Finding {
  const { secret } = config.section<{ readonly jwt: { readonly secret: string } }>('security').jwt;
  const id = 'default-secret';
  if (!PLACEHOLDER.test(secret)) return ok(id, 'the secret that signs tokens is no known placeholder');
  const mend = 'Leave it empty, so that one is generated, or set 32 random bytes: openssl rand -base64 32';
  return fault(id, 'security.jwt.secret looks like a placeholder: anyone can forge tokens', mend);
}

async function checkFileMode({ configFile, secretsInFile }: DoctorContext): Promise<Finding> {
  const id = 'secrets-readable';
  if (configFile === undefined || secretsInFile.length === 0) return ok(id, 'no secret in a configuration file');
  const { mode } = await stat(configFile);
  if ((mode & OF_OTHERS) === 0) return ok(id, `${configFile} is private`);
  const saw = `Other users of the machine can read ${secretsInFile.join(', ')} in ${configFile}`;
  return warning(id, saw, `chmod go= ${configFile}`);
}
