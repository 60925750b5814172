import type { AsyncLocalStorage } from "node:async_hooks";

/** The component of the current call, in a process with several; undefined if there is only one. */
let componentOf: AsyncLocalStorage<string> | undefined;

/**
 * Runs a component whose log lines, and those of its calls, name it: for a process with several.
 */
export function logAs<T>(component: string, run: () => T): T {
  const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
  componentOf ??= new AsyncLocalStorage();
  return componentOf.run(component, run);
}

/** The component whose call this is; undefined outside logAs(). */
export const activeComponent = (): string | undefined => componentOf?.getStore();
