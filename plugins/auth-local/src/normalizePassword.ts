/**
 * Normalises a password for hashing and comparison: RFC 8265 section 4.2.2 (OpaqueString), so that the same
 * characters typed on another system give the same password. Spaces other than U+0020 become U+0020, then NFC. Case,
 * width and leading or trailing spaces are significant. Unlike the RFC, control characters are allowed and compared
 * unchanged.
 */
export function normalizePassword(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
}
