import { coreErrors, isJsonObject, type Config, type Protocol } from '@millrace/kernel';

const ANY_HOST: readonly unknown[] = ['0.0.0.0', '::'];

/**
 * Refuses two entrypoints on one port, which are found otherwise only when the second one starts.
 * @throws core.invalid_config naming both keys
 */
export function assertDistinctPorts(config: Config, protocols: readonly Protocol[]): void {
  const seen: { readonly name: string; readonly host: unknown; readonly port: unknown }[] = [];
  for (const { name } of protocols) {
    const section = Object.hasOwn(config.values, name) ? config.values[name] : undefined;
    if (!isJsonObject(section) || section['listen'] === false) continue;
    const { host, port } = section;
    if (typeof port !== 'number' || port === 0) continue;
    const other = seen.find((each) => each.port === port && overlaps(each.host, host));
    if (other !== undefined) {
      const problem = `Invalid configuration ${name}.port: ${port} is ${other.name}.port already`;
      throw coreErrors.invalid_config({ problem });
    }
    seen.push({ name, host, port });
  }
}

function overlaps(one: unknown, other: unknown): boolean {
  return one === other || ANY_HOST.includes(one) || ANY_HOST.includes(other);
}
