import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { type Node, nodes } from "#/api/core/v1.ts";
import { controller, watch } from "#/controller/controller.ts";
import type { CertificateRequest } from "#/std/x509/certificate-request.ts";
import { commonNameOf } from "#/std/x509/subject.ts";
import { approve, isDecided } from "./approve.ts";
import { kubeletServingProblem, readRequest } from "./kubelet-requests.ts";

const signerName = "kubernetes.io/kubelet-serving";
const nodePrefix = "system:node:";

/**
 * Approves what kubelets ask for to show to the API server, if it names nothing but themselves. Upstream leaves these
 * requests to whoever runs the cluster, so this is not one of the controllers that it has.
 */
export const servingApprovingController = controller<CertificateSigningRequest>({
  name: "kubelet-serving-approving-controller",
  for: certificateSigningRequests,
  select: { fieldSelector: `spec.signerName=${signerName}` },
  workers: 1,
  watches: [
    // A node's addresses may be known later than its request.
    watch(nodes, (node, { informers }) =>
      informers
        .informer(certificateSigningRequests, { fieldSelector: `spec.signerName=${signerName}` })
        .store.list()
        .filter((request) => !isDecided(request) && nodeNameOf(request) === node.metadata.name)
        .map(({ metadata }) => metadata.name ?? ""),
    ),
  ],
  async reconcile(request, context) {
    if (isDecided(request)) return;
    const { spec } = request;
    const asked = readRequest(spec.request);
    if (kubeletServingProblem(asked, spec.usages ?? []) !== undefined) return;
    const node = context.informers.informer(nodes).store.get("", nodeNameOf(request) ?? "");
    if (!node || commonNameOf(asked.subject) !== spec.username || !isOf(node, asked)) return;
    const message = "Auto approving kubelet serving certificate for addresses of its own node.";
    await approve(request, message, context);
  },
});

/** The node that asks; undefined if none does. */
function nodeNameOf({ spec }: CertificateSigningRequest): string | undefined {
  const { username = "", groups = [] } = spec;
  if (!username.startsWith(nodePrefix) || !groups.includes("system:nodes")) return undefined;
  return username.slice(nodePrefix.length);
}

/** Whether all names and addresses asked for are the node's. */
function isOf({ metadata, status }: Node, { names }: CertificateRequest): boolean {
  const own = new Set((status?.addresses ?? []).map(({ address }) => address));
  return [...names.dns, ...names.ips].every((one) => own.has(one) || one === metadata.name);
}
