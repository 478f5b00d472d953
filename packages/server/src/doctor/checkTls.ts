import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject, type Config, type JsonObject } from '@millrace/kernel';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

const DAY_MS = 24 * 60 * 60_000;
const SOON_DAYS = 14;

/** The name of a section, and its `tls`. */
type TlsSection = readonly [section: string, tls: JsonObject];

/** The sections of a configuration with `tls`. */
export function tlsSections({ values }: Config): readonly TlsSection[] {
  return Object.entries(values).flatMap(([name, section]) => {
    const tls = isJsonObject(section) ? section['tls'] : undefined;
    return isJsonObject(tls) ? [[name, tls] as const] : [];
  });
}

/** Certificates of the entrypoints: readable, matching their key, and not about to expire. */
export async function checkTls({ config, folder }: DoctorContext): Promise<readonly Finding[]> {
  const checked = tlsSections(config).map((each) => checkTlsSection(each, folder));
  return (await Promise.all(checked)).filter((finding) => finding !== undefined);
}

/** @returns undefined if the entrypoint has no TLS */
export async function checkTlsSection([section, tls]: TlsSection, folder: string): Promise<Finding | undefined> {
  const paths = { certFile: pathOf(tls, 'certFile'), keyFile: pathOf(tls, 'keyFile') };
  if (paths.certFile === '' && paths.keyFile === '') return undefined;
  const mend = `Set ${section}.tls.certFile and keyFile to PEM files that the server's user can read`;
  const certificate = await readPem(paths.certFile, folder, (pem) => new X509Certificate(pem));
  if (typeof certificate === 'string') return fault('tls-files', `${section}.tls.certFile: ${certificate}`, mend);
  const key = await readPem(paths.keyFile, folder, createPrivateKey);
  if (typeof key === 'string') return fault('tls-files', `${section}.tls.keyFile: ${key}`, mend);
  if (!certificate.checkPrivateKey(key)) {
    const saw = `${section}.tls: ${paths.keyFile} is not the key of ${paths.certFile}`;
    return fault('tls-files', saw, 'Use the key that the certificate was made with');
  }
  return assessExpiry(paths.certFile, certificate.validTo);
}

function pathOf(tls: JsonObject, key: string): string {
  const value = tls[key];
  return typeof value === 'string' ? value : '';
}

/** @returns a string: the problem */
async function readPem<T extends object>(path: string, folder: string, parse: (pem: Buffer) => T): Promise<T | string> {
  if (path === '') return 'no file';
  try {
    return parse(await readFile(resolve(folder, path)));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return `${path}: ${/^E[A-Z]+$/.test(code) ? code : message}`;
  }
}

/** @param validTo as `X509Certificate` has it */
export function assessExpiry(certFile: string, validTo: string): Finding {
  const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
  const saw = `${certFile} is valid until ${validTo}`;
  const mend = 'Renew it; the server reads changed files by itself';
  if (days < 0) return fault('tls-expired', saw, mend);
  return days < SOON_DAYS ? warning('tls-expiring', saw, mend) : ok('tls', saw);
}
