import { connectRuntime } from "./cri/runtime-service.ts";

/**
 * Stops and removes all pods of a node, their networks included: for a node that is taken down. What can't be removed now
 * is left, and said.
 */
export async function removeAllPods(endpoint: string): Promise<void> {
  using cri = connectRuntime(endpoint);
  const { items } = await cri.runtime.ListPodSandbox({});
  const results = await Promise.allSettled(
    items.map(async ({ id }) => {
      await cri.runtime.StopPodSandbox({ podSandboxId: id });
      await cri.runtime.RemovePodSandbox({ podSandboxId: id });
    }),
  );
  const failed = results.filter((result) => result.status === "rejected");
  if (failed[0]) {
    throw new Error(`${failed.length} pods could not be removed: ${failed[0].reason}`);
  }
}
