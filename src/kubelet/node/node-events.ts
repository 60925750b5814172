import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { NodeRecord } from "../state/node-record.ts";

/** Events about this node. */
export class NodeEvents {
  readonly #recorder: EventRecorder;
  readonly #node: Pick<NodeRecord, "name" | "find">;

  constructor(recorder: EventRecorder, node: Pick<NodeRecord, "name" | "find">) {
    this.#recorder = recorder;
    this.#node = node;
  }

  record(type: "Normal" | "Warning", reason: string, message: string): void {
    const { name } = this.#node;
    const uid = this.#node.find()?.metadata.uid ?? name;
    this.#recorder.event({ kind: "Node", apiVersion: "v1", name, uid }, type, reason, message);
  }
}
