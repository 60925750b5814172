import type { PlannedChain, PlannedSet, TablePlan } from "../plan/table-plan.ts";

/** Limit of elements in one command (count): nft parses long lists slowly. */
const maxElements = 500;

/** Input of nft that replaces the table as a whole, whatever is there. */
export function wholeTable(table: string, plan: TablePlan): string {
  const head = [`add table ${table}`, `delete table ${table}`, `add table ${table}`];
  const empty: TablePlan = { chains: new Map(), sets: new Map() };
  return `${[...head, ...changes(table, empty, plan).lines].join("\n")}\n`;
}

interface TableChange {
  /** Input of nft; empty if nothing changes. */
  readonly text: string;
  /** Chains that nothing refers to any more. They are empty, and can be deleted a moment later. */
  readonly staleChains: readonly string[];
}

/** Input of nft that makes one plan of another, at once; parts that are the same are not touched. */
export function tableChange(table: string, before: TablePlan, after: TablePlan): TableChange {
  const { lines, staleChains } = changes(table, before, after);
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, staleChains };
}

/** Input of nft that deletes chains. */
export const deleteChains = (table: string, chains: readonly string[]): string =>
  chains.map((chain) => `delete chain ${table} ${chain}\n`).join("");

function changes(table: string, before: TablePlan, after: TablePlan) {
  const changed = [...after.chains].filter(
    ([name, chain]) => !isSameChain(before.chains.get(name), chain),
  );
  const staleChains = [...before.chains.keys()].filter((name) => !after.chains.has(name));
  const staleSets = [...before.sets].filter(([name]) => !after.sets.has(name));
  const newSets = [...after.sets].filter(([name]) => !before.sets.has(name));
  const lines = [
    ...changed.map(([name, { hook }]) => `add chain ${table} ${name}${hook ? ` { ${hook} }` : ""}`),
    ...newSets.map(([name, set]) => `add ${set.kind} ${table} ${name} ${setBody(set)}`),
    ...elementLines(table, "delete", after, before),
    ...[
      ...changed.map(([name]) => name).filter((name) => before.chains.has(name)),
      ...staleChains,
    ].map((name) => `flush chain ${table} ${name}`),
    ...changed.flatMap(([name, { rules }]) =>
      rules.map((rule) => `add rule ${table} ${name} ${rule}`),
    ),
    ...elementLines(table, "add", before, after),
    ...staleSets.map(([name, { kind }]) => `delete ${kind} ${table} ${name}`),
  ];
  return { lines, staleChains };
}

function isSameChain(a: PlannedChain | undefined, b: PlannedChain): boolean {
  if (a === b) return true;
  return (
    a !== undefined &&
    a.hook === b.hook &&
    a.rules.length === b.rules.length &&
    a.rules.every((rule, index) => rule === b.rules[index])
  );
}

const setBody = ({ type, options }: PlannedSet): string => `{ type ${type}; ${options ?? ""} }`;

/** The elements of one plan that the other does not have, in sets that both have, or (to add) only the second. */
function* elementLines(
  table: string,
  verb: "add" | "delete",
  from: TablePlan,
  to: TablePlan,
): Generator<string> {
  for (const [name, set] of to.sets) {
    const other = from.sets.get(name);
    if (other === set || (verb === "delete" && other === undefined)) continue;
    const items: string[] = [];
    for (const [key, value] of set.elements) {
      if (other?.elements.get(key) === value) continue;
      items.push(verb === "delete" || value === "" ? key : `${key} : ${value}`);
    }
    for (let start = 0; start < items.length; start += maxElements) {
      const some = items.slice(start, start + maxElements).join(", ");
      yield `${verb} element ${table} ${name} { ${some} }`;
    }
  }
}
