import { Passport, type PassportStatic, type Strategy } from 'passport';
import type { AuthStrategy } from '@millrace/kernel';

/**
 * An instance of the library with one strategy. This file is imported for the first login with a strategy of passport: in
 * bundles, only static imports have the named exports of CommonJS packages.
 */
export async function createPassport({ name, passport: given }: AuthStrategy): Promise<PassportStatic> {
  const passport = new Passport() as PassportStatic;
  passport.use(name, (typeof given === 'function' ? await given() : given) as unknown as Strategy);
  return passport;
}
