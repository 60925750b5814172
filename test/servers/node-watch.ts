import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { launcher } from "../e2e/machine.ts";
import { adminFile, type Machines } from "./machines.ts";

/** Follows the Ready condition of the agents' nodes, which no fault of a server may change. */
export class NodeWatch {
  readonly violations: string[] = [];
  readonly #children: ChildProcess[] = [];
  #isStopped = false;

  static async start(machines: Machines): Promise<NodeWatch> {
    const watch = new NodeWatch();
    const names = new Set(machines.agents.map((agent) => agent.nodeName));
    for (const server of machines.servers) void watch.#follow(adminFile(server), names);
    return watch;
  }

  /** By each server; one that fails is asked again. */
  async #follow(kubeconfig: string, names: ReadonlySet<string>): Promise<void> {
    const ready = '{.status.conditions[?(@.type=="Ready")].status}';
    const output = `-o=jsonpath={.metadata.name} ${ready}{"\\n"}`;
    while (!this.#isStopped) {
      const args = ["kubectl", `--kubeconfig=${kubeconfig}`, "get", "nodes", "--watch", output];
      const child = spawn(launcher, args, { stdio: ["ignore", "pipe", "ignore"] });
      this.#children.push(child);
      for await (const line of createInterface({ input: child.stdout })) {
        const [name = "", status = ""] = line.trim().split(" ");
        if (names.has(name) && status !== "True")
          this.violations.push(`node ${name} is Ready ${status}, seen by ${kubeconfig}`);
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }
}
