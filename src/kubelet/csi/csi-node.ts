/** Upstream: pkg/volume/csi/nodeinfomanager/nodeinfomanager.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { type CSINode, type CSINodeDriver, csiNodes } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import type { CsiDriver } from "./csi-drivers.ts";
import { driverEntry } from "./driver-entry.ts";

const annotation = "csi.volume.kubernetes.io/nodeid";

const maxTries = 5;

/** Publishes this node's drivers in a CSINode. */
export class CsiNodeObject {
  readonly #client: Client;
  readonly #node: () => Node | undefined;
  readonly #name: string;

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

  async add(driver: CsiDriver): Promise<void> {
    await this.#labelNode(driver);
    await this.#update((drivers) => [
      ...drivers.filter(({ name }) => name !== driver.name),
      driverEntry(driver),
    ]);
  }

  async remove(name: string): Promise<void> {
    await this.#update((drivers) => drivers.filter((driver) => driver.name !== name));
    const ids = nodeIDs(this.#node());
    delete ids[name];
    await this.#patchNode({ annotations: { [annotation]: JSON.stringify(ids) } });
  }

  async #labelNode({ name, info }: CsiDriver): Promise<void> {
    const ids = { ...nodeIDs(this.#node()), [name]: info.nodeID };
    await this.#patchNode({
      annotations: { [annotation]: JSON.stringify(ids) },
      labels: info.topology,
    });
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

function nodeIDs(node: Node | undefined): Record<string, string> {
  return JSON.parse(node?.metadata.annotations?.[annotation] || "{}");
}
