// Import only these functions; the full package loads 47 files.
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { copyOf } from './copyOf.js';
import { KERNEL_COPY } from '../copies/KERNEL_COPY.js';
import { coreErrors } from '../errors/errors.js';
import type { Plugin } from './Plugin.js';

/**
 * Checks plugins against each other and the kernel, and sorts them so that each comes after those it requires
 * (otherwise in the given order).
 * @throws core.plugin_refused naming the plugin and the reason
 */
export function orderPlugins(plugins: readonly Plugin[], kernelVersion: string): readonly Plugin[] {
  const byName = new Map<string, Plugin>();
  for (const plugin of plugins) {
    checkShape(plugin, kernelVersion);
    if (byName.has(plugin.name)) throw refused(plugin.name, 'another plugin has the same name');
    byName.set(plugin.name, plugin);
  }
  const ordered: Plugin[] = [];
  const visit = (plugin: Plugin, path: readonly string[]): void => {
    if (ordered.includes(plugin)) return;
    if (path.includes(plugin.name)) {
      throw refused(plugin.name, `it requires itself (${[...path, plugin.name].join(' → ')})`);
    }
    for (const name of plugin.requires ?? []) {
      const needed = byName.get(name);
      if (needed === undefined) throw refused(plugin.name, `it requires the plugin "${name}"`);
      visit(needed, [...path, plugin.name]);
    }
    ordered.push(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return ordered;
}

function checkShape(plugin: Plugin, kernelVersion: string): void {
  const name: unknown = (plugin as Partial<Plugin> | null)?.name;
  if (typeof plugin === 'function') {
    throw refused(String(name), 'expected what definePlugin returns, got a function: call it');
  }
  if (plugin instanceof Promise) {
    throw refused('', 'expected what definePlugin returns, got a promise: await it');
  }
  if (typeof name !== 'string' || !/^(@[a-z0-9-]+\/)?[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    throw refused(String(name), 'its name must be lower-case letters, digits and "-", with an optional scope');
  }
  if (typeof plugin.setup !== 'function') throw refused(name, 'it has no setup function');
  if (typeof plugin.kernel !== 'string' || validRange(plugin.kernel) === null) {
    throw refused(name, `"kernel" must be a semver range, got ${JSON.stringify(plugin.kernel)}`);
  }
  if (!satisfies(kernelVersion, plugin.kernel, { includePrerelease: true })) {
    throw refused(name, `it needs kernel ${plugin.kernel}, this is ${kernelVersion}`);
  }
  checkCopy(plugin);
}

/** A linked plugin has a separate copy of the kernel, which must have the same or a compatible version. */
function checkCopy(plugin: Plugin): void {
  const copy = copyOf(plugin);
  if (copy === undefined || isCompatible(copy.version, KERNEL_COPY.version)) return;
  throw refused(
    plugin.name,
    `it uses @millrace/kernel ${copy.version} (${copy.path}), the server ${KERNEL_COPY.version} (${KERNEL_COPY.path}): install the same version for both`,
  );
}

function isCompatible(one: string, other: string): boolean {
  const accepts = (range: string, version: string) => satisfies(version, `^${range}`, { includePrerelease: true });
  return accepts(one, other) || accepts(other, one);
}

function refused(plugin: string, reason: string): Error {
  return coreErrors.plugin_refused({ plugin, reason });
}
