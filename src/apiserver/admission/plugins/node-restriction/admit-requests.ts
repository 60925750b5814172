import type { Resource } from "#/api/base/resource.ts";
import type { CertificateSigningRequest, PodCertificateRequest } from "#/api/certificates/v1.ts";
import { nodes, type Pod, pods, serviceAccounts } from "#/api/core/v1.ts";
import { notFound, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { commonNameOf } from "#/std/x509/subject.ts";
import { noAttributes } from "../../../model/authorizer.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PluginServices } from "../../base/admission-plugin.ts";
import { findObject } from "../../base/find-object.ts";
import { forbid } from "../../base/forbid.ts";
import { readRequestSubject } from "../../base/request-subject.ts";
import type { NodeRequest } from "./node-restriction.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const kubeletSigners = [
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
];

/** A node may request certificates in its own name. */
export function admitSigningRequest(request: NodeRequest): void {
  if (request.operation !== "CREATE") return;
  const { spec } = request.object as Decoded<CertificateSigningRequest>;
  if (!kubeletSigners.includes(spec.signerName)) return;
  const subject = readRequestSubject(spec.request, (reason) =>
    forbid(request, `unable to parse csr: ${reason}`),
  );
  const expected = `system:node:${request.nodeName}`;
  if (commonNameOf(subject) === expected) return;
  throw forbid(request, `can only create a node CSR with CN=${expected}`);
}

/** A node may request certificates for the pods that run on it, of the signers in their specs. */
export async function admitPodCertificateRequest(
  request: NodeRequest,
  services: PluginServices,
): Promise<void> {
  if (!services.enabled("PodCertificateRequest")) {
    throw forbid(request, "PodCertificateRequest feature gate is disabled");
  }
  const { operation, subresource } = request;
  if (operation !== "CREATE") throw forbid(request, `unexpected operation ${operation}`);
  if (subresource !== "") throw forbid(request, `unexpected subresource ${subresource}`);
  const pod = checkIdentities(request, services.registry);
  await checkSigner(request, pod, services);
}

function checkIdentities(request: NodeRequest, registry: Registry): Decoded<Pod> {
  const { namespace, nodeName } = request;
  const { spec } = request.object as Decoded<PodCertificateRequest>;
  const podKey = goQuote(`${namespace}/${spec.podName}`);
  const subject = `PodCertificateRequest for pod ${podKey}`;
  if (spec.nodeName !== nodeName) {
    throw forbid(
      request,
      `PodCertificateRequest.Spec.NodeName=${goQuote(spec.nodeName)}, which is not the requesting node ${goQuote(nodeName)}`,
    );
  }
  const node = named(registry, nodes, "", spec.nodeName, "node", goQuote(spec.nodeName));
  if (node.metadata.uid !== spec.nodeUID) {
    throw statusWithoutReason(
      `${subject} names node UID ${goQuote(spec.nodeUID)}, inconsistent with the running node (${goQuote(node.metadata.uid ?? "")})`,
    );
  }
  const pod = named(registry, pods, namespace, spec.podName, "pod", podKey);
  if (spec.podUID !== pod.metadata.uid) {
    throw statusWithoutReason(
      `${subject} contains pod UID (${goQuote(spec.podUID)}) which differs from running pod ${goQuote(pod.metadata.uid ?? "")}`,
    );
  }
  if (pod.spec.nodeName !== spec.nodeName) {
    throw forbid(
      request,
      `pod ${podKey} is not running on node ${goQuote(spec.nodeName)} named in the PodCertificateRequest`,
    );
  }
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    throw forbid(request, `pod ${podKey} is a mirror pod`);
  }
  checkAccount(request, pod, registry, subject);
  return pod;
}

function checkAccount(
  request: NodeRequest,
  pod: Decoded<Pod>,
  registry: Registry,
  subject: string,
): void {
  const { spec } = request.object as Decoded<PodCertificateRequest>;
  const name = spec.serviceAccountName;
  const own = pod.spec.serviceAccountName ?? "";
  if (name !== own) {
    throw forbid(
      request,
      `${subject} contains serviceAccountName (${goQuote(name)}) that differs from running pod (${goQuote(own)})`,
    );
  }
  const { namespace } = request;
  const key = goQuote(`${namespace}/${name}`);
  const account = named(registry, serviceAccounts, namespace, name, "service account", key);
  if (spec.serviceAccountUID === account.metadata.uid) return;
  throw statusWithoutReason(
    `${subject} names service account UID ${goQuote(spec.serviceAccountUID)}, which differs from the running service account (${goQuote(account.metadata.uid ?? "")})`,
  );
}

function named<T>(
  registry: Registry,
  handle: Resource<T>,
  namespace: string,
  name: string,
  noun: string,
  key: string,
): Decoded<T> {
  const found = findObject(registry, handle, namespace, name);
  if (found) return found;
  const reason = notFound({ group: handle.group, name: handle.singular }, name).message;
  throw statusWithoutReason(
    `while retrieving ${noun} ${key} named in the PodCertificateRequest: ${reason}`,
  );
}

async function checkSigner(
  request: NodeRequest,
  pod: Decoded<Pod>,
  { authorizer }: PluginServices,
): Promise<void> {
  const { spec } = request.object as Decoded<PodCertificateRequest>;
  const { signerName } = spec;
  const sources = (pod.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ podCertificate }) => podCertificate?.signerName === signerName)) return;
  const { user, resource, namespace } = request;
  const { decision, error } = await authorizer.authorize({
    ...noAttributes,
    user,
    verb: "request-serviceaccounts-podcertificate-signer",
    apiGroup: resource.group,
    apiVersion: resource.version,
    resource: signerName.replaceAll("/", ":"),
    namespace,
    name: spec.serviceAccountName,
  });
  if (decision === "allow") return;
  throw forbid(
    request,
    error
      ? `error authorizing ${user.name} to request podcertificaterequests for signer ${goQuote(signerName)}: ${error.message}`
      : `pod ${goQuote(`${namespace}/${spec.podName}`)} does not mount a podCertificate projected volume for signer ${goQuote(signerName)}`,
  );
}
