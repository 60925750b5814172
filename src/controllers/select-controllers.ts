/**
 * Upstream: staging/src/k8s.io/controller-manager/pkg/genericcontrollermanager
 * (IsControllerEnabled), cmd/kube-controller-manager/app/options.
 */
import { FlagError } from "#/std/flags/flags.ts";
import type { ManagerOptions } from "./base/manager-options.ts";
import type { ControllerEntry } from "./index.ts";

/** Whether a controller has this name, or had it once. */
export function isKnownController(entries: readonly ControllerEntry[], name: string): boolean {
  return entries.some(({ controller, alias }) => controller.name === name || alias === name);
}

/**
 * The entries that --controllers and the gates select. Throws FlagError for an unknown controller.
 */
export function selectControllers(
  entries: readonly ControllerEntry[],
  options: ManagerOptions,
): ControllerEntry[] {
  const canonical = new Map(
    entries.flatMap((entry) =>
      [entry.controller.name, entry.alias ?? entry.controller.name].map(
        (name) => [name, entry.controller.name] as const,
      ),
    ),
  );
  const names = options.flags.controllers.map((item) => {
    const isDisabled = item.startsWith("-");
    const name = isDisabled ? item.slice(1) : item;
    const found = name === "*" ? "*" : canonical.get(name);
    if (found === undefined)
      throw new FlagError(`"${name}" is not in the list of known controllers`);
    return isDisabled ? `-${found}` : found;
  });
  return entries.filter((entry) => {
    if (!(entry.gates ?? []).every((gate) => options.enabled(gate))) return false;
    const { name } = entry.controller;
    if (names.includes(name)) return true;
    if (names.includes(`-${name}`)) return false;
    return names.includes("*") && !entry.isOffByDefault;
  });
}
