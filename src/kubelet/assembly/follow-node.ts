/** Upstream: pkg/kubelet/kubelet_network.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { NodePods } from "../pods/node-pods.ts";

const log = logger("kubelet");

export interface NodeFollowers {
  readonly informers: Informers;
  readonly nodeName: string;
  readonly pods: NodePods;
  readonly runtime: RuntimeService;
}

/** Tells the runtime which addresses pods get, and static pods that they can be shown in the API now. */
export function followNode({ informers, nodeName, pods, runtime }: NodeFollowers): Disposable {
  let told = "";
  const tell = ({ spec }: Node): void => {
    const podCidr = (spec?.podCIDRs ?? []).join(",");
    if (podCidr === "" || podCidr === told) return;
    told = podCidr;
    updateCidr(runtime, podCidr).catch((error) => log.error(error, "updating the pod CIDR failed"));
  };
  const informer = informers.informer(nodes, { fieldSelector: `metadata.name=${nodeName}` });
  return informer.subscribe({
    added(node) {
      tell(node);
      pods.wakeAll();
    },
    updated: (_, node) => tell(node),
  });
}

async function updateCidr(runtime: RuntimeService, podCidr: string): Promise<void> {
  try {
    await runtime.UpdateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } });
    log.info("Updating Pod CIDR", { podCIDR: podCidr });
  } catch (error) {
    if (!(error instanceof GrpcError && error.code === "UNIMPLEMENTED")) throw error;
  }
}
