import type { Resource } from "#/api/base/resource.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { table } from "#/std/base/table.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { nodeIdentity } from "../../../auth/node/node-identity.ts";
import type { ApiObject } from "../../../registry/strategy.ts";
import {
  type Admitted,
  admissionPlugin,
  type PluginServices,
} from "../../base/admission-plugin.ts";
import { forbid } from "../../base/forbid.ts";
import { admitNode } from "./admit-node.ts";
import { admitClaimStatus, admitCSINode, admitLease, admitResourceSlice } from "./admit-others.ts";
import { admitPod, admitPodEviction, admitPodStatus } from "./admit-pod.ts";
import { admitPodCertificateRequest, admitSigningRequest } from "./admit-requests.ts";
import { admitToken } from "./admit-token.ts";

/** A request by a node. */
export type NodeRequest = Admitted<ApiObject> & { readonly nodeName: string };

type Admit = (request: NodeRequest, services: PluginServices) => MaybePromise<void>;

const podSubresources: Readonly<Record<string, Admit>> = table({
  "": admitPod,
  status: admitPodStatus,
  eviction: admitPodEviction,
});

const admitByResource: Readonly<Record<string, Admit>> = table({
  "/pods": (request, services) => {
    const admit = podSubresources[request.subresource];
    if (admit) return admit(request, services);
    throw forbid(
      request,
      `unexpected pod subresource ${goQuote(request.subresource)}, only 'status' and 'eviction' are allowed`,
    );
  },
  "/nodes": admitNode,
  "/persistentvolumeclaims": admitClaimStatus,
  "/serviceaccounts": admitToken,
  "certificates.k8s.io/podcertificaterequests": admitPodCertificateRequest,
  "coordination.k8s.io/leases": admitLease,
  "storage.k8s.io/csinodes": admitCSINode,
  "resource.k8s.io/resourceslices": admitResourceSlice,
  "certificates.k8s.io/certificatesigningrequests": admitSigningRequest,
});

const restricted = Object.keys(admitByResource).map((path) => {
  const [group = "", name = ""] = path.split("/");
  return { group, name } as Resource<ApiObject>;
});

/**
 * A kubelet may write only objects of its node and its pods.
 * Upstream: plugin/pkg/admission/noderestriction/admission.go.
 */
export const nodeRestriction = admissionPlugin<ApiObject>({
  name: "NodeRestriction",
  offByDefault: true,
  on: restricted,
  subresources: ["", "status", "eviction", "token", "binding", "resize", "ephemeralcontainers"],
  operations: ["CREATE", "UPDATE", "DELETE"],
  mutate(attributes, services) {
    const nodeName = nodeIdentity(attributes.user);
    if (nodeName === undefined) return;
    if (nodeName === "") {
      throw forbid(
        attributes,
        `could not determine node from user ${goQuote(attributes.user.name)}`,
      );
    }
    const { group, name } = attributes.resource;
    return admitByResource[`${group}/${name}`]?.({ ...attributes, nodeName }, services);
  },
});
