import { coreErrors, isJsonObject, isLoopback, type Config, type JsonValue, type Protocol } from '@millrace/kernel';
import { invalidValue } from '../config.js';

const ANY_HOST: readonly unknown[] = ['0.0.0.0', '::'];

/** The address in the section of a protocol. */
interface ConfiguredAddress {
  readonly name: string;
  readonly host: JsonValue | undefined;
  readonly port: JsonValue | undefined;
}

/** Those of protocols that listen by themselves, plugins' included. */
function addressesOf({ values }: Config, protocols: readonly Protocol[]): readonly ConfiguredAddress[] {
  return protocols.flatMap(({ name }) => {
    const section = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!isJsonObject(section) || section['listen'] === false) return [];
    return [{ name, host: section['host'], port: section['port'] }];
  });
}

/**
 * Refuses two entrypoints on one port, which are found otherwise only when the second one starts.
 * @throws core.invalid_config naming both keys
 */
export function assertDistinctPorts(config: Config, protocols: readonly Protocol[]): void {
  const seen: ConfiguredAddress[] = [];
  for (const address of addressesOf(config, protocols)) {
    const { name, host, port } = address;
    if (typeof port !== 'number' || port === 0) continue;
    const other = seen.find((each) => each.port === port && overlaps(each.host, host));
    if (other !== undefined) throw invalidValue(`${name}.port`, `${port} is ${other.name}.port already`);
    seen.push(address);
  }
}

function overlaps(one: unknown, other: unknown): boolean {
  return one === other || ANY_HOST.includes(one) || ANY_HOST.includes(other);
}

/**
 * Prevents an open server from listening on the network: until the first administrator exists, everyone who can
 * connect may do everything (SEC-3). Runs once security has started and before an entrypoint listens. Ports of an
 * application that mounts the server aren't checked.
 * @throws core.open_on_network naming the key
 */
export async function assertNotExposed(
  config: Config,
  protocols: readonly Protocol[],
  isOpen: () => boolean | Promise<boolean>,
): Promise<void> {
  if (config.section<{ allowOpenOnNetwork: boolean }>('security').allowOpenOnNetwork) return;
  for (const { name, host } of addressesOf(config, protocols)) {
    if (typeof host !== 'string' || isLoopback(host)) continue;
    if (!(await isOpen())) return;
    throw coreErrors.open_on_network({ key: `${name}.host`, host });
  }
}
