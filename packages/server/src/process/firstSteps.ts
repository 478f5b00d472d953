import { isJsonObject, type ListeningAddress } from '@millrace/kernel';
import type { Kernel } from '../Kernel.js';

/**
 * Next steps for a person who has just started a server, as lines for a terminal. Empty if the server has no HTTP.
 */
export async function firstSteps(kernel: Kernel, addresses: readonly ListeningAddress[]): Promise<string> {
  const url = addresses.find(({ protocol }) => protocol === 'http')?.url;
  if (url === undefined) return '';
  const { result } = await kernel.execute({ controller: 'server', action: 'adminExists' });
  if (!isJsonObject(result) || result['exists'] !== false) return `\nTry: curl ${url}/_healthCheck\n`;
  const { openUntilFirstAdmin } = kernel.config.section<{ openUntilFirstAdmin: boolean }>('security');
  const body = {
    _id: 'admin',
    password: 'choose a long one',
    ...(openUntilFirstAdmin ? undefined : { setupToken: 'the one in the log above' }),
  };
  return `
Try: curl ${url}/_healthCheck
Lock the server down: create the administrator, and from then on no other client may read or write without a login.

  curl -X POST ${url}/_createFirstAdmin -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(body)}'

`;
}
