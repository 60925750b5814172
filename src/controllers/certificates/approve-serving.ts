import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { type Node, nodes, services } from "#/api/core/v1.ts";
import { controller, watch } from "#/controller/controller.ts";
import type { CertificateRequest } from "#/std/x509/certificate-request.ts";
import { commonNameOf } from "#/std/x509/subject.ts";
import { approve, isDecided } from "./approve.ts";
import { kubeletServingProblem, readRequest } from "./kubelet-requests.ts";

const signerName = "kubernetes.io/kubelet-serving";
const nodePrefix = "system:node:";

/**
 * Approves serving certificates of kubelets, if they name nothing but their own node. Upstream
 * leaves these requests to the administrator, so this is not one of its controllers.
 */
export const servingApprovingController = controller<CertificateSigningRequest>({
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
    const others = known.filter((one) => one !== node).flatMap(namesOf);
    const clusterIps = informers
      .informer(services)
      .store.list()
      .flatMap(({ spec: { clusterIPs = [] } = {} }) => clusterIPs);
    if (!isOf(node, asked, new Set([...others, ...clusterIps]))) return;
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

/** Names of the API server and other services: never a node's, whatever its status says. */
const serviceName = /^kubernetes(\.|$)|\.svc(\.|$)/;

const namesOf = ({ metadata, status }: Node): string[] => [
  metadata.name ?? "",
  ...(status?.addresses ?? []).map(({ address }) => address),
];

/** Whether all requested names and addresses are the node's own, as its status lists them. */
function isOf(node: Node, { names }: CertificateRequest, taken: ReadonlySet<string>): boolean {
  const own = new Set(namesOf(node));
  return [...names.dns, ...names.ips].every(
    (one) => own.has(one) && !taken.has(one) && !serviceName.test(one),
  );
}
