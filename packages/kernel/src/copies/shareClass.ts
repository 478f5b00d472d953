/**
 * Makes `instanceof` recognise instances created by any copy of this package, so that the server recognises the errors
 * and results of a linked plugin, which has a separate copy. Subclasses keep the usual rule.
 * @param name the same in every version
 */
export function shareClass(shared: { readonly prototype: object }, name: string): void {
  const mark = Symbol.for(`millrace.${name}`);
  Object.defineProperty(shared.prototype, mark, { value: true });
  Object.defineProperty(shared, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this === shared) return typeof value === 'object' && value !== null && mark in value;
      return Function.prototype[Symbol.hasInstance].call(this as never, value);
    },
  });
}
