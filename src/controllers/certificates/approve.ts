/** Upstream: pkg/controller/certificates/approver. */
import { type SubjectAccessReview, subjectAccessReviews } from "#/api/authorization/v1.ts";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller } from "#/controller/controller.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { commonNameOf } from "#/std/x509/subject.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { kubeletClientProblem, readRequest } from "./kubelet-requests.ts";

const kubeletClient = "kubernetes.io/kube-apiserver-client-kubelet";

/** Approves client certificates of kubelets, if they are authorized. */
export const csrApprovingController = controller<CertificateSigningRequest, ManagerOptions>({
  name: "certificatesigningrequest-approving-controller",
  for: certificateSigningRequests,
  queue: "certificate",
  retry: { backoff: exponentialBackoff({ baseMs: 200, maxMs: 1_000_000 }) },
  workers: 1,
  async reconcile(request, context) {
    const { spec } = request;
    if (isDecided(request) || spec.signerName !== kubeletClient) return;
    const asked = readRequest(spec.request);
    if (kubeletClientProblem(asked, spec.usages ?? []) !== undefined) return;
    const isOwn = spec.username === commonNameOf(asked.subject);
    if (isOwn && (await mayAsk(request, "selfnodeclient", context))) {
      return await approve(
        request,
        "Auto approving self kubelet client certificate after SubjectAccessReview.",
        context,
      );
    }
    if (await mayAsk(request, "nodeclient", context)) {
      return await approve(
        request,
        "Auto approving kubelet client certificate after SubjectAccessReview.",
        context,
      );
    }
    throw new Error(
      `recognized csr "${request.metadata.name}" as [${isOwn ? "selfnodeclient " : ""}nodeclient] but subject access review was not approved`,
    );
  },
});

async function mayAsk(
  { spec }: CertificateSigningRequest,
  subresource: string,
  { client }: ControllerContext<ManagerOptions>,
): Promise<boolean> {
  const { username: user = "", uid = "", groups = [], extra = {} } = spec;
  const resourceAttributes = {
    group: "certificates.k8s.io",
    resource: "certificatesigningrequests",
    verb: "create",
    subresource,
    version: "*",
  };
  const review: SubjectAccessReview = {
    metadata: {},
    spec: { user, uid, groups, extra, resourceAttributes },
  };
  const { status } = await client.create(subjectAccessReviews, review);
  return status?.allowed === true;
}

/** Whether a request is already decided. */
export function isDecided({ status }: CertificateSigningRequest): boolean {
  const decisions = ["Approved", "Denied"];
  return (
    status?.certificate !== undefined ||
    (status?.conditions?.some(({ type }) => decisions.includes(type)) ?? false)
  );
}

/** Approves a cached request. */
export async function approve(
  request: CertificateSigningRequest,
  message: string,
  { client, clock }: Pick<ControllerContext, "client" | "clock">,
): Promise<void> {
  const now = formatTime(clock.now());
  const condition = {
    type: "Approved",
    status: "True",
    reason: "AutoApproved",
    message,
    lastUpdateTime: now,
    lastTransitionTime: now,
  };
  const conditions = [...(request.status?.conditions ?? []), condition];
  await client.updateSubresource(certificateSigningRequests, refOf(request), "approval", {
    ...request,
    status: { ...request.status, conditions },
  });
}
