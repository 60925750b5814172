import type { JumpRule } from "./base-fragment.ts";
import type { TableName } from "./fragment.ts";

/** Input of iptables-restore that changes some chains and leaves the others. */
export class RestoreInput {
  readonly #tables = {
    filter: { chains: [] as string[], rules: [] as string[], removals: [] as string[] },
    nat: { chains: [] as string[], rules: [] as string[], removals: [] as string[] },
  };
  readonly #written = { filter: 0, nat: 0 };

  /** Creates a chain or replaces its rules. */
  setChain(table: TableName, name: string, rules: readonly string[]): void {
    const { chains, rules: lines } = this.#tables[table];
    chains.push(chainLine(name));
    for (const rule of rules) lines.push(`-A ${name} ${rule}`);
    this.#written[table] += rules.length;
  }

  /** Creates a chain unless it exists; its rules are left. */
  ensureChain(table: TableName, name: string, existing: ReadonlySet<string>): void {
    const line = chainLine(name);
    if (!existing.has(name) && !this.#tables[table].chains.includes(line)) {
      this.#tables[table].chains.push(line);
    }
  }

  /** Deletes a chain. It must be declared, which empties it, before it can be deleted. */
  deleteChain(table: TableName, name: string): void {
    this.#tables[table].chains.push(chainLine(name));
    this.#tables[table].removals.push(`-X ${name}`);
  }

  /** Changes some rules of a chain; new ones are first in it, in their order. */
  changeRules(
    table: TableName,
    name: string,
    { added, removed }: { added: Iterable<string>; removed: Iterable<string> },
  ): void {
    const { rules } = this.#tables[table];
    for (const rule of removed) rules.push(`-D ${name} ${rule}`);
    for (const rule of [...added].reverse()) {
      rules.push(`-I ${name} ${rule}`);
      this.#written[table]++;
    }
  }

  insertJump(jump: JumpRule): void {
    this.#tables[jump.table].rules.push(`-I ${jump.from} ${jumpSpec(jump)}`);
  }

  /** Number of rules written to a table. */
  rulesWritten(table: TableName): number {
    return this.#written[table];
  }

  /** The text; empty without changes. */
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
