import type { Quantity } from "#/machinery/values/quantity.ts";

/** Amounts in the scheduler's units; scalars are extended resources, huge pages and attachable volumes. */
export interface Resources {
  readonly milliCPU: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  readonly scalars: ReadonlyMap<string, number>;
}

const noScalars: ReadonlyMap<string, number> = new Map();

export const noResources: Resources = {
  milliCPU: 0,
  memory: 0,
  ephemeralStorage: 0,
  scalars: noScalars,
};

/** True if a resource is counted in whole units under its own name. */
export function isScalarResource(name: string): boolean {
  if (name.includes("/")) return !name.startsWith("requests.");
  return name.startsWith("hugepages-") || name.startsWith("attachable-volumes-");
}

/** True for an extended resource: neither Kubernetes' own nor a quota name. */
export function isExtendedResource(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.");
}

/** The amounts of a resource list; names that the scheduler doesn't count are left out. */
export function toResources(list: ReadonlyMap<string, Quantity>): Resources {
  const scalars = new Map<string, number>();
  for (const [name, quantity] of list) {
    if (isScalarResource(name)) scalars.set(name, quantity.value());
  }
  return {
    milliCPU: list.get("cpu")?.milliValue() ?? 0,
    memory: list.get("memory")?.value() ?? 0,
    ephemeralStorage: list.get("ephemeral-storage")?.value() ?? 0,
    scalars: scalars.size === 0 ? noScalars : scalars,
  };
}

/** a + b, or a - b with sign -1. */
export function addResources(a: Resources, b: Resources, sign: 1 | -1 = 1): Resources {
  return {
    milliCPU: a.milliCPU + sign * b.milliCPU,
    memory: a.memory + sign * b.memory,
    ephemeralStorage: a.ephemeralStorage + sign * b.ephemeralStorage,
    scalars: b.scalars.size === 0 ? a.scalars : addScalars(a.scalars, b.scalars, sign),
  };
}

/** True if all amounts are 0. */
export function isNothing(amounts: Resources): boolean {
  const { milliCPU, memory, ephemeralStorage, scalars } = amounts;
  return milliCPU === 0 && memory === 0 && ephemeralStorage === 0 && scalars.size === 0;
}

/** The amount of one resource by its name. */
export function amountOf(amounts: Resources, name: string): number {
  switch (name) {
    case "cpu":
      return amounts.milliCPU;
    case "memory":
      return amounts.memory;
    case "ephemeral-storage":
      return amounts.ephemeralStorage;
    default:
      return amounts.scalars.get(name) ?? 0;
  }
}

function addScalars(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  sign: 1 | -1,
): ReadonlyMap<string, number> {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, (sum.get(name) ?? 0) + sign * amount);
  return sum;
}
