import { podCertificateRequests } from "#/api/certificates/v1.ts";
import { podCertificateRequests as podCertificateRequestsBeta } from "#/api/certificates/v1beta1.ts";
import { forbidden, internalError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabels } from "#/machinery/meta/format-labels.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { mayActForSigner } from "../../auth/signer-permission.ts";
import { serve } from "../../registry/strategy.ts";
import { nameColumn } from "../rules/age.ts";
import { groupInternalForm } from "../rules/internal-form.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { type Request, validatePodCertificateRequest } from "./validate-pod-certificate-request.ts";
import { validatePodCertificateStatus } from "./validate-pod-certificate-status.ts";

const specPath = fieldPath("spec");
const signerPath = specPath.child("signerName");
const daySeconds = 86_400;

/** Upstream: pkg/registry/certificates/podcertificaterequest/strategy.go. */
export const podCertificateRequest = serve(podCertificateRequestsBeta, {
  versions: [{ handle: podCertificateRequests }],
  allowUnconditionalUpdate: false,
  setDefaults({ spec }) {
    spec.maxExpirationSeconds ??= daySeconds;
  },
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: validatePodCertificateRequest,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...(deepEqual(object.spec, old.spec)
      ? []
      : [invalid(specPath, shown(object.spec), immutableMessage)]),
  ],
  resetFields: ["status"],
  status: {
    validateUpdate: (object, old, { now }) => validatePodCertificateStatus(object, old, now),
    async permitUpdate(object, old, { user, authorizer }) {
      if (deepEqual(object.status ?? {}, old.status ?? {})) return [];
      if (!user) {
        const cause = 'cannot determine calling user to perform "sign" check';
        return [internalError(signerPath, new Error(cause))];
      }
      const { signerName } = old.spec;
      if (await mayActForSigner(authorizer, user, "sign", signerName)) return [];
      const detail = `User ${goQuote(user.name)} is not permitted to "sign" for signer ${goQuote(signerName)}`;
      return [forbidden(signerPath, detail)];
    },
    resetFields: ["metadata", "spec"],
  },
  selectableFields: {
    "spec.signerName": ({ spec }) => spec.signerName,
    "spec.podName": ({ spec }) => spec.podName,
    "spec.nodeName": ({ spec }) => spec.nodeName,
  },
  unknownFieldMessage: (field) => `field label not supported: ${field}`,
  columns: [
    nameColumn,
    { name: "PodName", type: "string", cell: ({ spec }) => spec.podName },
    { name: "ServiceAccountName", type: "string", cell: ({ spec }) => spec.serviceAccountName },
    { name: "NodeName", type: "string", cell: ({ spec }) => spec.nodeName },
    { name: "SignerName", type: "string", cell: ({ spec }) => spec.signerName },
    { name: "State", type: "string", cell: shownState },
    {
      name: "UnverifiedUserAnnotations",
      type: "string",
      cell: ({ spec }) => formatLabels(spec.unverifiedUserAnnotations) || "<none>",
    },
  ],
});

/** Two fields that v1 no longer has come before the request. */
function shown(spec: Request["spec"]): object {
  const form = groupInternalForm("certificates/v1", "PodCertificateRequestSpec", spec) as object;
  const { pkixPublicKey = null, proofOfPossession = null } = spec;
  const old = { PKIXPublicKey: pkixPublicKey, ProofOfPossession: proofOfPossession };
  const entries = Object.entries(form);
  const at = entries.findIndex(([name]) => name === "StubPKCS10Request");
  return Object.fromEntries(entries.toSpliced(at, 0, ...Object.entries(old)));
}

const states = ["Issued", "Denied", "Failed"];

function shownState({ status }: Pick<Request, "status">): string {
  return status?.conditions?.findLast(({ type }) => states.includes(type))?.type ?? "Pending";
}
