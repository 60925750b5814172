/** Upstream: sigs.k8s.io/kustomize/api/filters/iampolicygenerator. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import { struct, text } from "../kustomization/shapes.ts";
import { Resource } from "../resource/resource.ts";
import { nodeOf } from "../yaml/node-value.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface IamConfig {
  readonly cloud?: string;
  readonly kubernetesService?: { readonly name?: string; readonly namespace?: string };
  readonly serviceAccount?: { readonly name?: string; readonly projectId?: string };
}

/** Creates a ServiceAccount for an account of a cloud. */
export const iamPolicyGenerator: Plugin = {
  kind: "IAMPolicyGenerator",
  configure(config) {
    const {
      cloud = "",
      kubernetesService: service = {},
      serviceAccount: account = {},
    } = decodeConfig<IamConfig>(config, "IAMPolicyGeneratorPlugin", {
      cloud: text,
      kubernetesService: struct("KubernetesService", { name: text, namespace: text }),
      serviceAccount: struct("ServiceAccount", { name: text, projectId: text }),
    });
    return {
      generate() {
        if (cloud !== "gke") {
          throw new KustomizeError(`cloud provider ${cloud} not supported yet`);
        }
        const user = `${account.name ?? ""}@${account.projectId ?? ""}.iam.gserviceaccount.com`;
        const { name = "", namespace } = service;
        const annotations = { "iam.gke.io/gcp-service-account": user };
        const metadata = { annotations, name, ...(namespace && { namespace }) };
        return [new Resource(nodeOf({ apiVersion: "v1", kind: "ServiceAccount", metadata }))];
      },
    };
  },
};
