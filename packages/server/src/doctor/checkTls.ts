import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject } from '@millrace/kernel';
import { tlsSections } from './checkEntrypoints.js';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

const DAY_MS = 24 * 60 * 60_000;
const SOON_DAYS = 14;

/** Certificates of the entrypoints: readable, matching their key, and not about to expire. */
export async function checkTls({ config, folder }: DoctorContext): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [section, tls] of tlsSections(config)) {
    const certFile = pathOf(tls, 'certFile');
    const keyFile = pathOf(tls, 'keyFile');
    if (certFile === '' || keyFile === '') continue;
    findings.push(await checkPair(section, resolve(folder, certFile), resolve(folder, keyFile)));
  }
  return findings;
}

function pathOf(tls: JsonObject, key: string): string {
  const value = tls[key];
  return typeof value === 'string' ? value : '';
}

async function checkPair(section: string, certFile: string, keyFile: string): Promise<Finding> {
  let certificate, key;
  try {
    certificate = new X509Certificate(await readFile(certFile));
    key = createPrivateKey(await readFile(keyFile));
  } catch (error) {
    const mend = `Set ${section}.tls.certFile and keyFile to PEM files that the server's user can read`;
    return fault('tls-files', `${section}.tls: ${(error as Error).message}`, mend);
  }
  if (!certificate.checkPrivateKey(key)) {
    const mend = 'Use the key that the certificate was made with';
    return fault('tls-files', `${keyFile} is not the key of ${certFile}`, mend);
  }
  return judgeExpiry(certFile, certificate.validTo);
}

/** @param validTo as `X509Certificate` has it */
export function judgeExpiry(certFile: string, validTo: string): Finding {
  const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
  const saw = `${certFile} is valid until ${validTo}`;
  const mend = 'Renew it; the server reads changed files by itself';
  if (days < 0) return fault('tls-expired', saw, mend);
  return days < SOON_DAYS ? warning('tls-expiring', saw, mend) : ok('tls', saw);
}
