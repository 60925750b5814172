import type { NftChain, NftContainer, NftElement } from "./fragment.ts";
import { tableName } from "./names.ts";

/** Limit of elements in one command: nft parses long lists slowly. */
const maxElements = 500;

/**
 * Commands for one run of nft, which the kernel applies atomically. They are sorted by their
 * references, whatever the order of the calls.
 */
export class NftTransaction {
  readonly #table: string;
  /** Chains to recreate, and their declarations. */
  readonly #declared: string[] = [];
  readonly #removedContainers: string[] = [];
  readonly #containers: string[] = [];
  readonly #rules: string[] = [];
  readonly #flushed: string[] = [];
  readonly #removed = new Map<string, string[]>();
  readonly #added = new Map<string, string[]>();

  constructor(ip: "ip" | "ip6") {
    this.#table = `${ip} ${tableName}`;
  }

  addTable(): void {
    this.#declared.push(`add table ${this.#table} { comment "rules for kube-proxy" ; }`);
  }

  /** Deletes a chain if it exists; it must not be referenced. */
  forgetChain(name: string): void {
    this.#declared.push(`add chain ${this.#table} ${name}`, `delete chain ${this.#table} ${name}`);
  }

  /** Creates a chain or replaces its rules. */
  setChain(name: string, { hook, comment, rules }: NftChain): void {
    const body = [hook, comment && `comment "${comment}" ;`].filter(Boolean).join(" ");
    this.#declared.push(
      `add chain ${this.#table} ${name}${body && ` { ${body} }`}`,
      `flush chain ${this.#table} ${name}`,
    );
    for (const rule of rules) this.#rules.push(`add rule ${this.#table} ${name} ${rule}`);
  }

  flushChain(name: string): void {
    this.#flushed.push(`flush chain ${this.#table} ${name}`);
  }

  deleteChain(name: string): void {
    this.#flushed.push(`delete chain ${this.#table} ${name}`);
  }

  addContainer(name: string, { kind, type, comment, timeoutSeconds }: NftContainer): void {
    const timeout =
      timeoutSeconds === undefined ? "" : ` flags dynamic,timeout ; timeout ${timeoutSeconds}s ;`;
    const note = comment ? ` comment "${comment}" ;` : "";
    this.#containers.push(`add ${kind} ${this.#table} ${name} { type ${type} ;${timeout}${note} }`);
  }

  flushContainer(name: string, { kind }: NftContainer): void {
    this.#containers.push(`flush ${kind} ${this.#table} ${name}`);
  }

  deleteContainer(name: string, kind: "set" | "map"): void {
    this.#removedContainers.push(`delete ${kind} ${this.#table} ${name}`);
  }

  addElement({ container, key, value, comment }: NftElement): void {
    const note = comment === undefined ? "" : ` comment "${comment}"`;
    push(this.#added, container, `${key}${note}${value === undefined ? "" : ` : ${value}`}`);
  }

  deleteElement({ container, key }: NftElement): void {
    push(this.#removed, container, key);
  }

  /** The commands; empty if there are none. */
  text(): string {
    const lines = [
      ...this.#declared,
      ...this.#elementLines("delete", this.#removed),
      ...this.#flushed,
      ...this.#removedContainers,
      ...this.#containers,
      ...this.#rules,
      ...this.#elementLines("add", this.#added),
    ];
    return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
  }

  *#elementLines(verb: string, elements: Map<string, string[]>): Generator<string> {
    for (const [container, items] of elements) {
      for (let start = 0; start < items.length; start += maxElements) {
        const some = items.slice(start, start + maxElements).join(", ");
        yield `${verb} element ${this.#table} ${container} { ${some} }`;
      }
    }
  }
}

function push(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
