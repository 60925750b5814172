/** Upstream: pkg/volume/csi/nodeinfomanager/nodeinfomanager.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { type CSINode, type CSINodeDriver, csiNodes } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { CsiDriver } from "./csi-drivers.ts";
import { driverEntry } from "./driver-entry.ts";

const annotation = "csi.volume.kubernetes.io/nodeid";

const maxTries = 5;

/** Publishes this node's drivers in a CSINode. */
export class CsiNodeObject {
  readonly #client: Client;
  readonly #node: () => Node | undefined;
  readonly #name: string;
  #turn: Promise<void> = Promise.resolve();

  constructor(client: Client, name: string, node: () => Node | undefined) {
    this.#client = client;
    this.#name = name;
    this.#node = node;
  }

  /** Creates the object if it doesn't exist. */
  async ensure(): Promise<CSINode> {
    try {
      return await this.#client.get(csiNodes, { name: this.#name });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    const uid = this.#node()?.metadata.uid;
    if (uid === undefined) throw new Error(`node ${this.#name} is not registered yet`);
    const owner = { apiVersion: "v1", kind: "Node", name: this.#name, uid };
    try {
      return await this.#client.create(csiNodes, {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name: this.#name, ownerReferences: [owner] },
        spec: { drivers: [] },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#client.get(csiNodes, { name: this.#name });
    }
  }

  /** Publishes a driver; throws if its information contradicts the Node. */
  add(driver: CsiDriver): Promise<void> {
    return this.#inTurn(async () => {
      await this.#labelNode(driver);
      await this.#update((drivers) => [
        ...drivers.filter(({ name }) => name !== driver.name),
        driverEntry(driver),
      ]);
    });
  }

  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#update((drivers) => drivers.filter((driver) => driver.name !== name));
      const ids = nodeIDs(await this.#client.get(nodes, { name: this.#name }));
      if (!Object.hasOwn(ids, name)) return;
      delete ids[name];
      const isEmpty = Object.keys(ids).length === 0;
      await this.#patchNode({
        annotations: { [annotation]: isEmpty ? null : JSON.stringify(ids) },
      });
    });
  }

  async #labelNode({ name, info }: CsiDriver): Promise<void> {
    if (info.nodeID === "") {
      throw new Error("error adding CSI driver node info: driverNodeID must not be empty");
    }
    const node = await this.#client.get(nodes, { name: this.#name });
    const { labels = {} } = node.metadata;
    for (const [key, value] of Object.entries(info.topology)) {
      const held = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (held === undefined || held === value) continue;
      const [reported, existing] = [value, held].map((one) => `${goQuote(key)}:${goQuote(one)}`);
      throw new Error(
        `error updating Node object with CSI driver node info: detected topology value collision: driver reported ${reported} but existing label is ${existing}`,
      );
    }
    const ids = { ...nodeIDs(node), [name]: info.nodeID };
    await this.#patchNode({
      annotations: { [annotation]: JSON.stringify(ids) },
      labels: info.topology,
    });
  }

  /** Changes come one after another: each is computed from the Node that the one before has left. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(change);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #patchNode(metadata: object): Promise<void> {
    await this.#client.patch(nodes, { name: this.#name }, { metadata }, { type: "merge" });
  }

  async #update(change: (drivers: readonly CSINodeDriver[]) => CSINodeDriver[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const held = await this.ensure();
      const drivers = change(held.spec.drivers ?? []);
      try {
        await this.#client.update(csiNodes, { ...held, spec: { ...held.spec, drivers } });
        return;
      } catch (error) {
        if (attempt >= maxTries || !isConflict(error)) throw error;
      }
    }
  }
}

function nodeIDs(node: Node): Record<string, string> {
  return JSON.parse(node.metadata.annotations?.[annotation] || "{}");
}
