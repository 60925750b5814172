import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { nodes, services } from "#/api/core/v1.ts";
import { controller, watch } from "#/controller/controller.ts";
import { commonNameOf } from "#/std/x509/subject.ts";
import { approve, isDecided } from "./approve.ts";
import { kubeletServingProblem, readRequest } from "./kubelet-requests.ts";
import { type ReservedNames, servingNamesProblem } from "./serving-names.ts";

const signerName = "kubernetes.io/kubelet-serving";
const nodePrefix = "system:node:";

/**
 * Approves serving certificates of kubelets, if they name nothing but their own node; others are left to the
 * administrator. Upstream leaves all of them, so this is not one of its controllers.
 */
export const servingApprovingController = controller<CertificateSigningRequest, ReservedNames>({
  name: "kubelet-serving-approving-controller",
  for: certificateSigningRequests,
  select: { fieldSelector: `spec.signerName=${signerName}` },
  workers: 1,
  reads: [services],
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
    if (commonNameOf(asked.subject) !== spec.username) return;
    const name = nodeNameOf(request);
    const { informers } = context;
    const known = informers.informer(nodes).store.list();
    const node = known.find(({ metadata }) => metadata.name === name);
    if (!node) return;
    const clusterIps = informers
      .informer(services)
      .store.list()
      .flatMap(({ spec: { clusterIPs = [] } = {} }) => clusterIPs);
    const others = known.filter((one) => one !== node);
    const { options: reserved, log } = context;
    const problem = servingNamesProblem(asked.names, node, { others, clusterIps, reserved });
    if (problem !== undefined) {
      log.warning("left kubelet serving certificate to the administrator", {
        csr: request.metadata.name ?? "",
        node: name ?? "",
        reason: problem,
      });
      return;
    }
    const message = "Auto approving kubelet serving certificate for addresses of its own node.";
    await approve(request, message, context);
  },
});

/** The requesting node; undefined if the requester is none. */
function nodeNameOf({ spec }: CertificateSigningRequest): string | undefined {
  const { username = "", groups = [] } = spec;
  if (!username.startsWith(nodePrefix) || !groups.includes("system:nodes")) return undefined;
  return username.slice(nodePrefix.length);
}
