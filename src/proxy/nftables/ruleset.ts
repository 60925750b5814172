import { emptyFragment, type NftElement, type NftFragment } from "./fragment.ts";
import { isAffinitySet, isServiceChain } from "./names.ts";
import { NftTransaction } from "./transaction.ts";

/** The current content of our table in the kernel. */
export interface InstalledTable {
  readonly chains: readonly string[];
  /** Sets and maps, with the timeout of their elements if they have one. */
  readonly containers: ReadonlyMap<string, { readonly timeoutSeconds: number | undefined }>;
}

/** The commands that update the table, and the chains that they leave empty. */
interface TableUpdate {
  readonly commands: string;
  readonly staleChains: readonly string[];
  /** The chains in use after the update. */
  readonly activeChains: ReadonlySet<string>;
}

/** The desired table, made of parts; computes the kernel commands for each change of a part. */
export class NftRuleset {
  readonly #ip: "ip" | "ip6";
  readonly #parts = new Map<string, NftFragment>();
  /** Parts that changed since the last update, with their state at that time. */
  readonly #before = new Map<string, NftFragment>();
  /** The parts that have an element: several may have the same. */
  readonly #owners = new Map<string, Map<string, NftElement>>();
  #active = new Set<string>();

  constructor(ip: "ip" | "ip6") {
    this.#ip = ip;
  }

  /** Replaces or, without a fragment, removes a part. */
  set(part: string, fragment: NftFragment | undefined): void {
    const before = this.#parts.get(part) ?? emptyFragment;
    if (!this.#before.has(part)) this.#before.set(part, before);
    if (fragment) this.#parts.set(part, fragment);
    else this.#parts.delete(part);
  }

  /** Drops all parts; the next rebuild finds and removes their content. */
  clear(): void {
    this.#parts.clear();
    this.#before.clear();
  }

  /** The commands for the changes since the last update. */
  update(): TableUpdate {
    const transaction = new NftTransaction(this.#ip);
    const stale: string[] = [];
    const touched = new Map<string, NftElement | undefined>();
    for (const [part, before] of this.#before) {
      const after = this.#parts.get(part) ?? emptyFragment;
      this.#changeChains(transaction, before, after, stale);
      this.#changeOwners(part, before, after, touched);
    }
    for (const [id, was] of touched) {
      const now = this.#effective(id);
      if (was?.value === now?.value && (was === undefined) === (now === undefined)) continue;
      if (was) transaction.deleteElement(was);
      if (now) transaction.addElement(now);
    }
    this.#before.clear();
    return { commands: transaction.text(), staleChains: stale, activeChains: this.#active };
  }

  /**
   * The commands for everything, whatever the kernel has now. Sets that the kernel fills keep their
   * elements.
   */
  rebuild(installed: InstalledTable, recreateHooks: boolean): TableUpdate {
    const transaction = new NftTransaction(this.#ip);
    transaction.addTable();
    this.#before.clear();
    this.#owners.clear();
    this.#active = new Set();
    const wantedSets = new Set<string>();
    for (const [part, fragment] of this.#parts) {
      for (const [name, chain] of fragment.chains) {
        if (recreateHooks && chain.hook !== undefined) transaction.forgetChain(name);
        transaction.setChain(name, chain);
        this.#active.add(name);
      }
      for (const [name, container] of fragment.containers) {
        wantedSets.add(name);
        const timeoutSeconds = installed.containers.get(name)?.timeoutSeconds;
        if (installed.containers.has(name) && timeoutSeconds !== container.timeoutSeconds) {
          transaction.deleteContainer(name, container.kind);
        }
        transaction.addContainer(name, container);
        if (container.timeoutSeconds === undefined) transaction.flushContainer(name, container);
      }
      this.#changeOwners(part, emptyFragment, fragment, new Map());
    }
    for (const id of this.#owners.keys()) {
      const element = this.#effective(id);
      if (element) transaction.addElement(element);
    }
    const stale = installed.chains.filter(
      (name) => isServiceChain(name) && !this.#active.has(name),
    );
    for (const name of stale) transaction.flushChain(name);
    for (const name of installed.containers.keys()) {
      if (isAffinitySet(name) && !wantedSets.has(name)) transaction.deleteContainer(name, "set");
    }
    return { commands: transaction.text(), staleChains: stale, activeChains: this.#active };
  }

  #changeChains(
    transaction: NftTransaction,
    before: NftFragment,
    after: NftFragment,
    stale: string[],
  ): void {
    let remade = false;
    for (const [name, was] of before.containers) {
      const now = after.containers.get(name);
      if (now?.timeoutSeconds === was.timeoutSeconds && now?.type === was.type) continue;
      transaction.deleteContainer(name, was.kind);
      if (now) remade = true;
    }
    for (const [name, now] of after.containers) transaction.addContainer(name, now);
    for (const [name, now] of after.chains) {
      const was = before.chains.get(name);
      this.#active.add(name);
      if (remade || was?.rules.join("\n") !== now.rules.join("\n")) transaction.setChain(name, now);
    }
    for (const name of before.chains.keys()) {
      if (after.chains.has(name)) continue;
      transaction.flushChain(name);
      this.#active.delete(name);
      stale.push(name);
    }
  }

  #changeOwners(
    part: string,
    before: NftFragment,
    after: NftFragment,
    touched: Map<string, NftElement | undefined>,
  ): void {
    const touch = (element: NftElement): Map<string, NftElement> => {
      const id = `${element.container} ${element.key}`;
      if (!touched.has(id)) touched.set(id, this.#effective(id));
      const owners = this.#owners.get(id) ?? new Map<string, NftElement>();
      this.#owners.set(id, owners);
      return owners;
    };
    for (const element of before.elements) touch(element).delete(part);
    for (const element of after.elements) touch(element).set(part, element);
    for (const { container, key } of before.elements) {
      if (this.#owners.get(`${container} ${key}`)?.size === 0) {
        this.#owners.delete(`${container} ${key}`);
      }
    }
  }

  #effective(id: string): NftElement | undefined {
    return this.#owners.get(id)?.values().next().value;
  }
}
