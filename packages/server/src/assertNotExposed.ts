import { coreErrors, isLoopback, isJsonObject, type Config, type Protocol } from '@millrace/kernel';

/** What the check asks. */
export interface ExposureParts {
  readonly config: Config;
  readonly protocols: readonly Protocol[];
  readonly isOpen: () => boolean | Promise<boolean>;
}

/**
 * Keeps an open server off the network: until the first administrator exists, everybody who reaches it may do everything
 * (SEC-3). Runs once security has started and before an entrypoint listens. It reads the key `host` of
 * each protocol's own section, a plugin's too; ports of an application in which the server is mounted are not its own.
 * @throws core.open_on_network naming the key
 */
export async function assertNotExposed({
  config,
  protocols,
  isOpen,
}: ExposureParts): Promise<void> {
  if (config.section<{ allowOpenOnNetwork: boolean }>('security').allowOpenOnNetwork) return;
  for (const { name } of protocols) {
    const section = Object.hasOwn(config.values, name) ? config.values[name] : undefined;
    if (!isJsonObject(section) || section['listen'] === false) continue;
    const { host } = section;
    if (typeof host !== 'string' || isLoopback(host)) continue;
    if (!(await isOpen())) return;
    throw coreErrors.open_on_network({ key: `${name}.host`, host });
  }
}
