import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findCniPlugins } from "#/cluster/machine/packages.ts";
import { until } from "#/testing/until.ts";
import { polite } from "./node.ts";
import type { Suite } from "./runtime.contract.ts";

/** The range of ids of a Pod. */
const range = { hostId: 65_536 * 512, containerId: 0, length: 65_536 };

/** A network of addresses for documentation: a Pod with a user namespace needs one of its own. */
const network = (dataDir: string) => ({
  cniVersion: "0.4.0",
  name: "k8ts-cri-test",
  plugins: [
    {
      type: "ptp",
      ipam: { type: "host-local", dataDir, ranges: [[{ subnet: "198.51.100.0/28" }]] },
    },
  ],
});

/** Pods whose users are others on the machine, with a network of their own. */
export function userNamespaceTests({ node, expect }: Suite): void {
  test("a Pod with a user namespace has ids of its own, and root can write its files", async () => {
    await addNetwork();
    const uids = [range];
    const usernsOptions = { mode: "POD", uids, gids: uids } as const;
    const namespaceOptions = { network: "POD", usernsOptions } as const;
    await expect("user namespaces", async () => {
      // The kubelet asks for no user namespace of a handler that does not say that it has them.
      const { runtimeHandlers } = await node().cri.runtime.Status({});
      const features = runtimeHandlers.find(({ name }) => name === "")?.features;
      assert.equal(features?.userNamespaces, true, "no user namespaces");
      const sandbox = { securityContext: { namespaceOptions } };
      const { id, sandbox: made } = await node().run("mapped", polite(), { sandbox });
      try {
        const [map = ""] = (await node().exec(id, "cat /proc/self/uid_map")).split("\n");
        const ids = map.trim().split(/\s+/).map(Number);
        assert.deepEqual(ids, [0, range.hostId, range.length], "no user namespaces");
        assert.equal(await node().exec(id, "echo x > /mine && cat /mine"), "x\n");
        const { status } = await node().cri.runtime.PodSandboxStatus({ podSandboxId: made.id });
        const [first] = status?.linux?.namespaces?.options?.usernsOptions?.uids ?? [];
        assert.equal(first?.hostId, range.hostId);
        assert.match(status?.network?.ip ?? "", /^198\.51\.100\./);
      } finally {
        await node().cri.runtime.StopPodSandbox({ podSandboxId: made.id });
      }
    });
  });

  async function addNetwork(): Promise<void> {
    const { paths, directory } = node().runtime;
    assert.ok(findCniPlugins());
    const dataDir = join(directory, "addresses");
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(paths.cni, "10-test.conflist"), JSON.stringify(network(dataDir)));
    await until("the runtime has a network", async () => {
      const { status } = await node().cri.runtime.Status({});
      return status?.conditions.some(({ type, status: is }) => type === "NetworkReady" && is);
    });
  }
}
