import type { IpFamily } from "../base/ip-family.ts";
import { ipSets, kernelSetName, type SetName, setNames } from "./names.ts";

/** Limit of a set's entries, and its first size: upstream's. */
const sizes = "hashsize 1024 maxelem 65536";

/** The commands that create every set of a family; with -exist, those that exist are left. */
export function createSets(family: IpFamily): string[] {
  const inet = family === "IPv4" ? "inet" : "inet6";
  return setNames.map((name) => {
    const { type } = ipSets[name];
    const size = type === "bitmap:port" ? "range 0-65535" : `family ${inet} ${sizes}`;
    return `create ${kernelSetName(name, family)} ${type} ${size}`;
  });
}

/** The entries of our sets in the output of `ipset save`; undefined for a set that is missing. */
export function parseSets(
  text: string,
  family: IpFamily,
): Record<SetName, ReadonlySet<string> | undefined> {
  const found = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const [command, name = "", entry = ""] = line.split(" ");
    if (command === "create") found.set(name, new Set());
    else if (command === "add") found.get(name)?.add(entry);
  }
  const sets = setNames.map((name) => [name, found.get(kernelSetName(name, family))]);
  return Object.fromEntries(sets) as Record<SetName, ReadonlySet<string> | undefined>;
}

/** The commands that change entries of a set. */
export function changeSet(
  { set, added, removed }: { set: SetName; added: Iterable<string>; removed: Iterable<string> },
  family: IpFamily,
): string[] {
  const name = kernelSetName(set, family);
  return [
    ...Array.from(removed, (entry) => `del ${name} ${entry}`),
    ...Array.from(added, (entry) => `add ${name} ${entry}`),
  ];
}
