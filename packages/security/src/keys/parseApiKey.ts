/*
 * The form of API keys (KEY-1): `mr_<8 characters: id>_<32 characters: secret><6 characters: checksum>`. Programs that
 * scan source code for secrets find them by a regular expression, and the checksum tells a mistyped key from an unknown
 * one without a look-up.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'mr_';
const FORM = /^mr_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const ID = /^[0-9A-Za-z]{8}$/;
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** The largest multiple of the alphabet's length: larger bytes would make some characters likelier. */
const BYTE_LIMIT = 248;

/** The parts of an API key. */
export interface ApiKeyParts {
  readonly id: string;
  readonly secret: string;
}

/** Whether a token is meant to be an API key: tokens never begin like this. */
export function isApiKey(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** @returns null if the form or the checksum is wrong */
export function parseApiKey(token: string): ApiKeyParts | null {
  const [, id, secret, checksum] = FORM.exec(token) ?? [];
  if (id === undefined || secret === undefined) return null;
  return checksum === checksumOf(id, secret) ? { id, secret } : null;
}

export function formatApiKey({ id, secret }: ApiKeyParts): string {
  return `${PREFIX}${id}_${secret}${checksumOf(id, secret)}`;
}

/** Whether a key could have this id. */
export function isApiKeyId(text: string): boolean {
  return ID.test(text);
}

export function newApiKeyId(): string {
  return randomText(ID_LENGTH);
}

/** 190 random bits. */
export function newApiKeySecret(): string {
  return randomText(SECRET_LENGTH);
}

function checksumOf(id: string, secret: string): string {
  let rest = crc32(`${PREFIX}${id}_${secret}`);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < BYTE_LIMIT) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
