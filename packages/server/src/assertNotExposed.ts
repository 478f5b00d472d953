import { coreErrors, isLoopback, isJsonObject, type Config, type Protocol } from '@millrace/kernel';

/** Input of the check. */
export interface ExposureParts {
  readonly config: Config;
  readonly protocols: readonly Protocol[];
  readonly isOpen: () => boolean | Promise<boolean>;
}

/**
 * Prevents an open server from listening on the network: until the first administrator exists, everyone who can
 * connect may do everything (SEC-3). Runs once security has started and before an entrypoint listens. Reads the key
 * `host` in the section of each protocol, plugins' included; ports of an application that mounts the server aren't
 * checked.
 * @throws core.open_on_network naming the key
 */
export async function assertNotExposed({ config, protocols, isOpen }: ExposureParts): Promise<void> {
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
