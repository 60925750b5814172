/** Upstream: pkg/kubelet/kubelet_network.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";

const log = logger("kubelet");

interface NodeFollowers {
  readonly informers: Informers;
  readonly nodeName: string;
  readonly runtime: Pick<RuntimeService, "UpdateRuntimeConfig">;
  readonly pods: {
    /** Static Pods can get their mirror Pods once the Node exists. */
    wakeAll(): void;
  };
}

/** Reports the Pod CIDRs of the Node to the runtime, and wakes all Pods when the Node appears in the API server. */
export function followNode({ informers, nodeName, pods, runtime }: NodeFollowers): Disposable {
  let reported = "";
  const report = ({ spec }: Node): void => {
    const podCidr = (spec?.podCIDRs ?? []).join(",");
    if (podCidr === "" || podCidr === reported) return;
    reported = podCidr;
    updateCidr(runtime, podCidr).catch((error) =>
      log.error(error, "failed to update the Pod CIDR"),
    );
  };
  const informer = informers.informer(nodes, { fieldSelector: `metadata.name=${nodeName}` });
  return informer.subscribe({
    added(node) {
      report(node);
      pods.wakeAll();
    },
    updated: (_, node) => report(node),
  });
}

async function updateCidr(runtime: NodeFollowers["runtime"], podCidr: string): Promise<void> {
  try {
    await runtime.UpdateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } });
    log.info("Updating Pod CIDR", { podCIDR: podCidr });
  } catch (error) {
    if (!(error instanceof GrpcError && error.code === "UNIMPLEMENTED")) throw error;
  }
}
