/** What kubectl uses of Node's "os", "util" and "module". */
import * as yaml from "yaml";

export const homedir = (): string => "/home";
export const tmpdir = (): string => "/tmp";
export const hostname = (): string => "console";
export const userInfo = () => ({ username: "console" });

export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [first, second] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    first.length === second.size &&
    first.every(([key, value]) => second.has(key) && isDeepStrictEqual(value, second.get(key)))
  );
}

export const promisify =
  <T>(run: (...given: unknown[]) => void) =>
  (...given: readonly unknown[]): Promise<T> =>
    new Promise((resolve, reject) =>
      run(...given, (error: unknown, value: T) => (error ? reject(error) : resolve(value))),
    );

/** Packages that modules load at their first use. */
const packages: Readonly<Record<string, unknown>> = { yaml };

export const createRequire =
  () =>
  (name: string): unknown => {
    if (Object.hasOwn(packages, name)) return packages[name];
    throw new Error(`a page has no package ${name}`);
  };
