import type { JumpRule } from "./base-fragment.ts";
import type { TableName } from "./fragment.ts";

/** What iptables-restore reads, to change some chains and leave the others as they are. */
export class RestoreInput {
  readonly #tables = {
    filter: { chains: [] as string[], rules: [] as string[], removals: [] as string[] },
    nat: { chains: [] as string[], rules: [] as string[], removals: [] as string[] },
  };
  readonly #written = { filter: 0, nat: 0 };

  /** Makes sure that there is such a chain, with these rules alone. */
  setChain(table: TableName, name: string, rules: readonly string[]): void {
    const { chains, rules: lines } = this.#tables[table];
    chains.push(chainLine(name));
    for (const rule of rules) lines.push(`-A ${name} ${rule}`);
    this.#written[table] += rules.length;
  }

  /** Makes sure that there is such a chain, with the rules that others put there. */
  ensureChain(table: TableName, name: string, existing: ReadonlySet<string>): void {
    const line = chainLine(name);
    if (!existing.has(name) && !this.#tables[table].chains.includes(line)) {
      this.#tables[table].chains.push(line);
    }
  }

  /** A chain must be named, which empties it, before it can be deleted. */
  deleteChain(table: TableName, name: string): void {
    this.#tables[table].chains.push(chainLine(name));
    this.#tables[table].removals.push(`-X ${name}`);
  }

  /** Changes some rules of a chain; new ones come first in it. */
  changeRules(
    table: TableName,
    name: string,
    { added, removed }: { added: Iterable<string>; removed: Iterable<string> },
  ): void {
    const { rules } = this.#tables[table];
    for (const rule of removed) rules.push(`-D ${name} ${rule}`);
    for (const rule of added) {
      rules.push(`-I ${name} ${rule}`);
      this.#written[table]++;
    }
  }

  insertJump(jump: JumpRule): void {
    this.#tables[jump.table].rules.push(`-I ${jump.from} ${jumpSpec(jump)}`);
  }

  /** How many rules are written to a table. */
  rulesWritten(table: TableName): number {
    return this.#written[table];
  }

  /** The text; empty if nothing changes. */
  text(): string {
    let text = "";
    for (const [table, { chains, rules, removals }] of Object.entries(this.#tables)) {
      if (chains.length === 0 && rules.length === 0) continue;
      text += `*${table}\n${[...chains, ...rules, ...removals].join("\n")}\nCOMMIT\n`;
    }
    return text;
  }
}

/** A jump as the arguments of iptables. */
export function jumpSpec({ onlyNew, comment, to }: JumpRule): string {
  const state = onlyNew ? "-m conntrack --ctstate NEW " : "";
  const note = comment === "" ? "" : `-m comment --comment "${comment}" `;
  return `${state}${note}-j ${to}`;
}

function chainLine(name: string): string {
  return `:${name} - [0:0]`;
}
